// Continuation after the kernel of wide lines (Note [Wide lines] in star-gpu), at `WAS_MADE` in the
// control unit: the results of an instruction over lines are stored to their destination. If there
// are more columns, the next ones are queued at once.
if (answers) {
  for (var i = id; i < WIDE_WORDS; i += THREADS) { kept[i] = state[S_QUEUE + i]; }
  let made = workgroupUniformLoad(&kept);
  if ((made[W_KIND] & 0xffu) == OP_LINES) {
    let join = ((made[W_KIND] >> 8u) & 3u) | ((made[W_KIND] >> 9u) & 4u); let is_word = (made[W_KIND] & 0x400u) != 0u;
    let first = made[W_FIRST]; let next = made[W_COLUMNS];
    let n = select((made[W_N] + 31u) >> 5u, (next - first + 31u) >> 5u, is_word);
    if (join == JOIN_COUNT) {
      let rd = code[2u * pc].y & 0xffu;
      r[rd] = add(r[rd], vec2<u32>(begin[S_COUNT], begin[S_COUNT + 1u]));
      if (id == 0u) { state[S_REGISTERS + 2u * rd] = r[rd].x; state[S_REGISTERS + 2u * rd + 1u] = r[rd].y; }
    } else if (join != JOIN_STORE && n <= begin[S_MOST_JOINED]) {
      let to = made[W_AT_X] + select(0u, first >> 5u, is_word);
      for (var i = id; i < n; i += THREADS) {
        let u = state[S_JOINED + i];
        if (u != 0u) { state[S_JOINED + i] = 0u; store(to + i, joined_with(load(to + i), u, join)); }
      }
    }
    if (next < made[W_ALL]) {
      if (id == 0u) {
        state[S_QUEUE + W_FIRST] = next; state[S_QUEUE + W_COLUMNS] = min(made[W_ALL] - next, next - first) + next;
        put_queue(ASKS + 1u, RUNNING);
        state[S_ENDED] = begin[S_BEGUN] + 1u;
      }
      return;
    }
    answers = false; pc++; lines += (made[W_KIND] >> 12u) & 1u;
  }
}
