//! Instructions on objects and frames.

use star_shaders::Op;
use star_shaders::layout::{
    DESC_WORDS, FRAME_HEAD, REGISTERS, STAGING, charged, descriptor, flag, frame, measure, routine,
    status, wide,
};

use super::limbs::Line;
use super::{Dispatch, Emulator, Fields};

impl Emulator {
    pub(super) fn word(&self, at: u32) -> u32 {
        self.mem[at as usize]
    }

    fn set(&mut self, at: u32, word: u32) {
        self.mem[at as usize] = word;
    }

    pub(super) fn pointer(&self, frame: u32, object: u32) -> u32 {
        self.word(frame + FRAME_HEAD + object)
    }

    fn own(&self, frame: u32, object: u32) -> u32 {
        frame + FRAME_HEAD + self.word(frame + frame::OBJECTS) + object * DESC_WORDS
    }

    fn cell(&self, frame: u32, cell: i64) -> u32 {
        self.own(frame, self.word(frame + frame::OBJECTS)) + 2 * cell as u32
    }

    /// Returns the line of an object, or one of its columns.
    pub(super) fn line(&self, pointer: u32, column: Option<i64>) -> Line {
        let has = |word: u32| self.word(pointer + word);
        let skipped = column.map_or(0, |column| (column as u32 - 1) * has(descriptor::STRIDE));
        Line { at: has(descriptor::AT) + skipped, bits: has(descriptor::ROWS) }
    }

    fn wide(&self, at: u32) -> i64 {
        (u64::from(self.word(at)) | u64::from(self.word(at + 1)) << 32) as i64
    }

    fn set_wide(&mut self, at: u32, number: i64) {
        self.set(at, number as u32);
        self.set(at + 1, (number as u64 >> 32) as u32);
    }

    pub(super) fn vector(&mut self, run: &mut Dispatch, inst: Fields) {
        if inst.is_sync() {
            self.barrier();
        }
        if self.ends_queue(run, inst) {
            return;
        }
        let pointer =
            |object: Option<u32>| object.map_or(0, |object| self.pointer(run.frame, object));
        let (dx, dy, dz) = (pointer(inst.x), pointer(inst.y), pointer(inst.z));
        let a = run.operand(inst.a, 0);
        let (b, c) = (run.operand(inst.b, inst.imm), run.operand(inst.c, inst.imm));
        let column = |reg: Option<u32>, number: i64| reg.map(|_| number);
        match inst.op {
            Op::Div => run.put(inst.d, a.wrapping_div(b)),
            Op::Mod => run.put(inst.d, a.wrapping_rem(b)),
            Op::Lines => self.lines_inst(run, inst, (dx, dy, dz), (a, b, c)),
            Op::Line => self.line_inst(run, inst, (dx, dy, dz), (a, b, c)),
            Op::BitGet => {
                let line = self.line(dy, column(inst.b, b));
                let place = c as u32 - 1;
                let thread = place / 32 % self.settings.threads;
                let limb = self.load(thread, line.at + place / 32);
                run.put(inst.d, i64::from(limb >> (place % 32) & 1));
            }
            Op::BitPut => {
                let line = self.line(dx, column(inst.a, a));
                let place = b as u32 - 1;
                let (thread, at) = (place / 32 % self.settings.threads, line.at + place / 32);
                let limb = self.load(thread, at) & !(1 << (place % 32));
                self.keep(thread, at, limb | u32::from(c != 0) << (place % 32));
            }
            Op::RowPut => {
                let (x, y) = (self.line(dx, None), self.line(dy, None));
                let columns = self.word(dx + descriptor::COLUMNS);
                let mut words = [0; wide::WORDS as usize];
                for (place, word) in [
                    (wide::KIND, inst.first),
                    (wide::N, columns),
                    (wide::LAST, a as u32),
                    (wide::AT_X, x.at),
                    (wide::STRIDE_X, self.word(dx + descriptor::STRIDE)),
                    (wide::AT_Y, y.at),
                    (wide::BITS_Y, y.bits),
                ] {
                    words[place as usize] = word;
                }
                if self.is_made_here(run, columns >> 2, (words, false)) {
                    let threads = self.settings.threads;
                    for thread in self.order(threads) {
                        self.put_row(thread, threads, &words);
                    }
                }
            }
            Op::WordAdd | Op::WordSub => {
                let (y, z) = (self.line(dy, None), self.line(dz, None));
                let x = inst.x.map(|_| self.line(dx, None));
                let mut carry = false;
                for k in (0..y.bits.div_ceil(32)).rev() {
                    let p = self.load(0, y.at + k).reverse_bits();
                    let q = self.load(0, z.at + k).reverse_bits();
                    let (limb, over) = match inst.op {
                        Op::WordAdd => p.carrying(q, carry),
                        _ => p.borrowing(q, carry),
                    };
                    carry = over;
                    if let Some(x) = x {
                        self.keep(0, x.at + k, limb.reverse_bits());
                    }
                }
                run.put(inst.d, i64::from(carry));
            }
            Op::WordToInt => {
                let y = self.line(dy, None);
                let n = i64::from(y.bits);
                let low = self.funnel(0, y, n - 32).reverse_bits();
                let high = self.funnel(0, y, n - 64).reverse_bits();
                run.put(inst.d, (u64::from(low) | u64::from(high) << 32) as i64);
            }
            Op::Size => {
                let has = |word: u32| self.word(dy + word);
                let flags = has(descriptor::FLAGS);
                let known = |flags: u32, word: u32| if flags != 0 { has(word) } else { 0 };
                let number = match inst.imm as u32 {
                    measure::LENGTH => known(flags & (flag::SET | flag::SIZED), descriptor::ROWS),
                    measure::ROWS => known(flags & flag::SET, descriptor::ROWS),
                    measure::COLUMNS => known(flags & flag::SET, descriptor::COLUMNS),
                    measure::SET => flags & flag::SET,
                    measure::KNOWN => u32::from(flags & (flag::SET | flag::SIZED) != 0),
                    _ => u32::from(flags & flag::FIXED != 0),
                };
                run.put(inst.d, i64::from(number));
            }
            Op::Shape | Op::ShapeLike | Op::Columns => {
                let (rows, columns) = match inst.op {
                    Op::ShapeLike => (
                        i64::from(self.word(dy + descriptor::ROWS)),
                        i64::from(self.word(dy + descriptor::COLUMNS)),
                    ),
                    Op::Columns => (i64::from(self.word(dx + descriptor::ROWS)), a),
                    _ => (a, if inst.b.is_some() { b } else { 1 }),
                };
                self.shape(run, dx, rows, columns);
            }
            Op::Unset | Op::Fix => {
                self.barrier();
                let flags = self.word(dx + descriptor::FLAGS) & flag::FIXED;
                self.set(dx + descriptor::FLAGS, flags);
                if inst.op == Op::Fix {
                    self.set(dx + descriptor::FLAGS, flags | flag::SIZED);
                    self.set(dx + descriptor::ROWS, a as u32);
                    self.set(dx + descriptor::COLUMNS, 1);
                }
            }
            Op::Fill | Op::Fetch => {
                let of = if inst.op == Op::Fetch { run.callee } else { run.frame };
                let number = self.wide(self.cell(of, inst.imm));
                run.put(inst.d, number);
            }
            Op::Spill | Op::Pass => {
                self.barrier();
                let of = if inst.op == Op::Pass { run.callee } else { run.frame };
                self.set_wide(self.cell(of, inst.imm), a);
            }
            Op::Tally | Op::Charge | Op::Open | Op::Close => self.profile(run, inst, a),
            Op::Print => {
                let room = run.journal_room as usize;
                if room == 0 {
                    run.status = status::HOST;
                } else if self.journal.len() >= room {
                    run.status = status::JOURNAL;
                    run.pc -= 1;
                } else {
                    self.journal.push(run.pc - 1);
                }
            }
            Op::Show => self.show(run, inst, dy, (a, b)),
            _ => self.link(run, inst, (dx, dy)),
        }
    }

    /// Writes a number or an object to the journal.
    fn show(&mut self, run: &mut Dispatch, inst: Fields, dy: u32, (a, b): (i64, i64)) {
        let room = run.journal_room as usize - self.journal.len();
        let has = |word: u32| self.word(dy + word);
        let (first, n_limbs, is_set) = match inst.y {
            None => ([a as u32, (a as u64 >> 32) as u32], 0, inst.b.is_none() || b != 0),
            Some(_) => {
                let (rows, columns) = (has(descriptor::ROWS), has(descriptor::COLUMNS));
                let n_limbs = 2 * rows.div_ceil(64) as usize * columns as usize;
                ([rows, columns], n_limbs, has(descriptor::FLAGS) & flag::SET != 0)
            }
        };
        if !is_set || 2 + n_limbs > room {
            run.status = status::JOURNAL;
            run.pc -= 1;
            return;
        }
        let (at, threads) = (has(descriptor::AT), self.settings.threads as usize);
        let mut limbs = vec![0; n_limbs];
        for thread in self.order(self.settings.threads) {
            for k in (thread as usize..n_limbs).step_by(threads) {
                limbs[k] = self.load(thread, at + k as u32);
            }
        }
        self.journal.extend(first);
        self.journal.extend(limbs);
    }

    /// Updates the profile in one thread.
    fn profile(&mut self, run: &Dispatch, inst: Fields, a: i64) {
        let times = if inst.a.is_some() { a.max(0) } else { 1 };
        let record = self.word(run.profile + inst.imm as u32);
        let count = |this: &mut Self, at: u32, by: i64| {
            let sum = this.wide(at).wrapping_add(by);
            this.set_wide(at, sum);
        };
        let depth = record + charged::DEPTH;
        match inst.op {
            Op::Tally => count(self, record, 1),
            Op::Charge => {
                for item in 0..self.word(record) {
                    let to = self.word(record + 1 + 2 * item);
                    let units = i64::from(self.word(record + 2 + 2 * item)).wrapping_mul(times);
                    count(self, to + charged::OWN, units);
                    if self.word(to + charged::DEPTH) == 0 {
                        count(self, to + charged::TOTAL, units);
                    }
                }
            }
            Op::Open => {
                count(self, record + charged::RUNS, 1);
                if self.word(depth) == 0 {
                    self.set_wide(record + charged::SINCE, run.operations as i64);
                }
                self.set(depth, self.word(depth) + 1);
            }
            _ => {
                self.set(depth, self.word(depth) - 1);
                if self.word(depth) == 0 {
                    let since = self.wide(record + charged::SINCE);
                    count(self, record + charged::TOTAL, run.operations as i64 - since);
                }
            }
        }
    }

    fn shape(&mut self, run: &mut Dispatch, dx: u32, rows: i64, columns: i64) {
        let has = |word: u32| self.word(dx + word);
        let fits = (0..=0x7fff_ffc0).contains(&rows) && u32::try_from(columns).is_ok();
        let words =
            i128::from(rows.div_euclid(64) + i64::from(rows % 64 != 0)) * 2 * i128::from(columns);
        if !fits || words > i128::from(has(descriptor::CAPACITY)) {
            (run.status, run.payload) = (status::MEMORY, dx);
            run.pc -= 1;
            return;
        }
        let (rows, columns) = (rows as u32, columns as u32);
        let flags = has(descriptor::FLAGS);
        let is = flags & flag::SET != 0
            && (has(descriptor::ROWS), has(descriptor::COLUMNS)) == (rows, columns);
        if !is {
            self.barrier();
            self.set(dx + descriptor::FLAGS, flags & flag::FIXED | flag::SET);
            self.set(dx + descriptor::ROWS, rows);
            self.set(dx + descriptor::COLUMNS, columns);
            self.set(dx + descriptor::STRIDE, 2 * rows.div_ceil(64));
        }
    }

    /// Runs calls and returns, including the transfer of objects.
    fn link(&mut self, run: &mut Dispatch, inst: Fields, (dx, dy): (u32, u32)) {
        self.barrier();
        let record = run.routines + inst.imm as u32 * routine::WORDS;
        match inst.op {
            Op::Prepare => {
                if run.depth >= run.depth_limit {
                    run.status = status::DEPTH_LIMIT;
                    return;
                }
                let current = self.word(record + routine::CURRENT);
                let next = match current {
                    0 => self.word(record + routine::FIRST),
                    current => self.word(current + frame::NEXT),
                };
                if next == 0 {
                    (run.status, run.payload) = (status::NO_FRAME, current);
                    run.pc -= 1;
                    return;
                }
                run.callee = next;
                for object in 0..self.word(next + frame::OBJECTS) {
                    let own = self.own(next, object);
                    self.set(next + FRAME_HEAD + object, own);
                    self.set(own + descriptor::FLAGS, self.word(own + descriptor::INITIAL));
                }
                self.set(next + frame::BEFORE, current);
            }
            Op::Lend => self.set(run.callee + FRAME_HEAD + inst.x.unwrap_or(0), dy),
            Op::Give => {
                let to = self.own(run.callee, inst.x.unwrap_or(0));
                self.give(to, dy);
            }
            Op::Take => {
                let from = self.pointer(run.callee, inst.y.unwrap_or(0));
                self.give(dx, from);
            }
            Op::Call => {
                for reg in 0..REGISTERS {
                    self.set_wide(run.frame + frame::REGISTERS + 2 * reg, run.r[reg as usize]);
                }
                self.set(run.callee + frame::CALLER, run.frame);
                self.set(run.callee + frame::RETURN, run.pc);
                self.set(record + routine::CURRENT, run.callee);
                (run.frame, run.pc) = (run.callee, inst.target);
                run.depth += 1;
            }
            Op::Return => {
                let before = self.word(run.frame + frame::BEFORE);
                self.set(record + routine::CURRENT, before);
                let caller = self.word(run.frame + frame::CALLER);
                if caller == 0 {
                    run.status = status::DONE;
                    return;
                }
                for reg in 0..STAGING {
                    run.r[reg as usize] = self.wide(caller + frame::REGISTERS + 2 * reg);
                }
                run.pc = self.word(run.frame + frame::RETURN);
                (run.callee, run.frame) = (run.frame, caller);
                run.depth -= 1;
            }
            _ => run.status = status::BROKEN,
        }
    }

    /// Moves the value of one object to another; both keep whether their sizes are fixed.
    fn give(&mut self, to: u32, from: u32) {
        let (fixed_to, fixed_from) = (
            self.word(to + descriptor::FLAGS) & flag::FIXED,
            self.word(from + descriptor::FLAGS) & flag::FIXED,
        );
        for word in 0..6 {
            let kept = self.word(to + word);
            self.set(to + word, self.word(from + word));
            self.set(from + word, kept);
        }
        let flags = self.word(to + descriptor::FLAGS) & !flag::FIXED;
        self.set(to + descriptor::FLAGS, flags | fixed_to);
        self.set(from + descriptor::FLAGS, fixed_from);
    }
}

/// Sums and differences with their carry.
trait Carrying: Sized {
    fn carrying(self, other: Self, carry: bool) -> (Self, bool);
    fn borrowing(self, other: Self, borrow: bool) -> (Self, bool);
}

impl Carrying for u32 {
    fn carrying(self, other: u32, carry: bool) -> (u32, bool) {
        let sum = u64::from(self) + u64::from(other) + u64::from(carry);
        (sum as u32, sum >> 32 != 0)
    }

    fn borrowing(self, other: u32, borrow: bool) -> (u32, bool) {
        let difference = i64::from(self) - i64::from(other) - i64::from(borrow);
        (difference as u32, difference < 0)
    }
}
