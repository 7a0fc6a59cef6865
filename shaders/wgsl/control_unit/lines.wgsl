// An instruction over lines (Note [Lines] in star-gpu), at `OVER_LINES` in the control unit.
//
// The limbs of columns that may change at all, and the columns, are listed first: what a thread does there is four columns of
// a limb, so that one load does not wait for another. A row of the result is one function for columns with a one in w, another
// one for the others.
let ow = P.w >> 16u; let function = Q.x;
let join = (table & 3u) | ((table & 8u) >> 1u); let is_word = (table & 4u) != 0u;
var dw = 0u; var at_w = 0u; var limbs_w = 0u;
if (ow != NO_OBJECT) { dw = descriptor(frame, ow); at_w = near(dw + D_AT); limbs_w = (near(dw + D_ROWS) + 31u) >> 5u; }
var at_z = 0u; var limbs_z = 0u;
if (oz != NO_OBJECT) { at_z = near(dz + D_AT); limbs_z = (near(dz + D_ROWS) + 31u) >> 5u; }
var stride_y = 0u; var columns_y = 0u; let limbs_y = (bits_y + 31u) >> 5u;
if (oy != NO_OBJECT) { stride_y = near(dy + D_STRIDE); columns_y = near(dy + D_COLUMNS); }
// Joined are limbs of two tables.
let ov = Q.w & 0xffffu;
var at_v = 0u; var stride_v = 0u; var columns_v = 0u; var limbs_v = 0u;
if (ov != NO_OBJECT) {
  let dv = descriptor(frame, ov);
  at_v = near(dv + D_AT); stride_v = near(dv + D_STRIDE); columns_v = near(dv + D_COLUMNS); limbs_v = (near(dv + D_ROWS) + 31u) >> 5u;
}
let at_x = near(dx + D_AT); let stride_x = near(dx + D_STRIDE);
// What leaves everything as it is.
let acts = function ^ select(0u, 0xf0f0u, join == JOIN_STORE);
let by_ones = 0u - select(0u, 1u, (acts & 0xff00u) != 0u);
let by_zeros = 0u - select(0u, 1u, (acts & 0x00ffu) != 0u);
let rows = a.x; let columns = b.x; let limbs = (rows + 31u) >> 5u;
let n_across = (limbs + MOST_LISTED - 1u) / MOST_LISTED;
let n_turns = n_across * ((columns + MOST_LISTED - 1u) / MOST_LISTED);
var turn = c.x;
if (join == JOIN_COUNT && turn == 0u) { r[rd] = vec2<u32>(0u); }
loop {
  if (turn >= n_turns) { break; }
  let first_limb = MOST_LISTED * (turn % n_across); let first_column = MOST_LISTED * (turn / n_across);
  let has_limbs = min(MOST_LISTED, limbs - first_limb);
  let has_words = (min(MOST_LISTED, columns - first_column) + 31u) >> 5u;
  for (var i = id; i < has_limbs; i += THREADS) {
    let k = first_limb + i;
    var s = 0u;
    if (k < limbs_z) { s = load(at_z + k); }
    if (s != 0u || (acts & 0x5555u) != 0u) { limb_list[atomicAdd(&n_limbs, 1u)] = k; }
  }
  for (var i = id; i < has_words; i += THREADS) {
    let k = (first_column >> 5u) + i;
    var w = 0u;
    if (k < limbs_w) { w = load(at_w + k); }
    var some = ones(k, 0, clamped(b)) & ((w & by_ones) | (~w & by_zeros));
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
  budget -= i32(16u * ((n_items + THREADS - 1u) / THREADS) + 33u * ((has_words + THREADS - 1u) / THREADS) + has_limbs / THREADS + 16u);
  for (var i = id; i < n_items; i += THREADS) {
    let k = limb_list[i % listed.x];
    let places = vec4<u32>(4u * (i / listed.x)) + vec4<u32>(0u, 1u, 2u, 3u);
    let is_one = places < listed.yyyy;
    let safe = min(places, vec4<u32>(listed.y - 1u));
    let entries = vec4<u32>(column_list[safe.x], column_list[safe.y], column_list[safe.z], column_list[safe.w]);
    let behind = entries >> vec4<u32>(1u); let column = behind + vec4<u32>(first_column);
    var s = 0u; var p = vec4<u32>(0u); var q = vec4<u32>(0u);
    let at = vec4<u32>(at_x + k) + column * stride_x;
    if (k < limbs_z) { s = load(at_z + k); }
    if (join == JOIN_STORE) { p = vec4<u32>(load(at.x), load(at.y), load(at.z), load(at.w)); }
    if (k < limbs_v) {
      let at = vec4<u32>(at_v + k) + select(vec4<u32>(0u), column * stride_v, column < vec4<u32>(columns_v));
      p = vec4<u32>(load(at.x), load(at.y), load(at.z), load(at.w));
    }
    if (k < limbs_y) {
      let at = vec4<u32>(at_y + k) + select(vec4<u32>(0u), column * stride_y, column < vec4<u32>(columns_y));
      q = vec4<u32>(load(at.x), load(at.y), load(at.z), load(at.w));
    }
    let tables = vec4<u32>(function) >> ((entries & vec4<u32>(1u)) << vec4<u32>(3u));
    let mask = ones(k, 0, clamped(a));
    var u = vec4<u32>(chosen(tables.x, p.x, q.x, s), chosen(tables.y, p.y, q.y, s), chosen(tables.z, p.z, q.z, s), chosen(tables.w, p.w, q.w, s)) & vec4<u32>(mask);
    if (join == JOIN_STORE) {
      if (u.x != p.x) { store(at.x, u.x); }
      if (u.y != p.y) { store(at.y, u.y); }
      if (u.z != p.z) { store(at.z, u.z); }
      if (u.w != p.w) { store(at.w, u.w); }
    } else {
      u = select(vec4<u32>(0u), u, is_one);
      if (join == JOIN_COUNT) {
        let ones_of = countOneBits(u);
        atomicAdd(&total, ones_of.x + ones_of.y + ones_of.z + ones_of.w);
      } else if (is_word) {
        // A bit for each column.
        var has = u != vec4<u32>(0u);
        if (join == JOIN_XOR) { has = (countOneBits(u) & vec4<u32>(1u)) != vec4<u32>(0u); }
        let ones_of = select(vec4<u32>(0u), vec4<u32>(1u) << (behind & vec4<u32>(31u)), has);
        if (has.x) { join_in(behind.x >> 5u, ones_of.x, join); }
        if (has.y) { join_in(behind.y >> 5u, ones_of.y, join); }
        if (has.z) { join_in(behind.z >> 5u, ones_of.z, join); }
        if (has.w) { join_in(behind.w >> 5u, ones_of.w, join); }
      } else if (join == JOIN_XOR) { join_in(k - first_limb, u.x ^ u.y ^ u.z ^ u.w, join); }
      else { join_in(k - first_limb, u.x | u.y | u.z | u.w, join); }
    }
  }
  workgroupBarrier();
  if (join == JOIN_COUNT) {
    // At most 2²⁵ in a turn.
    if (id == 0u) { exchanged = vec4<u32>(atomicLoad(&total), 0u, 0u, 0u); atomicStore(&total, 0u); }
    r[rd] = add(r[rd], vec2<u32>(workgroupUniformLoad(&exchanged).x, 0u));
  } else if (join != JOIN_STORE) {
    let n = select(has_limbs, has_words, is_word);
    let start = at_x + select(first_limb, first_column >> 5u, is_word);
    for (var i = id; i < n; i += THREADS) {
      let u = atomicLoad(&joined[i]);
      if (u != 0u) {
        let before = load(start + i);
        atomicStore(&joined[i], 0u);
        switch (join) {
          case JOIN_OR: { store(start + i, before | u); }
          case JOIN_XOR: { store(start + i, before ^ u); }
          default: { store(start + i, before & ~u); }
        }
      }
    }
    workgroupBarrier();
  }
  turn++;
  if (budget <= 0) { break; }
}
// It goes on in the next dispatch, or is done.
if (turn < n_turns) { r[rc] = vec2<u32>(turn, 0u); pc--; } else { lines++; }
