// An instruction over lines (Note [Lines] in star-gpu), at `OVER_LINES` in the kernel of wide
// lines: columns `first` to `columns` of a table.
//
// A thread has a limb of the columns and some blocks of 32 columns, or, where each column becomes a
// component, a block and some limbs. The grid has as many threads for the same limb of a result as
// possible; their results are joined in the state, and the control unit stores them to their
// destination. If a result has too many limbs for that, each limb has one thread.
let join = ((kind >> 8u) & 3u) | ((kind >> 9u) & 4u); let is_word = (kind & 0x400u) != 0u;
let function = kept[line + W_B]; let rows = n; let limbs = (rows + 31u) >> 5u; let limbs_y = (bits_y + 31u) >> 5u;
let columns = kept[line + W_COLUMNS]; let first_block = kept[line + W_FIRST] >> 5u; let blocks = ((columns + 31u) >> 5u) - first_block;
let stride_y = kept[line + W_STRIDE_Y]; let columns_y = kept[line + W_COLUMNS_Y]; let limbs_z = kept[line + W_LIMBS_Z];
let at_w = kept[line + W_AT_W]; let limbs_w = kept[line + W_LIMBS_W];
let at_v = kept[line + W_AT_V]; let stride_v = kept[line + W_STRIDE_V]; let columns_v = kept[line + W_COLUMNS_V]; let limbs_v = kept[line + W_LIMBS_V];
// The part with an effect.
let acts = function ^ select(0u, 0xff00ff00u, join == JOIN_STORE);
let by_ones = 0u - select(0u, 1u, (acts & 0xffff0000u) != 0u); let by_zeros = 0u - select(0u, 1u, (acts & 0xffffu) != 0u);
let across = select(limbs, blocks, is_word); let along = select(blocks, limbs, is_word);
let is_joined = join != JOIN_STORE && join != JOIN_COUNT; let is_alone = is_joined && across > atomicLoad(&state[S_MOST_JOINED]);
let parts = select(clamp(threads / across, 1u, along), 1u, is_alone);
for (var item = me; item < across * parts; item += threads) {
  // Adjacent threads have adjacent limbs.
  var own = item % across; var part = item / across;
  if (is_word) { own = item / parts; part = item % parts; }
  var joined = 0u;
  for (var other = part; other < along; other += parts) {
    let k = select(own, other, is_word); let block = first_block + select(other, own, is_word);
    var s = 0u; var w = 0u;
    if (k < limbs_z) { s = load(at_z + k); }
    if (block < limbs_w) { w = load(at_w + block); }
    var some = ones(block, 0, i32(columns)) & ((w & by_ones) | (~w & by_zeros));
    if (s == 0u && (acts & 0x55555555u) == 0u) { some = 0u; }
    while (some != 0u) {
      // Four columns, so that loads do not wait for each other; the last one is repeated if there
      // are fewer.
      let a = firstTrailingBit(some); some &= some - 1u;
      let has_b = some != 0u; let b = select(a, firstTrailingBit(some), has_b); some &= some - 1u;
      let has_c = some != 0u; let c = select(b, firstTrailingBit(some), has_c); some &= some - 1u;
      let has_d = some != 0u; let d = select(c, firstTrailingBit(some), has_d); some &= some - 1u;
      let bits = vec4<u32>(a, b, c, d); let is_one = vec4<bool>(true, has_b, has_c, has_d);
      let column = vec4<u32>(32u * block) + bits; let of_w = (vec4<u32>(w) >> bits) & vec4<u32>(1u);
FOUR_COLUMNS
      u = select(vec4<u32>(0u), u, is_one);
      if (join == JOIN_COUNT) {
        let ones_of = countOneBits(u);
        count += ones_of.x + ones_of.y + ones_of.z + ones_of.w;
      } else if (is_word) {
        // A bit for each column; the columns differ in each iteration.
        var has = u != vec4<u32>(0u);
        if (join == JOIN_XOR) { has = (countOneBits(u) & vec4<u32>(1u)) != vec4<u32>(0u); }
        let ones_of = select(vec4<u32>(0u), vec4<u32>(1u) << bits, has);
        let found = ones_of.x | ones_of.y | ones_of.z | ones_of.w;
        if (join == JOIN_XOR) { joined ^= found; } else { joined |= found; }
      } else if (join == JOIN_XOR) { joined ^= u.x ^ u.y ^ u.z ^ u.w; }
      else { joined |= u.x | u.y | u.z | u.w; }
    }
  }
  if (is_joined && joined != 0u) {
    if (is_alone) { store(at_x + own, joined_with(load(at_x + own), joined, join)); }
    else if (join == JOIN_XOR) { atomicXor(&state[S_JOINED + own], joined); }
    else if ((~atomicLoad(&state[S_JOINED + own]) & joined) != 0u) { atomicOr(&state[S_JOINED + own], joined); }
  }
}
