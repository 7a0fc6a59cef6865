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
  let strides = vec2<u32>(load(record + STRIDES), load(record + STRIDES + 1u));
  let steps = select(strides, vec2<u32>(0u) - strides, delta < vec2<i32>(0));
  var at = load(record + GRADIENT) + u32(start.x) * strides.x + u32(start.y) * strides.y;
  var total = vec2<u32>(0u);
  // 2 * t * |delta| + n: each time that another 2 * n is reached, the next pixel is one further.
  var left = vec2<u32>(n);
  for (var t = 0u; t <= n; t++) {
    let vector = load(at);
    let across = (i32(vector << 16u) >> 16u) * delta.y - (i32(vector) >> 16u) * delta.x;
    let before = total.x;
    total.x += u32(abs(across));
    total.y += select(0u, 1u, total.x < before);
    left += 2u * size;
    let moves = left >= vec2<u32>(2u * n);
    left -= select(vec2<u32>(0u), vec2<u32>(2u * n), moves);
    at += select(0u, steps.x, moves.x) + select(0u, steps.y, moves.y);
  }
  let high = (total.y << 12u) | (total.x >> 20u); let low = total.x << 12u;
  // Long division by digits of 8 bits: the length is below 2^24, and the quotient below 2^31.
  let length = root_of(size.x * size.x + size.y * size.y);
  var quotient = 0u; var rest = 0u;
  for (var by = 56u; by > 0u; by -= 8u) {
    let digit = select(low >> ((by - 8u) & 31u), high >> ((by - 8u) & 31u), by > 32u);
    rest = (rest << 8u) | (digit & 0xffu);
    quotient = (quotient << 8u) | (rest / length);
    rest %= length;
  }
  return quotient;
}
