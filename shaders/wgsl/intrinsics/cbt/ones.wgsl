// The number of leaves in parts of a field by its rank directory, included by kernels.

// Returns the number of leaves that begin in the node of this width at bit x.
fn ones_in(field: u32, directory: u32, x: u32, width: u32) -> u32 {
  if (width < 32u) {
    return countOneBits((load(field + (x >> 5u)) >> (x & 31u)) & ((1u << width) - 1u));
  }
  if (width >= 512u) {
    return rank_of(directory, (x + width) >> 9u) - rank_of(directory, x >> 9u);
  }
  var sum = 0u; let end = (x + width) >> 5u;
  for (var at = x >> 5u; at < end; at++) { sum += countOneBits(load(field + at)); }
  return sum;
}
