// A split or merge of one node of the live field, and whether it took place. One thread.

@compute @workgroup_size(1)
fn main() {
  let field = given[1].x; let node = given[1].y; let act = given[1].z; let notes = given[1].w;
  let width = n_bits() >> firstLeadingBit(node);
  let x = node * width - n_bits();
  if (width == 1u) { return; }
  let half = width / 2u;
  var acts = true;
  if (act == SPLIT) { acts = is_leaf(field, x, width); }
  if (act == MERGE) { acts = is_leaf(field, x, half) && is_leaf(field, x + half, half); }
  if (!acts) { return; }
  let at = field + ((x + half) >> 5u); let bit = 1u << ((x + half) & 31u);
  let before_it = load(at);
  store(at, select(before_it & ~bit, before_it | bit, act == SPLIT || act == SPLIT_RAW));
  store(notes, 1u);
}
