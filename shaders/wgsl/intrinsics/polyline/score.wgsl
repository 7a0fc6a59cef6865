// The score of a link, included by the kernels that compute scores.

// Returns the square root, rounded down, of 2^20 times a number below 2^28.
fn root_of(squared: u32) -> u32 {
  let most = vec2<u32>(squared << 20u, squared >> 12u);
  var root = u32(sqrt(f32(squared)) * 1024.0);
  while (is_less(most, product(root, root))) { root--; }
  while (!is_less(most, product(root + 1u, root + 1u))) { root++; }
  return root;
}

// Returns the sum of |u * dy - v * dx| over the pixels of a link, times 2^12, divided by its length
// in units of 2^-10.
fn score_of(record: u32, start: vec2<i32>, end: vec2<i32>) -> u32 {
  let delta = end - start;
  let size = vec2<u32>(abs(delta));
  let n = max(size.x, size.y);
  if (n == 0u) { return 0u; }
  let length = root_of(size.x * size.x + size.y * size.y);
  let strides = vec2<u32>(load(record + STRIDES), load(record + STRIDES + 1u));
  let steps = select(strides, vec2<u32>(0u) - strides, delta < vec2<i32>(0));
  var at = load(record + GRADIENT) + u32(start.x) * strides.x + u32(start.y) * strides.y;
  // Each step leads to the next pixel of the longer side.
  let is_flat = size.x >= size.y;
  let along = select(steps.y, steps.x, is_flat);
  let across = select(steps.x, steps.y, is_flat);
  let more = 2u * min(size.x, size.y);
  // 2 * t * (shorter side) + n: each time that another 2 * n is reached, the next pixel is also one
  // further on the other side.
  var left = n;
  var total = vec2<u32>(0u);
  // Terms are at most 2^14 times the length, so the sums of these parts are below 2^32.
  let part = max((1u << 27u) / length, 1u);
  var rest_pixels = n + 1u;
  while (rest_pixels > 0u) {
    let n_pixels = min(rest_pixels, part);
    var sum = 0u;
    for (var t = 0u; t < n_pixels; t++) {
      let vector = load(at);
      sum += u32(abs((i32(vector << 16u) >> 16u) * delta.y - (i32(vector) >> 16u) * delta.x));
      left += more;
      let moves = left >= 2u * n;
      left -= select(0u, 2u * n, moves);
      at += along + select(0u, across, moves);
    }
    rest_pixels -= n_pixels;
    total.x += sum;
    total.y += select(0u, 1u, total.x < sum);
  }
  let high = (total.y << 12u) | (total.x >> 20u); let low = total.x << 12u;
  // Long division by digits of 8 bits: the length is below 2^24, and the quotient below 2^31.
  var quotient = 0u; var rest = 0u;
  for (var by = 56u; by > 0u; by -= 8u) {
    let digit = select(low >> ((by - 8u) & 31u), high >> ((by - 8u) & 31u), by > 32u);
    rest = (rest << 8u) | (digit & 0xffu);
    quotient = (quotient << 8u) | (rest / length);
    rest %= length;
  }
  return quotient;
}
