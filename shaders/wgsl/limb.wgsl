// Limb `k` of a line, at `MAKE_LIMB` in the control unit and in the kernel of wide lines (Note
// [Wide lines] in star-gpu): the result is `u`.
var u = 0u;
let place = i32(k * 32u);
switch (generator) {
  case GEN_LOGIC: {
    var p = 0u; var q = 0u;
    if (has_y) { p = load(at + k); }
    if (has_z) { q = load(at_z + k); }
    u = (p & ((q & t3) | (~q & t2))) | (~p & ((q & t1) | (~q & t0)));
  }
#ifdef RARE
  case GEN_FUNNEL: { if (abs(offset) < 0x7fffffff) { u = funnel(at, bits_y, place + offset); } }
  case GEN_ROTATE: { u = funnel(at, bits_y, place - offset) | funnel(at, bits_y, place - offset + i32(n)); }
  case GEN_MIRROR: { u = reverseBits(funnel(at, bits_y, i32(n) - 32 - place)); }
  case GEN_SHUFFLE: {
    let half = i32(n >> 1u); let start = place >> 1u;
    u = spread(funnel(at, bits_y, start) & ones(0u, 0, half - start)) | (spread(funnel(at, bits_y, half + start)) << 1u);
  }
#endif
  case GEN_MASK: { u = ones(k, offset - 1, last); }
  case GEN_NUMBER: {
    let lowest = i32(n) - 32 - place;
    if (lowest <= -32) { u = 0u; } else if (lowest < 0) { u = reverseBits(b.x << u32(-lowest)); } else { u = reverseBits(shift_right(b, u32(lowest)).x); }
  }
  case GEN_ROW: {
    let row = b.x - 1u; let stride = STRIDE_OF_Y;
    let base = at_y + (row >> 5u);
    let last = vec4<u32>(min(31u, n - k * 32u - 1u));
    // Eight at once, so that loads do not wait for each other.
    for (var j = 0u; j <= last.x; j += 8u) {
      let p = min(vec4<u32>(j) + vec4<u32>(0u, 1u, 2u, 3u), last); let q = min(vec4<u32>(j) + vec4<u32>(4u, 5u, 6u, 7u), last);
      let at_p = vec4<u32>(base) + (vec4<u32>(k * 32u) + p) * stride; let at_q = vec4<u32>(base) + (vec4<u32>(k * 32u) + q) * stride;
      let of_p = vec4<u32>(load(at_p.x), load(at_p.y), load(at_p.z), load(at_p.w));
      let of_q = vec4<u32>(load(at_q.x), load(at_q.y), load(at_q.z), load(at_q.w));
      let bits = (((of_p >> vec4<u32>(row & 31u)) & vec4<u32>(1u)) << p) | (((of_q >> vec4<u32>(row & 31u)) & vec4<u32>(1u)) << q);
      u |= bits.x | bits.y | bits.z | bits.w;
    }
  }
  case GEN_LITERAL: { u = near(LITERAL_AT + k); }
#ifdef RARE
  case GEN_REPLACE: {
    let mask = ones(k, offset, offset + i32(bits_y));
    u = (load(at_x + k) & ~mask) | (funnel(at, bits_y, place - offset) & mask);
  }
#endif
  default: {}
}
u &= ones(k, 0, i32(n));
