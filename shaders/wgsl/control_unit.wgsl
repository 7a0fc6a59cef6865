// The control unit: interprets register code, one vector instruction an iteration and all scalar
// ones up to the next vector one. The preceding constants are generated from the tables of
// star-shaders; vm/gpu/src/emulator does the same in Rust. Registers are copied one by one from the
// state at the beginning of a dispatch, without a loop: an array value with a dynamic index would
// be stored in memory.
//
// The text between `#ifdef` and `#endif` is there for programs that need it.
//
// All values that determine control flow are uniform: registers are set only from the code, from
// other registers, and from data that the threads exchange. Data read from `mem` affects only the
// work of one thread.

@group(0) @binding(1) var<storage, read> code: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> state: array<u32>;

// Marks that the next instruction waits for a line.
const ASKS = 0x100u;

var<workgroup> least: atomic<u32>;
var<workgroup> total: atomic<u32>;
// The result of one thread: two words, a status, and whether a descriptor changes.
var<workgroup> found: vec4<u32>;
var<workgroup> exchanged: vec4<u32>;
var<workgroup> kept: array<u32, S_QUEUE>;

#ifdef LINES
// The numbers of limbs and of columns that an instruction over lines may change, and the joined
// result of a slice or word.
var<workgroup> n_limbs: atomic<u32>;
var<workgroup> n_columns: atomic<u32>;
var<workgroup> limb_list: array<u32, MOST_LISTED>;
var<workgroup> column_list: array<u32, MOST_LISTED>;
var<workgroup> joined: array<atomic<u32>, MOST_LISTED>;
#endif

fn truth(holds: bool) -> vec2<u32> { return vec2<u32>(select(0u, 1u, holds), 0u); }
fn below(a: vec2<u32>, b: vec2<u32>) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }
fn less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return below(vec2<u32>(a.x, a.y ^ 0x80000000u), vec2<u32>(b.x, b.y ^ 0x80000000u));
}
fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
fn magnitude(a: vec2<u32>) -> vec2<u32> { if (negative(a)) { return sub(vec2<u32>(0u), a); } return a; }
fn wide(a: u32, b: u32) -> vec2<u32> {
  let al = a & 0xffffu; let ah = a >> 16u; let bl = b & 0xffffu; let bh = b >> 16u;
  let ll = al * bl; let lh = al * bh; let hl = ah * bl;
  let middle = (ll >> 16u) + (lh & 0xffffu) + (hl & 0xffffu);
  return vec2<u32>((ll & 0xffffu) | (middle << 16u), ah * bh + (lh >> 16u) + (hl >> 16u) + (middle >> 16u));
}
fn mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = wide(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
fn mul_overflows(a: vec2<u32>, b: vec2<u32>) -> bool {
  let m = magnitude(a); let n = magnitude(b);
  if (m.y != 0u && n.y != 0u) { return true; }
  let low = wide(m.x, n.x);
  let cross = add(wide(m.x, n.y), wide(m.y, n.x));
  let high = add(cross, vec2<u32>(low.y, 0u));
  if (high.y != 0u) { return true; }
  let product = vec2<u32>(low.x, high.x);
  if (negative(a) != negative(b)) { return below(vec2<u32>(0u, 0x80000000u), product); }
  return negative(product);
}
fn count_steps(steps: vec2<u32>, by: vec2<u32>) -> vec2<u32> {
  let sum = add(steps, by);
  return select(sum, vec2<u32>(NOTHING), below(sum, steps));
}
// Returns quotient and remainder of unsigned numbers.
fn divide(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  var quotient = vec2<u32>(0u); var rest = vec2<u32>(0u);
  for (var i = 0u; i < 64u; i++) {
    let digit = shift_right(a, 63u - i).x & 1u;
    let carried = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | digit, (rest.y << 1u) | (rest.x >> 31u));
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if (carried != 0u || !below(rest, b)) { rest = sub(rest, b); quotient.x |= 1u; }
  }
  return vec4<u32>(quotient, rest);
}
fn descriptor(frame: u32, object: u32) -> u32 { return near(frame + FRAME_HEAD + object); }
fn own_descriptor(frame: u32, object: u32) -> u32 {
  return frame + FRAME_HEAD + near(frame + F_OBJECTS) + object * DESC_WORDS;
}

// Writes the number of waiting lines.
fn put_queue(n_queued: u32, after: u32) {
  state[S_QUEUED] = n_queued & ~ASKS; state[S_ANSWERS] = n_queued & ASKS; state[S_AFTER] = after;
  state[S_NEAREST] = NOTHING; state[S_COUNT] = 0u; state[S_COUNT + 1u] = 0u; state[S_GROUPS] = 0u;
}
#ifdef LINES
fn join_in(place: u32, u: u32, join: u32) {
  if (join == JOIN_XOR) { atomicXor(&joined[place], u); } else if (u != 0u) { atomicOr(&joined[place], u); }
}
#endif
#ifdef RARE
fn count_up(at: u32, by: vec2<u32>) {
  let sum = add(vec2<u32>(near(at), near(at + 1u)), by);
  put_near(at, sum.x); put_near(at + 1u, sum.y);
}
// Updates the profile in one thread, which alone accesses it.
fn profile(op: u32, record: u32, times: vec2<u32>, operations: vec2<u32>) {
  switch (op) {
    case OP_TALLY: { count_up(record, vec2<u32>(1u, 0u)); }
    case OP_CHARGE: {
      for (var i = 0u; i < near(record); i++) {
        let charged = near(record + 1u + 2u * i);
        let units = mul(times, vec2<u32>(near(record + 2u + 2u * i), 0u));
        count_up(charged + P_OWN, units);
        if (near(charged + P_DEPTH) == 0u) { count_up(charged + P_TOTAL, units); }
      }
    }
    case OP_OPEN: {
      count_up(record + P_RUNS, vec2<u32>(1u, 0u));
      if (near(record + P_DEPTH) == 0u) { put_near(record + P_SINCE, operations.x); put_near(record + P_SINCE + 1u, operations.y); }
      put_near(record + P_DEPTH, near(record + P_DEPTH) + 1u);
    }
    default: {
      put_near(record + P_DEPTH, near(record + P_DEPTH) - 1u);
      if (near(record + P_DEPTH) == 0u) {
        count_up(record + P_TOTAL, sub(operations, vec2<u32>(near(record + P_SINCE), near(record + P_SINCE + 1u))));
      }
    }
  }
}
#endif

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32) {
  for (var i = id; i < S_QUEUE; i += THREADS) { kept[i] = state[i]; }
  if (id == 0u) { atomicStore(&least, NOTHING); atomicStore(&total, 0u); found = vec4<u32>(0u); }
#ifdef LINES
  if (id == 0u) { atomicStore(&n_limbs, 0u); atomicStore(&n_columns, 0u); }
  for (var i = id; i < MOST_LISTED; i += THREADS) { atomicStore(&joined[i], 0u); }
#endif
  let begin = workgroupUniformLoad(&kept);
  // Within a chain, only the continuation after wide lines runs, and nothing after a dispatch that
  // did not complete.
  let was_made = begin[S_STATUS] == WIDE;
  var budget = i32(begin[S_BUDGET]);
  if (begin[S_BEGUN] != begin[S_ENDED] || (!was_made && (begin[S_STATUS] != RUNNING || budget <= 0))) { return; }
  if (was_made) { budget = max(budget, 1); }
  if (id == 0u) { state[S_BEGUN] = begin[S_BEGUN] + 1u; }
  if (was_made) {
    if (id == 0u) { state[S_N_WIDE] = begin[S_N_WIDE] + begin[S_QUEUED]; }
    // The previous dispatch would have ended for another reason.
    let after = select(BROKEN, begin[S_AFTER], begin[S_GROUPS] == begin[S_WIDE_GROUPS]);
    if (after != RUNNING) {
      if (id == 0u) { state[S_STATUS] = after; state[S_ENDED] = begin[S_BEGUN] + 1u; }
      return;
    }
  }
  var r: array<vec2<u32>, REGISTERS>;
BEGIN_REGISTERS
  var pc = begin[S_PC]; var status = RUNNING; var payload = 0u;
  // Whether the next instruction completes the last computed line; the number of waiting lines; and
  // `ASKS` if the next instruction is one of them.
  var answers = was_made && begin[S_ANSWERS] != 0u; var n_queued = 0u;
  var frame = begin[S_FRAME]; var depth = begin[S_DEPTH]; var callee = begin[S_CALLEE];
  var operations = vec2<u32>(begin[S_OPERATIONS], begin[S_OPERATIONS + 1u]);
  var steps = vec2<u32>(begin[S_STEPS], begin[S_STEPS + 1u]);
  let step_limit = vec2<u32>(begin[S_STEP_LIMIT], begin[S_STEP_LIMIT + 1u]);
  let routines = begin[S_ROUTINES];
  var journal = begin[S_JOURNAL]; let room = begin[S_JOURNAL_ROOM]; var lines = begin[S_LINES];

#ifdef LINES
WAS_MADE
#endif
  while (budget > 0 && status == RUNNING) {
    var P = vec4<u32>(0u); var Q = vec4<u32>(0u); var op = 0u;
    loop {
      P = code[2u * pc]; Q = code[2u * pc + 1u]; op = P.x & 0xffu; pc++; budget -= 2;
      if (op >= 64u) { break; }
      let ra = (P.y >> 8u) & 0xffu; let rb = (P.y >> 16u) & 0xffu;
      var a = vec2<u32>(0u); var b = Q.xy;
      if (ra != NO_REG) { a = r[ra]; }
      if (rb != NO_REG) { b = r[rb]; }
      var v = vec2<u32>(0u);
      switch (op) {
        case OP_LOAD: { v = Q.xy; }
        case OP_MOVE: { v = a; }
        case OP_ADD: { v = add(a, b); }
        case OP_SUB: { v = sub(a, b); }
        case OP_MUL: { v = mul(a, b); }
        case OP_AND: { v = a & b; }
        case OP_OR: { v = a | b; }
        case OP_XOR: { v = a ^ b; }
        case OP_EQ: { v = truth(all(a == b)); }
        case OP_NE: { v = truth(any(a != b)); }
        case OP_LT: { v = truth(less(a, b)); }
        case OP_LE: { v = truth(!less(b, a)); }
        case OP_GT: { v = truth(less(b, a)); }
        case OP_GE: { v = truth(!less(a, b)); }
        case OP_MIN: { v = select(b, a, less(a, b)); }
        case OP_MAX: { v = select(a, b, less(a, b)); }
        case OP_SHR: { v = shift_right(a, select(64u, b.x, b.y == 0u && b.x < 64u)); }
        case OP_ADD_OVERFLOWS: { let s = add(a, b); v = truth(negative(a) == negative(b) && negative(s) != negative(a)); }
        case OP_SUB_OVERFLOWS: { let s = sub(a, b); v = truth(negative(a) != negative(b) && negative(s) != negative(a)); }
        case OP_MUL_OVERFLOWS: { v = truth(mul_overflows(a, b)); }
        case OP_JUMP: { pc = Q.z; }
        case OP_JUMP_ZERO: { if (all(a == vec2<u32>(0u))) { pc = Q.z; } }
        case OP_JUMP_NONZERO: { if (any(a != vec2<u32>(0u))) { pc = Q.z; } }
        case OP_COST: { operations = count_steps(operations, Q.xy); steps = count_steps(steps, Q.xy); }
        case OP_COST_TIMES: {
          if (!negative(a)) {
            let cost = select(mul(a, Q.xy), vec2<u32>(NOTHING), mul_overflows(a, Q.xy));
            operations = count_steps(operations, cost); steps = count_steps(steps, cost);
          }
        }
        case OP_ITERATION: { steps = count_steps(steps, vec2<u32>(1u, 0u)); }
        case OP_TRAP_ZERO: { if (all(a == vec2<u32>(0u))) { status = TRAP; } }
        case OP_TRAP_NONZERO: { if (any(a != vec2<u32>(0u))) { status = TRAP; } }
        case OP_HOST: { status = HOST; }
        default: { status = BROKEN; }
      }
      let rd = P.y & 0xffu;
      if (rd != NO_REG) { r[rd] = v; }
      let then = (P.x >> 8u) & 15u;
      if (then != 0u) {
        let is_zero = all(v == vec2<u32>(0u));
        switch (then) {
          case THEN_JUMP: { pc = Q.z; }
          case THEN_JUMP_ZERO: { if (is_zero) { pc = Q.z; } }
          case THEN_JUMP_NONZERO: { if (!is_zero) { pc = Q.z; } }
          case THEN_TRAP_ZERO: { if (is_zero) { status = TRAP; } }
          case THEN_TRAP_NONZERO: { if (!is_zero) { status = TRAP; } }
          default: { status = BROKEN; }
        }
      }
      if (status == RUNNING && below(step_limit, steps)) { status = STEP_LIMIT; }
      if (budget <= 0 || status != RUNNING) { break; }
    }
    if (op >= 64u && status == RUNNING) {
      let rd = P.y & 0xffu; let ra = (P.y >> 8u) & 0xffu; let rb = (P.y >> 16u) & 0xffu; let rc = P.y >> 24u;
      let ox = P.z & 0xffffu; let oy = P.z >> 16u; let oz = P.w & 0xffffu;
      let table = (P.x >> 8u) & 15u; let generator = (P.x >> 12u) & 15u; let reduce = (P.x >> 16u) & 15u;
      let stores = (P.x & 0x100000u) != 0u; let clears = (P.x & 0x200000u) != 0u;
      var a = vec2<u32>(0u); var b = Q.xy; var c = Q.xy;
      if (ra != NO_REG) { a = r[ra]; }
      if (rb != NO_REG) { b = r[rb]; }
      if (rc != NO_REG) { c = r[rc]; }
      if ((P.x & 0x400000u) != 0u) { storageBarrier(); }
      budget -= 24;
      var dx = 0u; var dy = 0u; var dz = 0u;
      if (ox != NO_OBJECT) { dx = descriptor(frame, ox); }
      if (oy != NO_OBJECT) { dy = descriptor(frame, oy); }
      if (oz != NO_OBJECT) { dz = descriptor(frame, oz); }
      var at_y = 0u; var bits_y = 0u;
      if (oy != NO_OBJECT) { at_y = near(dy + D_AT); bits_y = near(dy + D_ROWS); }
      var nearest = NOTHING;
#ifdef WIDE
ENDS_QUEUE
#endif
      switch (op) {
#ifdef RARE
        case OP_DIV, OP_MOD: {
          let parts = divide(magnitude(a), magnitude(b));
          budget -= 64;
          var v = parts.xy;
          var flips = negative(a) != negative(b);
          if (op == OP_MOD) { v = parts.zw; flips = negative(a); }
          if (flips) { v = sub(vec2<u32>(0u), v); }
          r[rd] = v;
        }
#endif
        case OP_LINE: {
          var at_x = 0u; var n = bits_y;
          if (stores) { at_x = near(dx + D_AT); n = near(dx + D_ROWS); if (ra != NO_REG) { at_x += (a.x - 1u) * near(dx + D_STRIDE); } }
          var at = at_y; var at_z = 0u;
          if (generator == GEN_LOGIC && oy != NO_OBJECT && rb != NO_REG) { at += (b.x - 1u) * near(dy + D_STRIDE); }
          if (oz != NO_OBJECT) { at_z = near(dz + D_AT); if (rc != NO_REG) { at_z += (c.x - 1u) * near(dz + D_STRIDE); } }
          let limbs = (n + 31u) >> 5u;
          let t0 = 0u - (table & 1u); let t1 = 0u - ((table >> 1u) & 1u); let t2 = 0u - ((table >> 2u) & 1u); let t3 = 0u - ((table >> 3u) & 1u);
          let offset = clamped(b); let last = clamped(c);
          var behind = 0u; let has_y = oy != NO_OBJECT; let has_z = oz != NO_OBJECT;
          if (reduce == RED_FIRST && rc != NO_REG && oz == NO_OBJECT) { behind = c.x; }
          let size = select(limbs, n >> 2u, generator == GEN_ROW);
#ifdef WIDE
OF_WIDE_LINES
#else
let makes = true;
#endif
          if (makes) {
          budget -= i32(begin[S_LINE_ITERATIONS]) + select(0, i32(begin[S_GATHER_ITERATIONS]), generator == GEN_ROW);
          for (var k = id; k < limbs; k += THREADS) {
MAKE_LIMB
            if (stores) { store(at_x + k, u); }
            if (reduce == RED_COUNT) { atomicAdd(&total, countOneBits(u)); }
            else if (reduce != RED_NOTHING) {
              if (behind != 0u) { u &= ~ones(k, 0, i32(behind)); }
              if (u != 0u && nearest == NOTHING) { nearest = k * 32u + firstTrailingBit(u); }
            }
          }
          }
        }
        case OP_BIT_GET: {
          var at = at_y;
          if (rb != NO_REG) { at += (b.x - 1u) * near(dy + D_STRIDE); }
          let limb = (c.x - 1u) >> 5u;
          if (limb % THREADS == id) { found = vec4<u32>((load(at + limb) >> ((c.x - 1u) & 31u)) & 1u, 0u, 0u, 0u); }
        }
        case OP_BIT_PUT: {
          var at = near(dx + D_AT);
          if (ra != NO_REG) { at += (a.x - 1u) * near(dx + D_STRIDE); }
          let limb = (b.x - 1u) >> 5u; let bit = 1u << ((b.x - 1u) & 31u);
          if (limb % THREADS == id) { store(at + limb, select(load(at + limb) & ~bit, load(at + limb) | bit, c.x != 0u)); }
        }
        case OP_ROW_PUT: {
          let at_x = near(dx + D_AT); let n = near(dx + D_COLUMNS); let at = at_y; let at_z = 0u; let last = i32(a.x); let behind = 0u;
          let size = n >> 2u; let stride_x = near(dx + D_STRIDE);
#ifdef WIDE
OF_WIDE_LINES
#else
let makes = true;
#endif
          if (makes) {
          budget -= i32(begin[S_GATHER_ITERATIONS]);
          let first = id; let step = THREADS;
PUT_ROW
          }
        }
#ifdef RARE
        case OP_WORD_ADD, OP_WORD_SUB: {
          budget -= i32(begin[S_SERIAL_ITERATIONS]);
          if (id == 0u) {
            var at_x = 0u;
            if (stores) { at_x = near(dx + D_AT); }
            let at_z = near(dz + D_AT);
            var carry = 0u;
            for (var k = (bits_y + 31u) >> 5u; k > 0u; k--) {
              let p = reverseBits(load(at_y + k - 1u)); let q = reverseBits(load(at_z + k - 1u));
              var u = 0u;
              if (op == OP_WORD_ADD) {
                let s = p + q; u = s + carry;
                carry = select(0u, 1u, s < p || u < s);
              } else {
                let s = p - q; u = s - carry;
                carry = select(0u, 1u, p < q || s < carry);
              }
              if (stores) { store(at_x + k - 1u, reverseBits(u)); }
            }
            found = vec4<u32>(carry, 0u, 0u, 0u);
          }
        }
#endif
#ifdef RARE
        case OP_WORD_TO_INT: {
          if (id == 0u) {
            let n = i32(bits_y);
            found = vec4<u32>(reverseBits(funnel(at_y, bits_y, n - 32)), reverseBits(funnel(at_y, bits_y, n - 64)), 0u, 0u);
          }
        }
#endif
        case OP_SIZE: {
          if (id == 0u) {
            let flags = near(dy + D_FLAGS);
            var v = 0u;
            switch (Q.x) {
              case M_LENGTH: { if ((flags & (SET | SIZED)) != 0u) { v = near(dy + D_ROWS); } }
              case M_ROWS: { if ((flags & SET) != 0u) { v = near(dy + D_ROWS); } }
              case M_COLUMNS: { if ((flags & SET) != 0u) { v = near(dy + D_COLUMNS); } }
              case M_SET: { v = flags & SET; }
              case M_KNOWN: { v = select(0u, 1u, (flags & (SET | SIZED)) != 0u); }
              default: { v = select(0u, 1u, (flags & FIXED) != 0u); }
            }
            found = vec4<u32>(v, 0u, 0u, 0u);
          }
        }
        case OP_SHAPE, OP_SHAPE_LIKE, OP_COLUMNS: {
          if (id == 0u) {
            var rows = a; var columns = vec2<u32>(1u, 0u);
            if (op == OP_SHAPE_LIKE) { rows = vec2<u32>(near(dy + D_ROWS), 0u); columns = vec2<u32>(near(dy + D_COLUMNS), 0u); }
            if (op == OP_COLUMNS) { rows = vec2<u32>(near(dx + D_ROWS), 0u); columns = a; }
            if (op == OP_SHAPE && rb != NO_REG) { columns = b; }
            let stride = 2u * ((rows.x + 63u) >> 6u);
            let words = wide(stride, columns.x);
            if (rows.y != 0u || columns.y != 0u || rows.x > 0x7fffffc0u || words.y != 0u || words.x > near(dx + D_CAPACITY)) {
              found = vec4<u32>(dx, 0u, MEMORY, 0u);
            } else {
              let is = (near(dx + D_FLAGS) & SET) != 0u && near(dx + D_ROWS) == rows.x && near(dx + D_COLUMNS) == columns.x;
              found = vec4<u32>(rows.x, columns.x, RUNNING, select(1u, 0u, is));
            }
          }
        }
#ifdef LINES
        case OP_LINES: {
OVER_LINES
        }
#endif
        case OP_SHOW: {
          if (id == 0u && oy != NO_OBJECT) {
            let columns = near(dy + D_COLUMNS); let words = wide(2u * ((bits_y + 63u) >> 6u), columns);
            let fits = (near(dy + D_FLAGS) & SET) != 0u && words.y == 0u && words.x <= room;
            found = vec4<u32>(bits_y, columns, select(NOTHING, 2u + words.x, fits), 0u);
          }
        }
        case OP_FILL, OP_FETCH: {
          if (id == 0u) {
            let owner = select(frame, callee, op == OP_FETCH);
            let cell = own_descriptor(owner, near(owner + F_OBJECTS)) + 2u * Q.x;
            found = vec4<u32>(near(cell), near(cell + 1u), 0u, 0u);
          }
        }
#ifdef CALLS
        case OP_PREPARE: {
          if (id == 0u) {
            let record = routines + Q.x * R_WORDS;
            let current = near(record + R_CURRENT);
            var next = near(record + R_FIRST);
            if (current != 0u) { next = near(current + F_NEXT); }
            found = vec4<u32>(next, current, select(RUNNING, NO_FRAME, next == 0u), 0u);
          }
        }
#endif
        case OP_RETURN: {
          if (id == 0u) {
            found = vec4<u32>(near(frame + F_CALLER), near(frame + F_RETURN), 0u, 0u);
          }
        }
        default: {}
      }
      if (status != RUNNING) { break; }
      // The data that the threads exchange.
      var e = vec4<u32>(0u);
      if ((P.x & 0x800000u) != 0u) {
        if (nearest != NOTHING) { atomicMin(&least, nearest); }
        workgroupBarrier();
        if (id == 0u) {
          exchanged = found;
          if (op == OP_LINE) { exchanged = vec4<u32>(atomicLoad(&least), atomicLoad(&total), 0u, 0u); }
          found = vec4<u32>(0u); atomicStore(&least, NOTHING); atomicStore(&total, 0u);
        }
        e = workgroupUniformLoad(&exchanged);
      }
      switch (op) {
        case OP_LINE: {
          if (reduce != RED_NOTHING) {
            var v = vec2<u32>(e.x + 1u, 0u);
            if (reduce == RED_COUNT) { v = vec2<u32>(e.y, 0u); }
            if (reduce == RED_SOME) { v = truth(e.x != NOTHING); }
            if (reduce == RED_NONE) { v = truth(e.x == NOTHING); }
            if (clears && e.x != NOTHING && (e.x >> 5u) % THREADS == id) { store(at_y + (e.x >> 5u), load(at_y + (e.x >> 5u)) & ~(1u << (e.x & 31u))); }
            r[rd] = v;
          }
        }
        case OP_BIT_GET, OP_WORD_TO_INT, OP_SIZE, OP_FILL, OP_FETCH: { r[rd] = e.xy; }
        case OP_WORD_ADD, OP_WORD_SUB: { if (rd != NO_REG) { r[rd] = e.xy; } }
        case OP_SHAPE, OP_SHAPE_LIKE, OP_COLUMNS: {
          if (e.z != RUNNING) { status = e.z; payload = e.x; pc--; }
          else if (e.w != 0u) {
            if (id == 0u) {
              put_near(dx + D_FLAGS, (near(dx + D_FLAGS) & FIXED) | SET);
              put_near(dx + D_ROWS, e.x); put_near(dx + D_COLUMNS, e.y); put_near(dx + D_STRIDE, 2u * ((e.x + 63u) >> 6u));
            }
            storageBarrier();
          }
        }
#ifdef RARE
        case OP_TALLY, OP_CHARGE, OP_OPEN, OP_CLOSE: {
          if (id == 0u && !negative(a)) {
            profile(op, near(begin[S_PROFILE] + Q.x), select(vec2<u32>(1u, 0u), a, ra != NO_REG), operations);
          }
          budget -= 16;
        }
#endif
        case OP_PRINT: {
          if (room == 0u) { status = HOST; }
          else if (journal >= room) { status = JOURNAL; pc--; }
          else {
            if (id == 0u) { state[STATE_WORDS + journal] = pc - 1u; }
            journal++;
          }
        }
        case OP_SHOW: {
          let of_object = oy != NO_OBJECT;
          let words = select(2u, e.z, of_object);
          if (words > room - journal || (rb != NO_REG && b.x == 0u)) { status = JOURNAL; pc--; }
          else {
            let to = STATE_WORDS + journal; let first = select(a, e.xy, of_object);
            if (id == 0u) { state[to] = first.x; state[to + 1u] = first.y; }
            for (var k = 2u + id; k < words; k += THREADS) { state[to + k] = load(at_y + k - 2u); }
            journal += words; budget -= i32(words / THREADS);
          }
        }
        case OP_UNSET, OP_FIX: {
          storageBarrier();
          if (id == 0u) {
            put_near(dx + D_FLAGS, near(dx + D_FLAGS) & FIXED);
            if (op == OP_FIX) { put_near(dx + D_FLAGS, near(dx + D_FLAGS) | SIZED); put_near(dx + D_ROWS, a.x); put_near(dx + D_COLUMNS, 1u); }
          }
          storageBarrier();
        }
        case OP_SPILL, OP_PASS: {
          storageBarrier();
          if (id == 0u) {
            let owner = select(frame, callee, op == OP_PASS);
            let cell = own_descriptor(owner, near(owner + F_OBJECTS)) + 2u * Q.x;
            put_near(cell, a.x); put_near(cell + 1u, a.y);
          }
          storageBarrier();
        }
#ifdef CALLS
        case OP_PREPARE: {
          if (depth >= begin[S_DEPTH_LIMIT]) { status = DEPTH_LIMIT; }
          else if (e.z != RUNNING) { status = e.z; payload = e.y; pc--; }
          else {
            callee = e.x;
            storageBarrier();
            let objects = near(callee + F_OBJECTS);
            for (var i = id; i < objects; i += THREADS) {
              let own = own_descriptor(callee, i);
              put_near(callee + FRAME_HEAD + i, own);
              put_near(own + D_FLAGS, near(own + D_INITIAL));
            }
            if (id == 0u) { put_near(callee + F_BEFORE, e.y); }
            storageBarrier();
          }
          budget -= 64;
        }
        case OP_LEND: {
          if (id == 0u) { put_near(callee + FRAME_HEAD + ox, dy); }
          storageBarrier();
        }
        case OP_GIVE, OP_TAKE: {
          storageBarrier();
          if (id == 0u) {
            var to = own_descriptor(callee, ox); var start = dy;
            if (op == OP_TAKE) { to = dx; start = descriptor(callee, oy); }
            for (var i = 0u; i < 6u; i++) {
              let word = near(to + i); put_near(to + i, near(start + i)); put_near(start + i, word);
            }
            let fixed_from = near(to + D_FLAGS) & FIXED; let fixed_to = near(start + D_FLAGS) & FIXED;
            put_near(to + D_FLAGS, (near(to + D_FLAGS) & ~FIXED) | fixed_to);
            put_near(start + D_FLAGS, fixed_from);
          }
          storageBarrier();
        }
        case OP_CALL: {
          storageBarrier();
          for (var i = id; i < REGISTERS; i += THREADS) {
            put_near(frame + F_REGISTERS + 2u * i, r[i].x); put_near(frame + F_REGISTERS + 2u * i + 1u, r[i].y);
          }
          if (id == 0u) {
            put_near(callee + F_CALLER, frame); put_near(callee + F_RETURN, pc);
            put_near(routines + Q.x * R_WORDS + R_CURRENT, callee);
          }
          storageBarrier();
          budget -= 64; depth++; frame = callee; pc = Q.z;
        }
#endif
        case OP_RETURN: {
          let caller = e.x;
          if (id == 0u) { put_near(routines + Q.x * R_WORDS + R_CURRENT, near(frame + F_BEFORE)); }
          if (caller == 0u) { status = DONE; }
#ifdef CALLS
          else {
            for (var i = id; i < 2u * REGISTERS; i += THREADS) { kept[i] = near(caller + F_REGISTERS + i); }
            let back = workgroupUniformLoad(&kept);
BACK_REGISTERS
            callee = frame; frame = caller; pc = e.y; depth--;
          }
#else
          else { status = BROKEN; }
#endif
          storageBarrier();
          budget -= 128;
        }
        default: {}
      }
    }
  }
#ifdef LINES
LEAVES_LINES
#endif
  // Waiting lines are computed before the host is served.
  var after = RUNNING;
  if (n_queued != 0u && status != WIDE) { after = status; status = WIDE; }
  if (id == 0u) {
    put_queue(n_queued, after);
    state[S_PC] = pc; state[S_STATUS] = status; state[S_PAYLOAD] = payload;
    state[S_FRAME] = frame; state[S_DEPTH] = depth; state[S_CALLEE] = callee;
    state[S_OPERATIONS] = operations.x; state[S_OPERATIONS + 1u] = operations.y;
    state[S_STEPS] = steps.x; state[S_STEPS + 1u] = steps.y;
    state[S_JOURNAL] = journal; state[S_LINES] = lines;
    state[S_BUDGET] = u32(max(budget, 0));
    state[S_ENDED] = begin[S_BEGUN] + 1u;
  }
  for (var i = id; i < REGISTERS; i += THREADS) { state[S_REGISTERS + 2u * i] = r[i].x; state[S_REGISTERS + 2u * i + 1u] = r[i].y; }
}
