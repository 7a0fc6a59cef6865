// The kernel of wide lines (Note [Wide lines] in star-gpu): a grid of workgroups that makes all limbs of a line which the control unit
// left in the state. What they find goes into the state, too. Nothing is left there usually, and then they return at once.

@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;

var<workgroup> kept: array<u32, WIDE_WORDS>;
var<workgroup> is_left: u32;
var<workgroup> least: atomic<u32>;
var<workgroup> total: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
) {
  for (var i = id; i < WIDE_WORDS; i += THREADS) { kept[i] = atomicLoad(&state[S_WIDE + i]); }
  if (id == 0u) {
    is_left = select(0u, 1u, atomicLoad(&state[S_STATUS]) == WIDE);
    atomicStore(&least, NOTHING); atomicStore(&total, 0u);
  }
  if (workgroupUniformLoad(&is_left) == 0u) { return; }
  let kind = kept[W_KIND]; let n = kept[W_N]; let limbs = (n + 31u) >> 5u;
  let table = (kind >> 8u) & 15u; let generator = (kind >> 12u) & 15u; let reduce = (kind >> 16u) & 15u; let stores = (kind & 0x100000u) != 0u;
  let t0 = 0u - (table & 1u); let t1 = 0u - ((table >> 1u) & 1u); let t2 = 0u - ((table >> 2u) & 1u); let t3 = 0u - ((table >> 3u) & 1u);
  let at_x = kept[W_AT_X]; let at = kept[W_AT_Y]; let at_y = at; let at_z = kept[W_AT_Z]; let bits_y = kept[W_BITS_Y];
  let has_y = at != 0u; let has_z = at_z != 0u;
  let b = vec2<u32>(kept[W_B], kept[W_B + 1u]); let offset = clamped(b); let last = i32(kept[W_LAST]); let behind = kept[W_BEHIND];
  var nearest = NOTHING; var count = 0u;
  for (var k = group.x * THREADS + id; k < limbs; k += THREADS * groups.x) {
MAKE_LIMB
    if (stores) { store(at_x + k, u); }
    if (reduce == RED_COUNT) { count += countOneBits(u); }
    else if (reduce != RED_NOTHING) {
      if (behind != 0u) { u &= ~ones(k, 0, i32(behind)); }
      if (u != 0u && nearest == NOTHING) { nearest = k * 32u + firstTrailingBit(u); }
    }
  }
  if (nearest != NOTHING) { atomicMin(&least, nearest); }
  if (count != 0u) { atomicAdd(&total, count); }
  workgroupBarrier();
  if (id == 0u) {
    let nearest = atomicLoad(&least); let count = atomicLoad(&total);
    if (nearest != NOTHING) { atomicMin(&state[S_WIDE + W_NEAREST], nearest); }
    if (count != 0u) { atomicAdd(&state[S_WIDE + W_COUNT], count); }
    atomicAdd(&state[S_WIDE + W_GROUPS], 1u);
  }
}
