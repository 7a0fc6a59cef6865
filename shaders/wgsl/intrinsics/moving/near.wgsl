// The circle around a point, included by the kernels of nearest objects. Their parameters after
// those of records: coordinates of the points, their radii, marks of those whose circle is large
// enough; how many points and how many objects are wanted.

const GREATEST = 1073741823;

// Returns how far the plane extends from a coordinate: downwards and upwards.
fn room_of(c: vec2<i32>) -> vec4<u32> {
  return vec4<u32>(bitcast<vec2<u32>>(c + GREATEST), bitcast<vec2<u32>>(GREATEST - c));
}

fn point_of(idx: u32) -> vec2<i32> {
  return vec2<i32>(vec2<u32>(load(given[6].x + idx), load(given[6].y + idx)));
}
fn radius_of(idx: u32) -> u32 { return load(given[6].z + idx); }

fn distance2(a: vec2<i32>, b: vec2<i32>) -> vec2<u32> {
  let away = bitcast<vec2<u32>>(max(a, b)) - bitcast<vec2<u32>>(min(a, b));
  return sum(product(away.x, away.x), product(away.y, away.y));
}

// Walks over the square around the circle of a point, whose radius covers everything if `room` is
// not greater.
fn walk_around(idx: u32, id: u32) {
  let at = point_of(idx); let room = room_of(at); let radius = radius_of(idx);
  let by = bitcast<vec4<i32>>(min(room, vec4<u32>(radius)));
  walk(at - by.xy, at + by.zw, id, 0u, 1u);
}
fn is_all(idx: u32) -> bool { return all(room_of(point_of(idx)) <= vec4<u32>(radius_of(idx))); }
fn is_near(idx: u32, at: vec2<i32>) -> bool {
  let radius = radius_of(idx);
  return is_all(idx) || !is_less(product(radius, radius), distance2(point_of(idx), at));
}
