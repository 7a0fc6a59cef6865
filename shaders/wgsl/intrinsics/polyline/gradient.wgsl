// Unit gradients of an image by Sobel's operator: vectors of length 2^14 or zero, with both
// components in a word, the one to the right in its lower half. A thread has a pixel.

// Returns 2^14 * component / sqrt(squared), rounded to the nearest; a component is below 2^14.
fn part_of(component: i32, squared: u32) -> i32 {
  let size = u32(abs(component));
  let square = size * size;
  let most = vec2<u32>(square << 30u, square >> 2u);
  // The greatest root with root^2 * squared <= 2^30 * component^2, which is twice the result.
  var root = u32(f32(size) * inverseSqrt(f32(squared)) * 32768.0);
  while (is_less(most, product(root * root, squared))) { root--; }
  while (!is_less(most, product((root + 1u) * (root + 1u), squared))) { root++; }
  return i32((root + 1u) / 2u) * sign(component);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let to = given[1].w; let strides = given[2].xy;
  let place = place_of(THREADS * number_of(group) + id);
  if (place.y >= i32(given[1].z)) { return; }
  let x = place.x; let y = place.y;
  let corners = vec4<i32>(vec4<u32>(pixel(x - 1, y - 1), pixel(x + 1, y - 1), pixel(x - 1, y + 1), pixel(x + 1, y + 1)));
  let sides = vec4<i32>(vec4<u32>(pixel(x - 1, y), pixel(x + 1, y), pixel(x, y - 1), pixel(x, y + 1)));
  let right = corners.y + corners.w + 2 * sides.y - corners.x - corners.z - 2 * sides.x;
  let down = corners.z + corners.w + 2 * sides.w - corners.x - corners.y - 2 * sides.z;
  let squared = u32(right * right + down * down);
  var u = 0; var v = 0;
  if (squared != 0u) { u = part_of(right, squared); v = part_of(down, squared); }
  let at = u32(x) * strides.x + u32(y) * strides.y;
  store(to + at, (u32(u) & 0xffffu) | (u32(v) << 16u));
}
