// The label of one cell, and whether it is all ones. One workgroup, a thread for each column.

var<workgroup> bits: atomic<u32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) id: u32) {
  let labels = given[1].x; let stride = given[1].y; let columns = given[1].z; let notes = given[1].w;
  let cell = given[2].x;
  if (id < columns) {
    let bit = (load(labels + (columns - 1u - id) * stride + (cell >> 5u)) >> (cell & 31u)) & 1u;
    if (bit == 1u) { atomicOr(&bits, 1u << id); }
  }
  workgroupBarrier();
  if (id == 0u) {
    let label = atomicLoad(&bits);
    store(notes + LABEL, label);
    store(notes + UNREACHED, select(0u, 1u, label == 0xffffffffu >> (32u - columns)));
    store(notes + CELL, cell);
  }
}
