// An instruction over lines (Note [Lines] in star-gpu), at `OVER_LINES` in the control unit.
//
// The limbs of columns that may change at all, and the columns, are listed first: the work of a
// thread is four columns of a limb, so that loads do not wait for each other. A row of the result
// is one function for columns with a one in w, another one for the others. If that is too much for
// a workgroup, or cannot be listed, the kernel of wide lines runs it (`leaves.wgsl`).
let ow = P.w >> 16u; let function = Q.x;
let join = (table & 3u) | ((table & 8u) >> 1u); let is_word = (table & 4u) != 0u;
var dw = 0u; var at_w = 0u; var limbs_w = 0u;
if (ow != NO_OBJECT) { dw = descriptor(frame, ow); at_w = near(dw + D_AT); limbs_w = (near(dw + D_ROWS) + 31u) >> 5u; }
var at_z = 0u; var limbs_z = 0u;
if (oz != NO_OBJECT) { at_z = near(dz + D_AT); limbs_z = (near(dz + D_ROWS) + 31u) >> 5u; }
var stride_y = 0u; var columns_y = 0u; let limbs_y = (bits_y + 31u) >> 5u;
if (oy != NO_OBJECT) { stride_y = near(dy + D_STRIDE); columns_y = near(dy + D_COLUMNS); }
// Another table.
let ov = Q.w & 0xffffu;
var at_v = 0u; var stride_v = 0u; var columns_v = 0u; var limbs_v = 0u;
if (ov != NO_OBJECT) {
  let dv = descriptor(frame, ov);
  at_v = near(dv + D_AT); stride_v = near(dv + D_STRIDE); columns_v = near(dv + D_COLUMNS); limbs_v = (near(dv + D_ROWS) + 31u) >> 5u;
}
var at_x = near(dx + D_AT); let stride_x = near(dx + D_STRIDE);
// A field of x, or of y.
if (rc != NO_REG) {
  if (is_word) { at_x += c.x * stride_x; } else { at_y += c.x * stride_y; columns_y -= min(c.x, columns_y); }
}
let rows = a.x; let columns = b.x; let limbs = (rows + 31u) >> 5u;
var leaves = limbs != 0u && columns != 0u && (limbs > MOST_LISTED || columns > MOST_LISTED);
if (join == JOIN_COUNT) { r[rd] = vec2<u32>(0u); }
loop {
  if (leaves || limbs == 0u) { break; }
  // The part with an effect.
  let acts = function ^ select(0u, 0xff00ff00u, join == JOIN_STORE);
  let by_ones = 0u - select(0u, 1u, (acts & 0xffff0000u) != 0u);
  let by_zeros = 0u - select(0u, 1u, (acts & 0xffffu) != 0u);
  let n_words = (columns + 31u) >> 5u;
  for (var k = id; k < limbs; k += THREADS) {
    var s = 0u;
    if (k < limbs_z) { s = load(at_z + k); }
    if (s != 0u || (acts & 0x55555555u) != 0u) { limb_list[atomicAdd(&n_limbs, 1u)] = k; }
  }
  for (var i = id; i < n_words; i += THREADS) {
    var w = 0u;
    if (i < limbs_w) { w = load(at_w + i); }
    var some = ones(i, 0, clamped(b)) & ((w & by_ones) | (~w & by_zeros));
    var place = atomicAdd(&n_columns, countOneBits(some));
    for (; some != 0u; some &= some - 1u) {
      let bit = firstTrailingBit(some);
      column_list[place] = (i << 6u) | (bit << 1u) | ((w >> bit) & 1u);
      place++;
    }
  }
  workgroupBarrier();
  if (id == 0u) {
    exchanged = vec4<u32>(atomicLoad(&n_limbs), atomicLoad(&n_columns), 0u, 0u);
    atomicStore(&n_limbs, 0u); atomicStore(&n_columns, 0u);
  }
  let listed = workgroupUniformLoad(&exchanged);
  let n_fours = (listed.y + 3u) >> 2u; let n_items = listed.x * n_fours;
  budget -= i32(33u * ((n_words + THREADS - 1u) / THREADS) + limbs / THREADS + 16u);
  if (n_items > begin[S_WIDE_ITEMS]) { leaves = true; break; }
  budget -= i32(16u * ((n_items + THREADS - 1u) / THREADS));
  for (var i = id; i < n_items; i += THREADS) {
    let k = limb_list[i % listed.x];
    let places = vec4<u32>(4u * (i / listed.x)) + vec4<u32>(0u, 1u, 2u, 3u);
    let is_one = places < listed.yyyy;
    let safe = min(places, vec4<u32>(listed.y - 1u));
    let entries = vec4<u32>(column_list[safe.x], column_list[safe.y], column_list[safe.z], column_list[safe.w]);
    let column = entries >> vec4<u32>(1u); let of_w = entries & vec4<u32>(1u);
    var s = 0u;
    if (k < limbs_z) { s = load(at_z + k); }
FOUR_COLUMNS
    if (join != JOIN_STORE) {
      u = select(vec4<u32>(0u), u, is_one);
      if (join == JOIN_COUNT) {
        let ones_of = countOneBits(u);
        atomicAdd(&total, ones_of.x + ones_of.y + ones_of.z + ones_of.w);
      } else if (is_word) {
        // A bit for each column.
        var has = u != vec4<u32>(0u);
        if (join == JOIN_XOR) { has = (countOneBits(u) & vec4<u32>(1u)) != vec4<u32>(0u); }
        let ones_of = select(vec4<u32>(0u), vec4<u32>(1u) << (column & vec4<u32>(31u)), has);
        if (has.x) { join_in(column.x >> 5u, ones_of.x, join); }
        if (has.y) { join_in(column.y >> 5u, ones_of.y, join); }
        if (has.z) { join_in(column.z >> 5u, ones_of.z, join); }
        if (has.w) { join_in(column.w >> 5u, ones_of.w, join); }
      } else if (join == JOIN_XOR) { join_in(k, u.x ^ u.y ^ u.z ^ u.w, join); }
      else { join_in(k, u.x | u.y | u.z | u.w, join); }
    }
  }
  workgroupBarrier();
  if (join == JOIN_COUNT) {
    // At most 2²⁵.
    if (id == 0u) { exchanged = vec4<u32>(atomicLoad(&total), 0u, 0u, 0u); atomicStore(&total, 0u); }
    r[rd] = vec2<u32>(workgroupUniformLoad(&exchanged).x, 0u);
  } else if (join != JOIN_STORE) {
    let n = select(limbs, n_words, is_word);
    for (var i = id; i < n; i += THREADS) {
      let u = atomicLoad(&joined[i]);
      if (u != 0u) { atomicStore(&joined[i], 0u); store(at_x + i, joined_with(load(at_x + i), u, join)); }
    }
    workgroupBarrier();
  }
  break;
}
if (leaves) { status = WIDE; pc--; } else { lines += (P.x >> 12u) & 1u; }
