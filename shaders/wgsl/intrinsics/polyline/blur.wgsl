// One smoothing of an image: (1 2 1; 2 4 2; 1 2 1), divided by 2^shift and rounded. A thread has a
// pixel.

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let to = given[1].w; let shift = given[2].x;
  let place = place_of(THREADS * number_of(group) + id);
  if (place.y >= i32(given[1].z)) { return; }
  var sum = 0u;
  for (var dy = -1; dy <= 1; dy++) {
    let y = place.y + dy;
    let line = pixel(place.x - 1, y) + 2u * pixel(place.x, y) + pixel(place.x + 1, y);
    sum += line << select(0u, 1u, dy == 0);
  }
  store(to + u32(place.y) * given[1].y + u32(place.x), (sum + ((1u << shift) >> 1u)) >> shift);
}
