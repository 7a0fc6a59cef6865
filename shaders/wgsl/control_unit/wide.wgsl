// Test for wide lines (Note [Wide lines] in star-gpu), at `OF_WIDE_LINES` in the control unit: the
// threads exchange the size of the line. If the other kernel has computed it and it has a query,
// they read the result.
var makes = true;
if (id == 0u) { exchanged = vec4<u32>(size, 0u, 0u, 0u); }
let width = workgroupUniformLoad(&exchanged).x;
if (answers) {
  if (id == 0u) { nearest = begin[S_NEAREST]; atomicStore(&total, begin[S_COUNT]); }
  answers = false; makes = false;
} else if (width > begin[S_WIDE_LIMBS]) {
  if (id == 0u) {
    let to = S_QUEUE + n_queued * WIDE_WORDS;
    state[to + W_KIND] = P.x; state[to + W_N] = n;
    state[to + W_AT_X] = at_x; state[to + W_AT_Y] = at; state[to + W_AT_Z] = at_z;
    state[to + W_BITS_Y] = bits_y; state[to + W_STRIDE_Y] = near(dy + D_STRIDE); state[to + W_STRIDE_X] = near(dx + D_STRIDE);
    state[to + W_B] = b.x; state[to + W_B + 1u] = b.y; state[to + W_LAST] = u32(last);
    state[to + W_LITERALS] = begin[S_LITERALS] + Q.x; state[to + W_BEHIND] = behind;
  }
  n_queued++; budget -= i32(width / begin[S_WIDE_RATE]); makes = false;
  if (reduce != RED_NOTHING) { status = WIDE; pc--; n_queued |= ASKS; } else if (n_queued == QUEUE_LINES) { status = WIDE; }
} else if (n_queued != 0u) { status = WIDE; pc--; makes = false; }
