//! A `forall` over lines as one instruction.

use star_shaders::Join;
use star_shaders::layout::{descriptor, most_listed};

use super::limbs::{Line, ones};
use super::{Dispatch, Fields, Twin};

/// A table, as the instruction sees it.
#[derive(Clone, Copy)]
struct Columns {
    first: Line,
    stride: u32,
    n: u32,
}

impl Columns {
    /// A column, if there is such a one.
    fn column(self, column: u32) -> Option<Line> {
        let Columns { first: Line { at, bits }, stride, n } = self;
        (column < n).then(|| Line { at: at + column * stride, bits })
    }
}

impl Twin {
    fn columns(&self, pointer: u32) -> Columns {
        let (stride, n) =
            (self.word(pointer + descriptor::STRIDE), self.word(pointer + descriptor::COLUMNS));
        Columns { first: self.line(pointer, None), stride, n }
    }

    /// Limb `k` of a line, zeros where there is none.
    fn limb_of(&mut self, thread: u32, line: Option<Line>, k: u32) -> u32 {
        match line.filter(|line| k < line.bits.div_ceil(32)) {
            Some(line) => self.load(thread, line.at + k),
            None => 0,
        }
    }

    /// One turn: so many limbs of so many columns. The instruction runs again until it was the last one.
    pub(super) fn lines_inst(
        &mut self,
        run: &mut Dispatch,
        inst: Fields,
        (dx, dy, dz): (u32, u32, u32),
        (rows, columns, turn): (i64, i64, i64),
    ) {
        let (rows, columns, turn) = (rows as u32, columns as u32, turn as u32);
        let most = most_listed(self.settings.threads);
        let n_across = rows.div_ceil(32).div_ceil(most);
        let n_turns = n_across * columns.div_ceil(most);
        let join = inst.first >> 8 & 3 | (inst.first >> 11 & 1) << 2;
        let join = Join::of_number(join).unwrap_or(Join::Store);
        if join == Join::Count && turn == 0 {
            run.put(inst.d, 0);
        }
        if turn >= n_turns {
            run.lines += 1;
            return;
        }
        let (first_limb, first_column) = (most * (turn % n_across), most * (turn / n_across));
        let limbs = first_limb..rows.div_ceil(32).min(first_limb + most);
        let columns = first_column..columns.min(first_column + most);
        let is_word = inst.first >> 10 & 1 == 1;
        let x = self.columns(dx);
        let y = inst.y.map(|_| self.columns(dy));
        let v = inst.v.map(|v| self.columns(self.pointer(run.frame, v)));
        let z = inst.z.map(|_| self.line(dz, None));
        let w = inst.w.map(|w| self.line(self.pointer(run.frame, w), None));
        let threads = self.order(self.settings.threads);
        let mut places: Vec<(u32, u32)> = Vec::new();
        for k in limbs.clone() {
            places.extend(columns.clone().map(|column| (k, column)));
        }
        let n_joined = if is_word { columns.len().div_ceil(32) } else { limbs.len() };
        let mut joined = vec![0_u32; n_joined];
        let mut n_ones = 0;
        for (at, (k, column)) in places.into_iter().enumerate() {
            let thread = threads[at % threads.len()];
            let is_one = self.limb_of(thread, w, column / 32) >> (column % 32) & 1;
            let s = self.limb_of(thread, z, k);
            let p = match join {
                Join::Store => self.load(thread, x.first.at + column * x.stride + k),
                Join::Or | Join::Clear | Join::Xor | Join::Count => {
                    self.limb_of(thread, v.and_then(|v| v.column(column)), k)
                }
            };
            let q = self.limb_of(thread, y.and_then(|y| y.column(column)), k);
            let bit = |place: u32| {
                let has = |limb: u32| limb >> place & 1;
                let value = inst.imm >> (8 * is_one + 4 * has(p) + 2 * has(q) + has(s)) & 1;
                (value as u32) << place
            };
            let limb = (0..32).map(bit).sum::<u32>() & ones(k, 0, i64::from(rows));
            let to = match is_word {
                true => (column - first_column) / 32,
                false => k - first_limb,
            };
            let more = match (is_word, join) {
                (false, _) => limb,
                (true, Join::Xor) => (limb.count_ones() & 1) << (column % 32),
                (true, _) => u32::from(limb != 0) << (column % 32),
            };
            match join {
                Join::Store if limb != p => {
                    self.keep(thread, x.first.at + column * x.stride + k, limb);
                }
                Join::Store => {}
                Join::Or | Join::Clear => joined[to as usize] |= more,
                Join::Xor => joined[to as usize] ^= more,
                Join::Count => n_ones += i64::from(limb.count_ones()),
            }
        }
        let first = if is_word { first_column / 32 } else { first_limb };
        for (i, more) in joined.into_iter().enumerate() {
            if more != 0 {
                let (thread, at) =
                    (i as u32 % self.settings.threads, x.first.at + first + i as u32);
                let before = self.load(thread, at);
                let limb = match join {
                    Join::Or => before | more,
                    Join::Xor => before ^ more,
                    Join::Clear | Join::Store | Join::Count => before & !more,
                };
                self.keep(thread, at, limb);
            }
        }
        if join == Join::Count {
            run.put(inst.d, run.operand(Some(inst.d), 0) + n_ones);
        }
        if let Some(c) = inst.c {
            run.put(c, i64::from(turn) + 1);
        }
        run.pc -= 1;
    }
}
