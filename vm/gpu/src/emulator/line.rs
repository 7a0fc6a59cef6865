//! Computation of a line, in the control unit or, if it is wide, outside (Note \[Wide lines\] in
//! `run/wide.rs`).

use star_shaders::layout::descriptor;
use star_shaders::{Generator, Reduce};

use super::limbs::Source;
use super::{Dispatch, Emulator, Fields};

impl Emulator {
    pub(super) fn line_inst(
        &mut self,
        run: &mut Dispatch,
        inst: Fields,
        (dx, dy, dz): (u32, u32, u32),
        (a, b, c): (i64, i64, i64),
    ) {
        let generator = Generator::of_number(inst.first >> 12 & 15).unwrap_or(Generator::Logic);
        let (stores, clears) = (inst.first & 0x10_0000 != 0, inst.first & 0x20_0000 != 0);
        let of_column = generator == Generator::Logic;
        let x = self.line(dx, inst.a.filter(|_| stores).map(|_| a));
        let y = inst.y.map(|_| self.line(dy, inst.b.filter(|_| of_column).map(|_| b)));
        let z = inst.z.map(|_| self.line(dz, inst.c.map(|_| c)));
        let source = Source {
            kind: inst.first,
            n: if stores { x.bits } else { y.map_or(0, |y| y.bits) },
            at_x: x.at,
            y,
            at_z: z.map(|z| z.at),
            stride_y: if inst.y.is_some() { self.word(dy + descriptor::STRIDE) } else { 0 },
            b,
            c,
            literal: run.literals + inst.imm as u32,
            behind: if inst.z.is_none() && inst.c.is_some() { c as u32 } else { 0 },
        };
        let reduce = source.reduce();
        let source =
            Source { behind: if reduce == Reduce::First { source.behind } else { 0 }, ..source };
        let limbs = source.n.div_ceil(32);
        // A row is read column by column.
        let size = if generator == Generator::Row { source.n >> 2 } else { limbs };
        let (mut least, mut total) = (u32::MAX, 0);
        if std::mem::take(&mut run.answers) {
            (least, total) = (run.nearest, run.count as u32);
        } else if self.is_made_here(run, size, (source.words(), reduce != Reduce::Nothing)) {
            for thread in self.order(self.settings.threads) {
                let found = self.make_limbs(thread, source, (thread, self.settings.threads));
                (least, total) = (least.min(found.0), total + found.1);
            }
        } else {
            return;
        }
        match reduce {
            Reduce::Nothing => return,
            Reduce::First => {
                run.put(inst.d, if least == u32::MAX { 0 } else { i64::from(least) + 1 })
            }
            Reduce::Count => run.put(inst.d, i64::from(total)),
            Reduce::Some => run.put(inst.d, i64::from(least != u32::MAX)),
            Reduce::None => run.put(inst.d, i64::from(least == u32::MAX)),
        }
        if clears
            && least != u32::MAX
            && let Some(y) = y
        {
            let (thread, at) = (least / 32 % self.settings.threads, y.at + least / 32);
            let limb = self.load(thread, at) & !(1 << (least % 32));
            self.keep(thread, at, limb);
        }
    }
}
