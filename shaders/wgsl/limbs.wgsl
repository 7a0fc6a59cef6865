// Generators of the limbs of a line, for the control unit and for the kernel of wide lines (Note
// [Wide lines] in star-gpu).

const NOTHING = 0xffffffffu;

fn negative(a: vec2<u32>) -> bool { return (a.y & 0x80000000u) != 0u; }
fn shift_right(a: vec2<u32>, by: u32) -> vec2<u32> {
  if (by == 0u) { return a; }
  if (by >= 64u) { return vec2<u32>(0u); }
  if (by >= 32u) { return vec2<u32>(a.y >> (by - 32u), 0u); }
  return vec2<u32>((a.x >> by) | (a.y << (32u - by)), a.y >> by);
}
// Returns the components `position` + 1 … + 32 of `n` that begin at `at`; zeros outside.
fn funnel(at: u32, n: u32, position: i32) -> u32 {
  let limb = position >> 5u; let by = u32(position & 31);
  let limbs = i32((n + 31u) >> 5u);
  var low = 0u; var high = 0u;
  if (limb >= 0 && limb < limbs) { low = load(at + u32(limb)); }
  if (by == 0u) { return low; }
  if (limb + 1 >= 0 && limb + 1 < limbs) { high = load(at + u32(limb + 1)); }
  return (low >> by) | (high << (32u - by));
}
// Returns ones in the bits of limb `k` that are in `start` .. `to`, both counted from 0, excluding
// `to`.
fn ones(k: u32, start: i32, to: i32) -> u32 {
  let begin = i32(k * 32u);
  let lo = clamp(start - begin, 0, 32); let hi = clamp(to - begin, 0, 32);
  if (lo >= hi) { return 0u; }
  let upper = select((1u << u32(hi)) - 1u, NOTHING, hi == 32);
  return upper & ~((1u << u32(lo)) - 1u);
}
fn spread(bits: u32) -> u32 {
  var u = bits & 0xffffu;
  u = (u | (u << 8u)) & 0x00ff00ffu; u = (u | (u << 4u)) & 0x0f0f0f0fu;
  u = (u | (u << 2u)) & 0x33333333u; return (u | (u << 1u)) & 0x55555555u;
}
fn clamped(a: vec2<u32>) -> i32 {
  if (negative(a)) { return select(-0x7fffffff, i32(a.x), a.y == NOTHING && a.x > 0x80000000u); }
  return select(0x7fffffff, i32(a.x), a.y == 0u && a.x < 0x80000000u);
}
// Evaluates a function of limbs: bit 8t + 4p + 2q + s of the table is its value for t, p, q and s.
fn chosen(table: u32, t: u32, p: u32, q: u32, s: u32) -> u32 {
  let in_s = vec4<u32>(s); let places = vec4<u32>(0u, 2u, 4u, 6u);
  let low = select_by(table, places, in_s); let high = select_by(table >> 8u, places, in_s);
  let of_q = (low & vec4<u32>(~t)) | (high & vec4<u32>(t));
  return (~p & ((~q & of_q.x) | (q & of_q.y))) | (p & ((~q & of_q.z) | (q & of_q.w)));
}
// Selects one bit of each pair of bits of the table by s.
fn select_by(table: u32, places: vec4<u32>, s: vec4<u32>) -> vec4<u32> {
  let pairs = vec4<u32>(table) >> places;
  let zeros = vec4<u32>(0u) - (pairs & vec4<u32>(1u)); let ones = vec4<u32>(0u) - ((pairs >> vec4<u32>(1u)) & vec4<u32>(1u));
  return (zeros & ~s) | (ones & s);
}
// Returns a limb of the result to which lines are joined.
fn joined_with(before: u32, u: u32, join: u32) -> u32 {
  switch (join) {
    case JOIN_OR: { return before | u; }
    case JOIN_XOR: { return before ^ u; }
    default: { return before & ~u; }
  }
}
