// Where lines may be wide (Note [Wide lines] in star-gpu), at `OF_WIDE_LINES` in the control unit: the threads tell each other how long this one is.
// Of one that the other kernel has made, they have what was found.
var makes = true;
if (id == 0u) { exchanged = vec4<u32>(limbs, waited[W_GROUPS], 0u, 0u); }
let width = workgroupUniformLoad(&exchanged);
if (was_made) {
  if (width.y != begin[S_WIDE_GROUPS]) { status = BROKEN; }
  if (id == 0u) {
    nearest = waited[W_NEAREST]; atomicStore(&total, waited[W_COUNT]);
    state[S_N_WIDE] = begin[S_N_WIDE] + 1u;
  }
  was_made = false; makes = false;
} else if (width.x > begin[S_WIDE_LIMBS]) {
  if (id == 0u) {
    state[S_WIDE + W_KIND] = P.x; state[S_WIDE + W_N] = n;
    state[S_WIDE + W_AT_X] = at_x; state[S_WIDE + W_AT_Y] = at; state[S_WIDE + W_AT_Z] = at_z;
    state[S_WIDE + W_BITS_Y] = bits_y; state[S_WIDE + W_STRIDE_Y] = near(dy + D_STRIDE);
    state[S_WIDE + W_B] = b.x; state[S_WIDE + W_B + 1u] = b.y; state[S_WIDE + W_LAST] = u32(last);
    state[S_WIDE + W_LITERALS] = begin[S_LITERALS] + Q.x; state[S_WIDE + W_BEHIND] = behind;
    state[S_WIDE + W_NEAREST] = NOTHING; state[S_WIDE + W_COUNT] = 0u; state[S_WIDE + W_GROUPS] = 0u;
  }
  status = WIDE; pc--; budget -= i32(width.x / begin[S_WIDE_RATE]); makes = false;
}
