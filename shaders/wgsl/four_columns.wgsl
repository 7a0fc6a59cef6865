// Limb `k` of four columns of the result of an instruction over lines, at `FOUR_COLUMNS` in the
// control unit and in the kernel of wide lines (Note [Lines] in star-gpu): the result is `u`, and
// is stored if it belongs to the table; `of_w` has their bits of w.
let to = vec4<u32>(at_x + k) + column * stride_x;
var t = vec4<u32>(0u); var p = vec4<u32>(0u); var q = vec4<u32>(0u);
if (join == JOIN_STORE) { t = vec4<u32>(load(to.x), load(to.y), load(to.z), load(to.w)); }
if (k < limbs_v) {
  let at = vec4<u32>(at_v + k) + select(vec4<u32>(0u), column * stride_v, column < vec4<u32>(columns_v));
  p = vec4<u32>(load(at.x), load(at.y), load(at.z), load(at.w));
}
if (k < limbs_y) {
  let at = vec4<u32>(at_y + k) + select(vec4<u32>(0u), column * stride_y, column < vec4<u32>(columns_y));
  q = vec4<u32>(load(at.x), load(at.y), load(at.z), load(at.w));
}
let tables = vec4<u32>(function) >> (of_w << vec4<u32>(4u));
let mask = ones(k, 0, i32(rows));
var u = vec4<u32>(
  chosen(tables.x, t.x, p.x, q.x, s), chosen(tables.y, t.y, p.y, q.y, s), chosen(tables.z, t.z, p.z, q.z, s), chosen(tables.w, t.w, p.w, q.w, s),
) & vec4<u32>(mask);
if (join == JOIN_STORE) {
  if (u.x != t.x) { store(to.x, u.x); }
  if (u.y != t.y) { store(to.y, u.y); }
  if (u.z != t.z) { store(to.z, u.z); }
  if (u.w != t.w) { store(to.w, u.w); }
}
