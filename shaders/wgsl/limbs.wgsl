// How limbs of a line are made, for the control unit and for the kernel of wide lines (Note [Wide lines] in star-gpu).

const NOTHING = 0xffffffffu;

fn negative(a: vec2<u32>) -> bool { return (a.y & 0x80000000u) != 0u; }
fn shift_right(a: vec2<u32>, by: u32) -> vec2<u32> {
  if (by == 0u) { return a; }
  if (by >= 64u) { return vec2<u32>(0u); }
  if (by >= 32u) { return vec2<u32>(a.y >> (by - 32u), 0u); }
  return vec2<u32>((a.x >> by) | (a.y << (32u - by)), a.y >> by);
}
// The components `position` + 1 … + 32 of `n` that begin at `at`; zeros outside.
fn funnel(at: u32, n: u32, position: i32) -> u32 {
  let limb = position >> 5u; let by = u32(position & 31);
  let limbs = i32((n + 31u) >> 5u);
  var low = 0u; var high = 0u;
  if (limb >= 0 && limb < limbs) { low = load(at + u32(limb)); }
  if (by == 0u) { return low; }
  if (limb + 1 >= 0 && limb + 1 < limbs) { high = load(at + u32(limb + 1)); }
  return (low >> by) | (high << (32u - by));
}
// Ones in the places of limb `k` that lie in `start` .. `to`, both counted from 0, `to` left out.
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

// A line that is made: addresses, sizes and numbers of an instruction. What is absent lies at 0, which is nobody's.
struct Line {
  // The first word of the instruction.
  kind: u32,
  n: u32,
  at_x: u32, at_y: u32, at_z: u32,
  bits_y: u32, stride_y: u32,
  b: vec2<u32>,
  last: i32,
  literals: u32,
  behind: u32,
}
// Limb `k` of it.
fn made(line: Line, k: u32) -> u32 {
  let place = i32(k * 32u); let n = line.n; let offset = clamped(line.b);
  var u = 0u;
  switch ((line.kind >> 12u) & 15u) {
    case GEN_LOGIC: {
      let table = vec4<u32>(0u) - ((vec4<u32>(line.kind) >> vec4<u32>(8u, 9u, 10u, 11u)) & vec4<u32>(1u));
      var p = 0u; var q = 0u;
      if (line.at_y != 0u) { p = load(line.at_y + k); }
      if (line.at_z != 0u) { q = load(line.at_z + k); }
      u = (p & ((q & table.w) | (~q & table.z))) | (~p & ((q & table.y) | (~q & table.x)));
    }
    case GEN_FUNNEL: { if (abs(offset) < 0x7fffffff) { u = funnel(line.at_y, line.bits_y, place + offset); } }
    case GEN_ROTATE: { u = funnel(line.at_y, line.bits_y, place - offset) | funnel(line.at_y, line.bits_y, place - offset + i32(n)); }
    case GEN_MIRROR: { u = reverseBits(funnel(line.at_y, line.bits_y, i32(n) - 32 - place)); }
    case GEN_SHUFFLE: {
      let half = i32(n >> 1u); let start = place >> 1u;
      u = spread(funnel(line.at_y, line.bits_y, start) & ones(0u, 0, half - start)) | (spread(funnel(line.at_y, line.bits_y, half + start)) << 1u);
    }
    case GEN_MASK: { u = ones(k, offset - 1, line.last); }
    case GEN_NUMBER: {
      let lowest = i32(n) - 32 - place;
      if (lowest <= -32) { u = 0u; } else if (lowest < 0) { u = reverseBits(line.b.x << u32(-lowest)); } else { u = reverseBits(shift_right(line.b, u32(lowest)).x); }
    }
    case GEN_ROW: {
      let row = line.b.x - 1u;
      let base = line.at_y + (row >> 5u);
      let last = vec4<u32>(min(31u, n - k * 32u - 1u));
      // Eight at once: a load does not wait for another.
      for (var j = 0u; j <= last.x; j += 8u) {
        let p = min(vec4<u32>(j) + vec4<u32>(0u, 1u, 2u, 3u), last); let q = min(vec4<u32>(j) + vec4<u32>(4u, 5u, 6u, 7u), last);
        let at_p = vec4<u32>(base) + (vec4<u32>(k * 32u) + p) * line.stride_y; let at_q = vec4<u32>(base) + (vec4<u32>(k * 32u) + q) * line.stride_y;
        let of_p = vec4<u32>(load(at_p.x), load(at_p.y), load(at_p.z), load(at_p.w));
        let of_q = vec4<u32>(load(at_q.x), load(at_q.y), load(at_q.z), load(at_q.w));
        let bits = (((of_p >> vec4<u32>(row & 31u)) & vec4<u32>(1u)) << p) | (((of_q >> vec4<u32>(row & 31u)) & vec4<u32>(1u)) << q);
        u |= bits.x | bits.y | bits.z | bits.w;
      }
    }
    case GEN_LITERAL: { u = near(line.literals + k); }
    case GEN_REPLACE: {
      let mask = ones(k, offset, offset + i32(line.bits_y));
      u = (load(line.at_x + k) & ~mask) | (funnel(line.at_y, line.bits_y, place - offset) & mask);
    }
    default: {}
  }
  return u & ones(k, 0, i32(n));
}
// Makes every `step`th limb from `first` on. The place of the first component that is sought, and how many there are.
fn make_limbs(line: Line, first: u32, step: u32) -> vec2<u32> {
  let reduce = (line.kind >> 16u) & 15u; let limbs = (line.n + 31u) >> 5u;
  var nearest = NOTHING; var count = 0u;
  for (var k = first; k < limbs; k += step) {
    var u = made(line, k);
    if ((line.kind & 0x100000u) != 0u) { store(line.at_x + k, u); }
    if (reduce == RED_COUNT) { count += countOneBits(u); }
    else if (reduce != RED_NOTHING) {
      if (line.behind != 0u) { u &= ~ones(k, 0, i32(line.behind)); }
      if (u != 0u && nearest == NOTHING) { nearest = k * 32u + firstTrailingBit(u); }
    }
  }
  return vec2<u32>(nearest, count);
}
