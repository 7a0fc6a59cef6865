// The radii of all triangles of a level, alone and with those below; they replace the errors. A
// thread has a node.

const FARTHEST = 2097152u;

fn or_always(radius: u32) -> u32 { return select(radius, ALWAYS, radius > FARTHEST); }

// Returns the square root, rounded up, of a number below 2^31.
fn root_up(square: u32) -> u32 {
  var root = 0u;
  for (var bit = 0x8000u; bit > 0u; bit >>= 1u) {
    if ((root + bit) * (root + bit) <= square) { root += bit; }
  }
  return root + select(0u, 1u, root * root < square);
}

fn distance2(a: vec2<i32>, b: vec2<i32>) -> u32 {
  let away = a - b;
  return u32(away.x * away.x + away.y * away.y);
}

// Returns near * error / tolerance, rounded up, or more than FARTHEST.
fn reach(near: u32, error: u32, tolerance: u32) -> u32 {
  let all = product(near, error);
  if (is_less(product(FARTHEST, tolerance), all)) { return FARTHEST + 1u; }
  var below = 0u;
  for (var bit = FARTHEST; bit > 0u; bit >>= 1u) {
    if (is_less(product(below + bit, tolerance), all)) { below += bit; }
  }
  return below + 1u;
}

fn own_radius(t: Triangle, error: u32) -> u32 {
  let size = given[2].xy; let tolerance = given[2].z; let near = given[2].w;
  if (is_outside(t, size)) { return 0u; }
  if (any(max(max(t.a, t.b), t.c) >= vec2<i32>(size))) { return ALWAYS; }
  if (error <= tolerance) { return 0u; }
  if (near == 0u || tolerance == 0u) { return ALWAYS; }
  let middle = (t.a + t.b) / 2;
  let far = max(max(distance2(middle, t.a), distance2(middle, t.b)), distance2(middle, t.c));
  return or_always(reach(near, error, tolerance) + root_up(far) + 1u);
}

// Returns the radius of a diamond that contains that of a child with this longest edge.
fn above(child: u32, middle: vec2<i32>, a: vec2<i32>, b: vec2<i32>) -> u32 {
  if (child < 2u) { return 0u; }
  let radius = load(given[1].y + child);
  if (radius == 0u || radius == ALWAYS) { return radius; }
  return or_always(radius + root_up(distance2(middle, (a + b) / 2)));
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let errors = given[1].x; let first = given[1].z;
  let node = first + THREADS * number_of(group) + id;
  if (node >= 2u * first) { return; }
  let t = triangle_of(node);
  var radius = own_radius(t, load(errors + node));
  if (2u * first < n_bits()) {
    let middle = (t.a + t.b) / 2; let other = t.a + t.b - t.c;
    radius = max(radius, above(2u * node, middle, t.c, t.a));
    radius = max(radius, above(2u * node + 1u, middle, t.b, t.c));
    radius = max(radius, above(2u * t.across, middle, other, t.b));
    radius = max(radius, above(2u * t.across + 1u, middle, t.a, other));
  }
  store(errors + node, radius);
}
