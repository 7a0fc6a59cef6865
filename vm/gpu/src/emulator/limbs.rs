//! Limbs: tracking of accesses, and generators of results.

use star_shaders::layout::wide;
use star_shaders::{Generator, Reduce};

use super::{Emulator, Words};

/// A line in memory.
#[derive(Clone, Copy, Default)]
pub(super) struct Line {
    pub(super) at: u32,
    pub(super) bits: u32,
}

impl Line {
    pub(super) fn limbs(self) -> u32 {
        self.bits.div_ceil(32)
    }
}

/// The source of a generator's limbs; see [`wide`].
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) kind: u32,
    pub(super) n: u32,
    pub(super) at_x: u32,
    pub(super) y: Option<Line>,
    pub(super) at_z: Option<u32>,
    pub(super) stride_y: u32,
    pub(super) b: i64,
    pub(super) c: i64,
    pub(super) literal: u32,
    pub(super) behind: u32,
}

impl Source {
    pub(super) fn generator(self) -> Generator {
        Generator::of_number(self.kind >> 12 & 15).unwrap_or(Generator::Logic)
    }

    pub(super) fn reduce(self) -> Reduce {
        Reduce::of_number(self.kind >> 16 & 15).unwrap_or(Reduce::Nothing)
    }

    fn stores(self) -> bool {
        self.kind & 0x10_0000 != 0
    }

    /// Returns the words that the control unit leaves in the state.
    pub(super) fn words(self) -> Words {
        let mut words = [0; wide::WORDS as usize];
        let most = i64::from(i32::MAX);
        let y = self.y.unwrap_or(Line { at: 0, bits: 0 });
        for (place, word) in [
            (wide::KIND, self.kind),
            (wide::N, self.n),
            (wide::AT_X, self.at_x),
            (wide::AT_Y, y.at),
            (wide::AT_Z, self.at_z.unwrap_or(0)),
            (wide::BITS_Y, y.bits),
            (wide::STRIDE_Y, self.stride_y),
            (wide::B, self.b as u32),
            (wide::B + 1, (self.b as u64 >> 32) as u32),
            (wide::LAST, self.c.clamp(-most, most) as u32),
            (wide::LITERALS, self.literal),
            (wide::BEHIND, self.behind),
        ] {
            words[place as usize] = word;
        }
        words
    }

    /// Parses the words in the state.
    pub(super) fn of_words(words: &[u32]) -> Source {
        let has = |place: u32| words[place as usize];
        let line = |place: u32| Some(has(place)).filter(|at| *at != 0);
        Source {
            kind: has(wide::KIND),
            n: has(wide::N),
            at_x: has(wide::AT_X),
            y: line(wide::AT_Y).map(|at| Line { at, bits: has(wide::BITS_Y) }),
            at_z: line(wide::AT_Z),
            stride_y: has(wide::STRIDE_Y),
            b: (u64::from(has(wide::B)) | u64::from(has(wide::B + 1)) << 32) as i64,
            c: i64::from(has(wide::LAST) as i32),
            literal: has(wide::LITERALS),
            behind: has(wide::BEHIND),
        }
    }
}

/// Returns ones in the bits of limb `k` that are in `from` .. `to`, counted from 0.
pub(super) fn ones(k: u32, from: i64, to: i64) -> u32 {
    (0..32).filter(|bit| (from..to).contains(&(i64::from(k) * 32 + bit))).map(|bit| 1 << bit).sum()
}

impl Emulator {
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
                "two threads access limb {at} between barriers (readers {readers:b}, writers \
                    {writers:b})"
            );
            self.clash = Some(what);
        }
    }

    /// Makes the accesses of all threads visible to the others.
    pub(super) fn barrier(&mut self) {
        self.touched.clear();
    }

    /// Returns 32 components of a line from `position` on, zeros outside.
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

    /// Computes every `step`th limb from `first` on. Returns the position of the first requested
    /// component, and the number of ones.
    pub(super) fn make_limbs(
        &mut self,
        thread: u32,
        source: Source,
        (first, step): (u32, u32),
    ) -> (u32, u32) {
        let (mut nearest, mut count) = (u32::MAX, 0);
        for k in (first..source.n.div_ceil(32)).step_by(step as usize) {
            let mut limb = self.limb(thread, k, source) & ones(k, 0, i64::from(source.n));
            if source.stores() {
                self.keep(thread, source.at_x + k, limb);
            }
            count += limb.count_ones();
            limb &= !ones(k, 0, i64::from(source.behind));
            if limb != 0 {
                nearest = nearest.min(k * 32 + limb.trailing_zeros());
            }
        }
        (nearest, count)
    }

    /// Returns limb `k` of a generator.
    fn limb(&mut self, thread: u32, k: u32, source: Source) -> u32 {
        let Source { kind, n, at_x, y, at_z, stride_y, b, c, literal, behind: _ } = source;
        let table = kind >> 8 & 15;
        let none = Line { at: 0, bits: 0 };
        let of_y = y.unwrap_or(none);
        let place = i64::from(k) * 32;
        match source.generator() {
            Generator::Logic => {
                let p = y.map_or(0, |y| self.load(thread, y.at + k));
                let q = at_z.map_or(0, |at| self.load(thread, at + k));
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
                    let at = of_y.at + (k * 32 + bit) * stride_y + row / 32;
                    limb |= (self.load(thread, at) >> (row % 32) & 1) << bit;
                }
                limb
            }
            Generator::Literal => self.mem[(literal + k) as usize],
            Generator::Replace => {
                let mask = ones(k, b, b + i64::from(of_y.bits));
                let old = self.load(thread, at_x + k);
                old & !mask | self.funnel(thread, of_y, place - b) & mask
            }
        }
    }
}
