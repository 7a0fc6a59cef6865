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
  let line = Line(
    kept[W_KIND], kept[W_N], kept[W_AT_X], kept[W_AT_Y], kept[W_AT_Z], kept[W_BITS_Y], kept[W_STRIDE_Y],
    vec2<u32>(kept[W_B], kept[W_B + 1u]), i32(kept[W_LAST]), kept[W_LITERALS], kept[W_BEHIND],
  );
  let found = make_limbs(line, group.x * THREADS + id, THREADS * groups.x);
  if (found.x != NOTHING) { atomicMin(&least, found.x); }
  if (found.y != 0u) { atomicAdd(&total, found.y); }
  workgroupBarrier();
  if (id == 0u) {
    let nearest = atomicLoad(&least); let count = atomicLoad(&total);
    if (nearest != NOTHING) { atomicMin(&state[S_WIDE + W_NEAREST], nearest); }
    if (count != 0u) { atomicAdd(&state[S_WIDE + W_COUNT], count); }
    atomicAdd(&state[S_WIDE + W_GROUPS], 1u);
  }
}
