// The kernel of wide lines (Note [Wide lines] in star-gpu): a grid of workgroups that computes all
// limbs of lines which the control unit left in the state, one after another. A thread computes the
// same limbs of each, so that no line waits for the previous one. Their results are also stored in
// the state. Usually there are no lines, and the workgroups return at once.

@group(0) @binding(2) var<storage, read_write> state: array<atomic<u32>>;

var<workgroup> kept: array<u32, QUEUE_LINES * WIDE_WORDS>;
var<workgroup> n_left: u32;
var<workgroup> least: atomic<u32>;
var<workgroup> total: atomic<u32>;

@compute @workgroup_size(THREADS)
fn main(
  @builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
) {
  if (id == 0u) {
    n_left = select(0u, atomicLoad(&state[S_QUEUED]), atomicLoad(&state[S_STATUS]) == WIDE);
    atomicStore(&least, NOTHING); atomicStore(&total, 0u);
  }
  let n_lines = workgroupUniformLoad(&n_left);
  if (n_lines == 0u) { return; }
  for (var i = id; i < n_lines * WIDE_WORDS; i += THREADS) { kept[i] = atomicLoad(&state[S_QUEUE + i]); }
  workgroupBarrier();
  let me = group.x * THREADS + id; let threads = THREADS * groups.x;
  var nearest = NOTHING; var count = 0u;
  for (var i = 0u; i < n_lines; i++) {
    let line = i * WIDE_WORDS; let kind = kept[line + W_KIND]; let n = kept[line + W_N];
    let at_x = kept[line + W_AT_X]; let stride_x = kept[line + W_STRIDE_X]; let at_y = kept[line + W_AT_Y]; let at_z = kept[line + W_AT_Z];
    let at = at_y; let bits_y = kept[line + W_BITS_Y]; let last = i32(kept[line + W_LAST]);
    switch (kind & 0xffu) {
      case OP_ROW_PUT: {
        let first = me; let step = threads;
PUT_ROW
      }
      case OP_LINES: {
OVER_LINES
      }
      default: {
        let limbs = (n + 31u) >> 5u;
        let table = (kind >> 8u) & 15u; let generator = (kind >> 12u) & 15u; let reduce = (kind >> 16u) & 15u; let stores = (kind & 0x100000u) != 0u;
        let t0 = 0u - (table & 1u); let t1 = 0u - ((table >> 1u) & 1u); let t2 = 0u - ((table >> 2u) & 1u); let t3 = 0u - ((table >> 3u) & 1u);
        let has_y = at != 0u; let has_z = at_z != 0u;
        let b = vec2<u32>(kept[line + W_B], kept[line + W_B + 1u]); let offset = clamped(b); let behind = kept[line + W_BEHIND];
        for (var k = me; k < limbs; k += threads) {
MAKE_LIMB
          if (stores) { store(at_x + k, u); }
          if (reduce == RED_COUNT) { count += countOneBits(u); }
          else if (reduce != RED_NOTHING) {
            if (behind != 0u) { u &= ~ones(k, 0, i32(behind)); }
            if (u != 0u && nearest == NOTHING) { nearest = k * 32u + firstTrailingBit(u); }
          }
        }
      }
    }
  }
  if (nearest != NOTHING) { atomicMin(&least, nearest); }
  if (count != 0u) { atomicAdd(&total, count); }
  workgroupBarrier();
  if (id == 0u) {
    let nearest = atomicLoad(&least); let count = atomicLoad(&total);
    if (nearest != NOTHING) { atomicMin(&state[S_NEAREST], nearest); }
    if (count != 0u) {
      let before = atomicAdd(&state[S_COUNT], count);
      if (before + count < count) { atomicAdd(&state[S_COUNT + 1u], 1u); }
    }
    atomicAdd(&state[S_GROUPS], 1u);
  }
}
