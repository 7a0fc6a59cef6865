// An instruction over lines that is too much for a workgroup (Note [Lines] in star-gpu), at
// `LEAVES_LINES` in the control unit: the kernel of wide lines runs it, in several groups of
// columns. It is decoded again, since any code in the loop over all instructions slows all of them
// down.
if (status == WIDE && n_queued == 0u) {
  let P = code[2u * pc]; let Q = code[2u * pc + 1u];
  let rows = r[(P.y >> 8u) & 0xffu].x; let columns = r[(P.y >> 16u) & 0xffu].x; let limbs = (rows + 31u) >> 5u;
  let is_word = (P.x & 0x400u) != 0u;
  if ((P.y & 0xffu) != NO_REG) { r[P.y & 0xffu] = vec2<u32>(0u); }
  // For a field, the number of columns before it.
  var front = 0u;
  if ((P.y >> 24u) != NO_REG) { front = r[P.y >> 24u].x; }
  let front_x = select(0u, front, is_word); let front_y = front - front_x;
  var blocks = clamp(begin[S_MOST_BLOCKS] / max(limbs, 1u), 1u, 0x4000000u);
  if (is_word) { blocks = min(blocks, begin[S_MOST_JOINED]); }
  let at_once = min(columns, 32u * blocks);
  if (id == 0u) {
    state[S_QUEUE + W_KIND] = P.x; state[S_QUEUE + W_B] = Q.x; state[S_QUEUE + W_N] = rows;
    state[S_QUEUE + W_FIRST] = 0u; state[S_QUEUE + W_COLUMNS] = at_once; state[S_QUEUE + W_ALL] = columns;
    // The addresses of missing operands are never accessed.
    let all = vec4<u32>(P.z & 0xffffu, P.z >> 16u, P.w & 0xffffu, P.w >> 16u); let ov = Q.w & 0xffffu;
    if (all.x != NO_OBJECT) { let d = descriptor(frame, all.x); state[S_QUEUE + W_AT_X] = near(d + D_AT) + front_x * near(d + D_STRIDE); state[S_QUEUE + W_STRIDE_X] = near(d + D_STRIDE); }
    state[S_QUEUE + W_BITS_Y] = 0u; state[S_QUEUE + W_LIMBS_Z] = 0u; state[S_QUEUE + W_LIMBS_W] = 0u; state[S_QUEUE + W_LIMBS_V] = 0u;
    if (all.y != NO_OBJECT) {
      let d = descriptor(frame, all.y);
      state[S_QUEUE + W_AT_Y] = near(d + D_AT) + front_y * near(d + D_STRIDE); state[S_QUEUE + W_STRIDE_Y] = near(d + D_STRIDE);
      state[S_QUEUE + W_BITS_Y] = near(d + D_ROWS); state[S_QUEUE + W_COLUMNS_Y] = near(d + D_COLUMNS) - min(front_y, near(d + D_COLUMNS));
    }
    if (all.z != NO_OBJECT) { let d = descriptor(frame, all.z); state[S_QUEUE + W_AT_Z] = near(d + D_AT); state[S_QUEUE + W_LIMBS_Z] = (near(d + D_ROWS) + 31u) >> 5u; }
    if (all.w != NO_OBJECT) { let d = descriptor(frame, all.w); state[S_QUEUE + W_AT_W] = near(d + D_AT); state[S_QUEUE + W_LIMBS_W] = (near(d + D_ROWS) + 31u) >> 5u; }
    if (ov != NO_OBJECT) {
      let d = descriptor(frame, ov);
      state[S_QUEUE + W_AT_V] = near(d + D_AT); state[S_QUEUE + W_STRIDE_V] = near(d + D_STRIDE);
      state[S_QUEUE + W_LIMBS_V] = (near(d + D_ROWS) + 31u) >> 5u; state[S_QUEUE + W_COLUMNS_V] = near(d + D_COLUMNS);
    }
  }
  n_queued = ASKS + 1u;
  budget -= i32((limbs * ((at_once + 31u) >> 5u)) / max(begin[S_WIDE_RATE] >> 5u, 1u));
}
