// The prices of the cells whose costs are final, as columns of a table; those of cells without a
// path are all ones. A thread has 32 cells of a column: adjacent threads have adjacent columns,
// which need the same costs.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let n_cells = given[0].x * given[0].w;
  let costs = given[1].x; let prices = given[1].y; let stride = given[1].z; let columns = given[1].w;
  // The price of a cell with cost 0.
  let base = given[2].xy; let end = given[2].z; let is_last = given[2].w == 1u;
  let at = THREADS * number_of(group) + id;
  let column = at % columns; let word = at / columns;
  if (32u * word >= n_cells) { return; }
  let bit = columns - 1u - column;
  var bits = 0u;
  for (var i = 0u; i < min(n_cells - 32u * word, 32u); i++) {
    let cost = load(costs + 32u * word + i);
    let low = base.x + cost;
    let price = select(low, base.y + select(0u, 1u, low < cost), bit >= 32u);
    if (cost != 0u && cost < end) { bits |= ((price >> (bit & 31u)) & 1u) << i; }
    if (cost == UNREACHED && is_last) { bits |= 1u << i; }
  }
  let to = prices + column * stride + word;
  if (bits != 0u) { store(to, load(to) | bits); }
}
