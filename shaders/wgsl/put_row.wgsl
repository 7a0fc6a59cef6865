// Row `last` of a table is set to the components of a word, at `PUT_ROW` in the control unit and in
// the kernel of wide lines (Note [Wide lines] in star-gpu): those of columns `first`, `first` +
// `step` … of `n`.
let limb = u32(last - 1) >> 5u; let bit = 1u << (u32(last - 1) & 31u);
for (var j = first; j < n; j += 4u * step) {
  // Four at once, so that loads do not wait for each other; beyond the last column, the thread's
  // column again.
  let wanted = vec4<u32>(j) + vec4<u32>(0u, step, 2u * step, 3u * step);
  let column = select(vec4<u32>(j), wanted, wanted < vec4<u32>(n));
  let to = vec4<u32>(at_x + limb) + column * stride_x; let of_y = vec4<u32>(at) + (column >> vec4<u32>(5u));
  let before = vec4<u32>(load(to.x), load(to.y), load(to.z), load(to.w));
  let word = vec4<u32>(load(of_y.x), load(of_y.y), load(of_y.z), load(of_y.w));
  let ones = (word >> (column & vec4<u32>(31u))) & vec4<u32>(1u);
  let u = select(before & vec4<u32>(~bit), before | vec4<u32>(bit), ones != vec4<u32>(0u));
  if (u.x != before.x) { store(to.x, u.x); }
  if (u.y != before.y) { store(to.y, u.y); }
  if (u.z != before.z) { store(to.z, u.z); }
  if (u.w != before.w) { store(to.w, u.w); }
}
