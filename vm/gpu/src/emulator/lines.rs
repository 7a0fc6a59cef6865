//! A `forall` over lines as one instruction: in the control unit, and over a grid.

use star_shaders::Join;
use star_shaders::layout::{descriptor, most_listed, status, wide};

use super::limbs::{Line, ones};
use super::{Dispatch, Emulator, Fields, Words};

/// A table, as the instruction sees it; a missing one has no limbs.
#[derive(Clone, Copy, Default)]
struct Columns {
    first: Line,
    stride: u32,
    n: u32,
}

/// The instruction for some columns.
#[derive(Clone, Copy)]
pub(super) struct Over {
    kind: u32,
    function: u32,
    rows: u32,
    first: u32,
    columns: u32,
    all: u32,
    x: Columns,
    y: Columns,
    v: Columns,
    z: Line,
    w: Line,
}

impl Columns {
    /// Returns the columns after the first `front`.
    fn behind(self, front: u32) -> Columns {
        let Columns { first: Line { at, bits }, stride, n } = self;
        let first = Line { at: at + front * stride, bits };
        Columns { first, stride, n: n.saturating_sub(front) }
    }

    fn column(self, column: u32) -> Line {
        let Columns { first: Line { at, bits }, stride, n } = self;
        if column < n { Line { at: at + column * stride, bits } } else { Line::default() }
    }
}

impl Over {
    fn join(self) -> Join {
        Join::of_number(self.kind >> 8 & 3 | (self.kind >> 11 & 1) << 2).unwrap_or(Join::Store)
    }

    fn is_word(self) -> bool {
        self.kind >> 10 & 1 == 1
    }

    /// Returns 1 if it is a loop of the program.
    fn loops(self) -> u32 {
        self.kind >> 12 & 1
    }

    fn limbs(self) -> u32 {
        self.rows.div_ceil(32)
    }

    /// Returns which parts have an effect.
    fn acts(self) -> u32 {
        self.function ^ if self.join() == Join::Store { 0xff00_ff00 } else { 0 }
    }

    /// Returns the number of limbs of the joined result.
    fn n_joined(self) -> u32 {
        match self.is_word() {
            true => self.columns.div_ceil(32) - self.first / 32,
            false => self.limbs(),
        }
    }

    /// Returns the words that the control unit leaves in the state.
    fn words(self) -> Words {
        let mut words = [0; wide::WORDS as usize];
        for (place, word) in [
            (wide::KIND, self.kind),
            (wide::B, self.function),
            (wide::N, self.rows),
            (wide::FIRST, self.first),
            (wide::COLUMNS, self.columns),
            (wide::ALL, self.all),
            (wide::AT_X, self.x.first.at),
            (wide::STRIDE_X, self.x.stride),
            (wide::AT_Y, self.y.first.at),
            (wide::STRIDE_Y, self.y.stride),
            (wide::BITS_Y, self.y.first.bits),
            (wide::COLUMNS_Y, self.y.n),
            (wide::AT_V, self.v.first.at),
            (wide::STRIDE_V, self.v.stride),
            (wide::LIMBS_V, self.v.first.limbs()),
            (wide::COLUMNS_V, self.v.n),
            (wide::AT_Z, self.z.at),
            (wide::LIMBS_Z, self.z.limbs()),
            (wide::AT_W, self.w.at),
            (wide::LIMBS_W, self.w.limbs()),
        ] {
            words[place as usize] = word;
        }
        words
    }

    pub(super) fn of_words(words: &[u32]) -> Over {
        let has = |place: u32| words[place as usize];
        let line = |at: u32, bits: u32| Line { at: has(at), bits };
        let columns =
            |first: Line, stride: u32, n: u32| Columns { first, stride: has(stride), n: has(n) };
        Over {
            kind: has(wide::KIND),
            function: has(wide::B),
            rows: has(wide::N),
            first: has(wide::FIRST),
            columns: has(wide::COLUMNS),
            all: has(wide::ALL),
            x: columns(line(wide::AT_X, has(wide::N)), wide::STRIDE_X, wide::COLUMNS),
            y: columns(line(wide::AT_Y, has(wide::BITS_Y)), wide::STRIDE_Y, wide::COLUMNS_Y),
            v: columns(line(wide::AT_V, 32 * has(wide::LIMBS_V)), wide::STRIDE_V, wide::COLUMNS_V),
            z: line(wide::AT_Z, 32 * has(wide::LIMBS_Z)),
            w: line(wide::AT_W, 32 * has(wide::LIMBS_W)),
        }
    }
}

impl Emulator {
    fn columns(&self, pointer: Option<u32>) -> Columns {
        let Some(pointer) = pointer else { return Columns::default() };
        let (stride, n) =
            (self.word(pointer + descriptor::STRIDE), self.word(pointer + descriptor::COLUMNS));
        Columns { first: self.line(pointer, None), stride, n }
    }

    /// Returns limb `k` of a line, zeros where there is none.
    fn limb_of(&mut self, thread: u32, line: Line, k: u32) -> u32 {
        if k < line.limbs() { self.load(thread, line.at + k) } else { 0 }
    }

    /// Runs the instruction in the control unit, which may leave it to the grid, in several groups
    /// of columns.
    pub(super) fn lines_inst(
        &mut self,
        run: &mut Dispatch,
        inst: Fields,
        (dx, dy, dz): (u32, u32, u32),
        (rows, columns, front): (i64, i64, i64),
    ) {
        let pointer = |object: u32| self.pointer(run.frame, object);
        let line = |pointer: u32| self.line(pointer, None);
        let mut over = Over {
            kind: inst.first,
            function: inst.imm as u32,
            rows: rows as u32,
            first: 0,
            columns: columns as u32,
            all: columns as u32,
            x: self.columns(inst.x.map(|_| dx)),
            y: self.columns(inst.y.map(|_| dy)),
            v: self.columns(inst.v.map(pointer)),
            z: inst.z.map(|_| line(dz)).unwrap_or_default(),
            w: inst.w.map(|w| line(pointer(w))).unwrap_or_default(),
        };
        if over.join() == Join::Count {
            run.put(inst.d, 0);
        }
        if inst.c.is_some() {
            let table = if over.is_word() { &mut over.x } else { &mut over.y };
            *table = table.behind(front as u32);
        }
        let most = most_listed(self.settings.threads);
        let is_long = over.columns > 0 && (over.limbs() > most || over.columns > most);
        if over.limbs() == 0 || !is_long && self.lines_here(run, inst, over) {
            run.lines += over.loops();
            return;
        }
        let blocks = (run.wide.blocks / over.limbs()).clamp(1, 1 << 26);
        let blocks = if over.is_word() { blocks.min(run.wide.joined) } else { blocks };
        over.columns = over.all.min(32 * blocks);
        run.pc -= 1;
        self.leave(run, over);
    }

    fn leave(&mut self, run: &mut Dispatch, over: Over) {
        run.queue = vec![over.words()];
        (run.asks, run.status) = (true, status::WIDE);
        let made = over.limbs() * (over.columns - over.first).div_ceil(32);
        run.budget -= i64::from(made / (run.wide.rate >> 5).max(1));
    }

    /// Completes the part that the grid has computed: stores its results, and leaves the next
    /// columns to it.
    pub(super) fn lines_made(&mut self, run: &mut Dispatch, d: u32, words: &[u32]) {
        let over = Over::of_words(words);
        let n = over.n_joined();
        if over.join() == Join::Count {
            run.put(d, run.operand(Some(d), 0) + run.count as i64);
        } else if over.join() != Join::Store && n <= run.wide.joined {
            let joined: Vec<u32> =
                self.joined[..n as usize].iter_mut().map(std::mem::take).collect();
            self.join_all(over, &joined);
        }
        run.answers = false;
        if over.columns < over.all {
            let (first, at_once) = (over.columns, over.columns - over.first);
            self.leave(run, Over { first, columns: over.all.min(first + at_once), ..over });
        } else {
            run.pc += 1;
            run.lines += over.loops();
        }
    }

    /// Runs the whole instruction in one workgroup, unless that is too much.
    fn lines_here(&mut self, run: &mut Dispatch, inst: Fields, over: Over) -> bool {
        let (acts, n_threads) = (over.acts(), self.settings.threads);
        let by = |w: u32| acts >> (16 * w) & 0xffff != 0;
        let mut limbs = Vec::new();
        for k in 0..over.limbs() {
            if self.limb_of(k % n_threads, over.z, k) != 0 || acts & 0x5555_5555 != 0 {
                limbs.push(k);
            }
        }
        let mut columns = Vec::new();
        for column in 0..over.columns {
            let limb = self.limb_of(column / 32 % n_threads, over.w, column / 32);
            if by(limb >> (column % 32) & 1) {
                columns.push(column);
            }
        }
        let n_items = limbs.len() * columns.len().div_ceil(4);
        if n_items as u64 > u64::from(run.wide.items) {
            return false;
        }
        let threads = self.order(n_threads);
        let mut joined = vec![0; over.n_joined() as usize];
        let mut n_ones = 0;
        let items = columns.chunks(4).flat_map(|four| limbs.iter().map(move |k| (*k, four)));
        for (at, (k, four)) in items.enumerate() {
            let thread = threads[at % threads.len()];
            for column in four {
                let limb = self.made_of_column(thread, over, (k, *column));
                n_ones += i64::from(limb.count_ones());
                let to = if over.is_word() { column / 32 } else { k };
                join(&mut joined, to, found(over, limb, *column), over.join());
            }
        }
        match over.join() {
            Join::Store => {}
            Join::Count => run.put(inst.d, n_ones),
            Join::Or | Join::Clear | Join::Xor => self.join_all(over, &joined),
        }
        true
    }

    /// Computes limb `k` of a result column, and stores it if it belongs to the table.
    fn made_of_column(&mut self, thread: u32, over: Over, (k, column): (u32, u32)) -> u32 {
        let is_one = self.limb_of(thread, over.w, column / 32) >> (column % 32) & 1;
        let s = self.limb_of(thread, over.z, k);
        let to = over.x.first.at + column * over.x.stride + k;
        let t = if over.join() == Join::Store { self.load(thread, to) } else { 0 };
        let p = self.limb_of(thread, over.v.column(column), k);
        let q = self.limb_of(thread, over.y.column(column), k);
        let bit = |place: u32| {
            let has = |limb: u32| limb >> place & 1;
            let of = 16 * is_one + 8 * has(t) + 4 * has(p) + 2 * has(q) + has(s);
            (over.function >> of & 1) << place
        };
        let limb = (0..32).map(bit).sum::<u32>() & ones(k, 0, i64::from(over.rows));
        if over.join() == Join::Store && limb != t {
            self.keep(thread, to, limb);
        }
        limb
    }

    /// Joins the results to the slice or word.
    fn join_all(&mut self, over: Over, joined: &[u32]) {
        let first = if over.is_word() { over.first / 32 } else { 0 };
        for (i, more) in joined.iter().enumerate() {
            if *more != 0 {
                self.join_one(i as u32 % self.settings.threads, over, (first + i as u32, *more));
            }
        }
    }

    fn join_one(&mut self, thread: u32, over: Over, (k, more): (u32, u32)) {
        let at = over.x.first.at + k;
        let before = self.load(thread, at);
        let limb = match over.join() {
            Join::Or => before | more,
            Join::Xor => before ^ more,
            Join::Clear | Join::Store | Join::Count => before & !more,
        };
        self.keep(thread, at, limb);
    }

    /// Does the work of one grid thread and returns the number of ones that it counts.
    pub(super) fn lines_of_grid(
        &mut self,
        over: Over,
        (me, threads): (u32, u32),
        most_joined: u32,
    ) -> u64 {
        let blocks = over.columns.div_ceil(32) - over.first / 32;
        let (across, along) = match over.is_word() {
            true => (blocks, over.limbs()),
            false => (over.limbs(), blocks),
        };
        let is_joined = !matches!(over.join(), Join::Store | Join::Count);
        let is_alone = is_joined && across > most_joined;
        let parts = if is_alone { 1 } else { (threads / across).clamp(1, along) };
        let mut count = 0;
        for item in (me..across * parts).step_by(threads as usize) {
            let (own, part) = match over.is_word() {
                true => (item / parts, item % parts),
                false => (item % across, item / across),
            };
            let mut sum = [0];
            for other in (part..along).step_by(parts as usize) {
                let (k, block) = if over.is_word() { (other, own) } else { (own, other) };
                let first = 32 * (over.first / 32 + block);
                let s = self.limb_of(me, over.z, k);
                let w = self.limb_of(me, over.w, first / 32);
                let acts = over.acts();
                if s == 0 && acts & 0x5555_5555 == 0 {
                    continue;
                }
                for column in first..over.columns.min(first + 32) {
                    if acts >> (16 * (w >> (column % 32) & 1)) & 0xffff == 0 {
                        continue;
                    }
                    let limb = self.made_of_column(me, over, (k, column));
                    count += u64::from(limb.count_ones());
                    join(&mut sum, 0, found(over, limb, column), over.join());
                }
            }
            if is_alone && sum[0] != 0 {
                self.join_one(me, over, (own, sum[0]));
            } else if is_joined {
                join(&mut self.joined, own, sum[0], over.join());
            }
        }
        if over.join() == Join::Count { count } else { 0 }
    }
}

/// Returns the contribution of a limb of a column to a limb of the result.
fn found(over: Over, limb: u32, column: u32) -> u32 {
    match (over.is_word(), over.join()) {
        (false, _) => limb,
        (true, Join::Xor) => (limb.count_ones() & 1) << (column % 32),
        (true, _) => u32::from(limb != 0) << (column % 32),
    }
}

fn join(joined: &mut [u32], to: u32, more: u32, join: Join) {
    match join {
        Join::Or | Join::Clear => joined[to as usize] |= more,
        Join::Xor => joined[to as usize] ^= more,
        Join::Store | Join::Count => {}
    }
}
