// A picture of a mesh from above, as a word for each pixel: red, green and blue in eight bits each.
// A thread has a pixel.

// Returns twice the areas of the edges of a triangle and a point in half pixels, divided by the
// unit of the edges.
fn sides_of(t: Triangle, at: vec2<i32>) -> vec3<i32> {
  let scale = 2 * i32(given[3].x);
  let a = t.a * scale - at; let b = t.b * scale - at; let c = t.c * scale - at;
  let unit = unit_of(t);
  let bc = (t.c - t.b) / unit; let ca = (t.a - t.c) / unit; let ab = (t.b - t.a) / unit;
  return vec3<i32>(bc.y * b.x - bc.x * b.y, ca.y * c.x - ca.x * c.y, ab.y * a.x - ab.x * a.y);
}

// Returns whether a point is less than half a pixel from an edge.
fn is_near(side: i32, a: vec2<i32>, b: vec2<i32>, unit: i32) -> bool {
  let edge = (b - a) / unit;
  return side <= 2 && side * side <= edge.x * edge.x + edge.y * edge.y;
}

fn height(at: vec2<i32>) -> i32 {
  return i32(load(given[1].y + u32(at.y) * given[2].x + u32(at.x)));
}

// Returns a quotient below 2^21.
fn quotient(all: vec2<u32>, by: u32) -> u32 {
  var found = 0u;
  for (var bit = 0x100000u; bit > 0u; bit >>= 1u) {
    if (!is_less(all, product(found + bit, by))) { found += bit; }
  }
  return found;
}

// Returns the square root, rounded up, of a number below 2^46.
fn long_root_up(square: vec2<u32>) -> u32 {
  var root = 0u;
  for (var bit = 0x400000u; bit > 0u; bit >>= 1u) {
    if (!is_less(square, product(root + bit, root + bit))) { root += bit; }
  }
  return root + select(0u, 1u, is_less(product(root, root), square));
}

// Returns red, green and blue of a triangle.
fn colour_of(t: Triangle) -> vec3<u32> {
  let notes = given[1].w; let step = given[2].w;
  let least = ~load(notes + 1u); let range = max(load(notes) - least, 1u);
  let a = height(t.a); let b = height(t.b); let c = height(t.c);
  let unit = unit_of(t);
  let u = (t.a - t.c) / unit; let v = (t.b - t.c) / unit;
  // The normal: slopes along both legs, divided by the unit, and its third component.
  let slope = -((a - c) * u + (b - c) * v);
  let x = product(u32(abs(slope.x)), u32(unit)); let y = product(u32(abs(slope.y)), u32(unit));
  let z = product(u32(unit * unit * (u.x * u.x + u.y * u.y)), step);
  var most = z;
  if (is_less(most, x)) { most = x; }
  if (is_less(most, y)) { most = y; }
  let by = ((most.x >> 20u) | (most.y << 12u)) + 1u;
  let normal = vec3<u32>(quotient(x, by), quotient(y, by), quotient(z, by));
  let flat = vec2<i32>(normal.xy) * sign(slope);
  let lit = u32(max(2 * i32(normal.z) - flat.x - flat.y, 0));
  let xy = sum(product(normal.x, normal.x), product(normal.y, normal.y));
  let square = sum(xy, product(normal.z, normal.z));
  let triple = sum(sum(square, square), square);
  let light = 60u + 195u * lit / max(long_root_up(sum(triple, triple)), 1u);
  let z8 = (u32(a + b + c) / 3u - least) * 255u / range;
  let tint = vec3<u32>(70u, 120u, 60u) + z8 * vec3<u32>(170u, 110u, 160u) / 255u;
  return tint * light / 255u;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let field = given[1].x; let list = given[1].z;
  let columns = given[2].y; let n_pixels = given[2].z; let scale = given[3].x;
  let pixel = THREADS * number_of(group) + id;
  if (pixel >= n_pixels) { return; }
  // Coordinates in half pixels: the middle of a pixel is an integer. Of the triangles that contain
  // it, the last one is drawn.
  let at = vec2<i32>(vec2<u32>(pixel % columns, pixel / columns)) * 2 + 1;
  var node = 3u; var t = triangle_of(3u);
  if (any(sides_of(t, at) < vec3<i32>(0))) { node = 2u; t = triangle_of(2u); }
  while (node < n_bits() && !is_leaf_node(field, node)) {
    let middle = (t.a + t.b) / 2;
    let right = Triangle(t.b, t.c, middle, 0u);
    if (all(sides_of(right, at) >= vec3<i32>(0))) { node = 2u * node + 1u; t = right; }
    else { node = 2u * node; t = Triangle(t.c, t.a, middle, 0u); }
  }
  var colour = colour_of(t);
  let sides = sides_of(t, at); let unit = unit_of(t);
  let is_dark = is_near(sides.x, t.b, t.c, unit) || is_near(sides.y, t.c, t.a, unit)
    || is_near(sides.z, t.a, t.b, unit);
  if (is_dark && scale > 1u) { colour = colour * 6u / 10u; }
  store(list + pixel, (colour.x << 16u) | (colour.y << 8u) | colour.z);
}
