// The triangles of the nodes of a tree of depth D in a square of 2^(D div 2) steps, included by the
// kernels of meshes.

const ALWAYS = 0xffffffffu;

// The longest edge goes from a to b, c is the right angle; across it is a node of the same level, 0
// at the border of the square.
struct Triangle { a: vec2<i32>, b: vec2<i32>, c: vec2<i32>, across: u32 }

// Returns a half of a node, or 0 if there is no node.
fn half_of(node: u32, side: u32) -> u32 { return select(2u * node + side, 0u, node == 0u); }

// Returns the triangle of a node from 2 on. The four triangles of a split diamond meet in its
// middle; across its longest edge, a half has a half of the neighbour of its parent there.
fn triangle_of(node: u32) -> Triangle {
  let level = firstLeadingBit(node);
  let side = 1 << (given[0].x / 2u);
  var at = node >> (level - 1u);
  var t = Triangle(vec2<i32>(side, 0), vec2<i32>(0, side), vec2<i32>(0, 0), at ^ 1u);
  if (at == 3u) { t = Triangle(t.b, t.a, vec2<i32>(side, side), t.across); }
  // The nodes across the edges from c to a, and from b to c.
  var left = 0u; var right = 0u;
  for (var bit = level - 1u; bit > 0u; bit--) {
    let middle = (t.a + t.b) / 2;
    let side_bit = (node >> (bit - 1u)) & 1u;
    if (side_bit == 0u) {
      let across = half_of(left, 1u);
      left = 2u * at + 1u; right = half_of(t.across, 1u);
      t = Triangle(t.c, t.a, middle, across);
    } else {
      let across = half_of(right, 0u);
      left = half_of(t.across, 0u); right = 2u * at;
      t = Triangle(t.b, t.c, middle, across);
    }
    at = 2u * at + side_bit;
  }
  return t;
}

// Returns the component of a leg, which divides those of all edges.
fn unit_of(t: Triangle) -> i32 {
  let leg = abs(t.c - t.a);
  return max(leg.x, leg.y);
}

// Returns whether a triangle is outside a grid of this size.
fn is_outside(t: Triangle, size: vec2<u32>) -> bool {
  return any(min(min(t.a, t.b), t.c) + 1 >= vec2<i32>(size));
}

fn is_leaf_node(field: u32, node: u32) -> bool {
  let width = n_bits() >> firstLeadingBit(node);
  return is_leaf(field, node * width - n_bits(), width);
}

// Returns the node of the leaf that begins at a bit of a word, number `at`; `rest` are the bits
// after it.
fn leaf_at(field: u32, at: u32, start: u32, rest: u32) -> u32 {
  var width = in_word() - start;
  if (rest != 0u) { width = firstTrailingBit(rest) - start; }
  else if (start == 0u) { width = width_from(field, 32u * at, width); }
  return (n_bits() + 32u * at + start) >> firstTrailingBit(width);
}

