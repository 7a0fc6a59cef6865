// A grid of cells, included by the kernels of waves: cell x of row y, both from 0, is bit
// y * width + x of a slice. The preceding constants are generated from the tables of star-shaders.
//
// The first parameter of all kernels is the width, the fourth one the height.

// Returns the cells x … x + 31 of row y of a slice; zeros outside the grid.
fn row_bits(slice: u32, x: u32, y: u32) -> u32 {
  let width = given[0].x;
  if (x >= width || y >= given[0].w) { return 0u; }
  let n = min(width - x, 32u);
  let cell = y * width + x; let by = cell & 31u; let at = slice + (cell >> 5u);
  var bits = load(at) >> by;
  if (by + n > 32u) { bits |= load(at + 1u) << (32u - by); }
  return bits & (0xffffffffu >> (32u - n));
}
