// End of a queue of waiting lines (Note [Wide lines] in star-gpu), at `ENDS_QUEUE` in the control
// unit: they are computed before anything that needs a barrier, and before anything that reads
// limbs and is not a line.
if (n_queued != 0u) {
  switch (op) {
    case OP_LINE, OP_ROW_PUT, OP_DIV, OP_MOD, OP_SIZE, OP_SHAPE, OP_SHAPE_LIKE, OP_COLUMNS, OP_FILL, OP_FETCH, OP_TALLY, OP_CHARGE, OP_OPEN, OP_CLOSE: {
      if ((P.x & 0x400000u) != 0u) { status = WIDE; }
    }
    default: { status = WIDE; }
  }
  if (status == WIDE) { pc--; op = NO_OP; }
}
