//! Limbs: who touches them, and where those of a result come from.

use star_shaders::Generator;

use super::Twin;

/// A line in memory.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub(super) at: u32,
    pub(super) bits: u32,
}

/// What a generator makes limbs of.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) table: u32,
    pub(super) x: Line,
    pub(super) y: Option<Line>,
    pub(super) z: Option<Line>,
    pub(super) b: i64,
    pub(super) c: i64,
    pub(super) literal: u32,
    pub(super) stride: u32,
    pub(super) n: u32,
}

/// Ones in the places of limb `k` that lie in `from` .. `to`, counted from 0.
pub(super) fn ones(k: u32, from: i64, to: i64) -> u32 {
    (0..32).filter(|bit| (from..to).contains(&(i64::from(k) * 32 + bit))).map(|bit| 1 << bit).sum()
}

impl Twin {
    pub(super) fn load(&mut self, thread: u32, at: u32) -> u32 {
        let (readers, writers) = self.touched.entry(at).or_default();
        *readers |= 1 << thread;
        let (readers, writers) = (*readers, *writers);
        self.look_for_clash(at, readers, writers);
        self.mem[at as usize]
    }

    pub(super) fn keep(&mut self, thread: u32, at: u32, limb: u32) {
        let (readers, writers) = self.touched.entry(at).or_default();
        *writers |= 1 << thread;
        let (readers, writers) = (*readers, *writers);
        self.look_for_clash(at, readers, writers);
        self.mem[at as usize] = limb;
    }

    fn look_for_clash(&mut self, at: u32, readers: u64, writers: u64) {
        if writers != 0 && (readers | writers).count_ones() > 1 && self.clash.is_none() {
            let what = format!(
                "two threads touch limb {at} between barriers (readers {readers:b}, writers {writers:b})"
            );
            self.clash = Some(what);
        }
    }

    /// All threads have seen what the others did.
    pub(super) fn barrier(&mut self) {
        self.touched.clear();
    }

    /// 32 components of a line from `position` on, zeros outside.
    pub(super) fn funnel(&mut self, thread: u32, line: Line, position: i64) -> u32 {
        let limbs = i64::from(line.bits.div_ceil(32));
        let (limb, by) = (position.div_euclid(32), position.rem_euclid(32) as u32);
        let mut get = |limb: i64| {
            if (0..limbs).contains(&limb) { self.load(thread, line.at + limb as u32) } else { 0 }
        };
        let low = get(limb);
        if by == 0 {
            return low;
        }
        low >> by | get(limb + 1) << (32 - by)
    }

    /// Limb `k` of what a generator makes.
    pub(super) fn limb(
        &mut self,
        thread: u32,
        k: u32,
        generator: Generator,
        source: Source,
    ) -> u32 {
        let Source { table, x, y, z, b, c, literal, stride, n } = source;
        let none = Line { at: 0, bits: 0 };
        let of_y = y.unwrap_or(none);
        let place = i64::from(k) * 32;
        match generator {
            Generator::Logic => {
                let p = y.map_or(0, |y| self.load(thread, y.at + k));
                let q = z.map_or(0, |z| self.load(thread, z.at + k));
                (0..32)
                    .filter(|bit| table >> (2 * (p >> bit & 1) + (q >> bit & 1)) & 1 == 1)
                    .map(|bit| 1u32 << bit)
                    .sum()
            }
            Generator::Funnel => self.funnel(thread, of_y, place.saturating_add(b)),
            Generator::Rotate => {
                self.funnel(thread, of_y, place - b)
                    | self.funnel(thread, of_y, place - b + i64::from(n))
            }
            Generator::Mirror => {
                self.funnel(thread, of_y, i64::from(n) - 32 - place).reverse_bits()
            }
            Generator::Shuffle => {
                let half = i64::from(n / 2);
                let mut limb = 0;
                for bit in 0..16 {
                    let from = place / 2 + bit;
                    if from < half {
                        limb |= (self.funnel(thread, of_y, from) & 1) << (2 * bit);
                    }
                    limb |= (self.funnel(thread, of_y, half + from) & 1) << (2 * bit + 1);
                }
                limb
            }
            Generator::Mask => ones(k, b.saturating_sub(1), c),
            Generator::Number => (0..32)
                .filter(|bit| {
                    let digit = i64::from(n) - 1 - place - bit;
                    (0..63).contains(&digit) && b >> digit & 1 == 1
                })
                .map(|bit| 1u32 << bit)
                .sum(),
            Generator::Row => {
                let row = b as u32 - 1;
                let mut limb = 0;
                for bit in 0..32.min(n - k * 32) {
                    let at = of_y.at + (k * 32 + bit) * stride + row / 32;
                    limb |= (self.load(thread, at) >> (row % 32) & 1) << bit;
                }
                limb
            }
            Generator::Literal => self.mem[(literal + k) as usize],
            Generator::Replace => {
                let mask = ones(k, b, b + i64::from(of_y.bits));
                let old = self.load(thread, x.at + k);
                old & !mask | self.funnel(thread, of_y, place - b) & mask
            }
        }
    }
}
