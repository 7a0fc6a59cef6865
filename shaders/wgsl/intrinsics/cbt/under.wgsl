// The number of leaves at or below a node: as of the last reduce, and live on level D. One thread.

@compute @workgroup_size(1)
fn main() {
  let live = given[1].x; let field = given[1].y; let directory = given[1].z; let notes = given[1].w;
  let node = given[2].x;
  let width = n_bits() >> firstLeadingBit(node);
  let x = node * width - n_bits();
  if (width == 1u) { store(notes, bit_of(live, x)); }
  else { store(notes, ones_in(field, directory, x, width)); }
}
