//! Counts of the lowest levels, several in a limb, and their packing.

use multiversion::multiversion;

/// Limbs of the field that are packed at once: 64 nodes of level D − 6, so that every level above
/// the field occupies whole limbs.
pub(super) const GROUP: usize = 64;

/// The counts of levels D − 6 to D − 1 for a group. They are summed in parallel within a limb, two
/// fields to one of twice the width, and then compacted to the width that the heap uses.
#[multiversion(targets(
    "x86_64+avx2+avx512bw+avx512dq+avx512f+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub(super) fn pack_group(field: &[u64; GROUP], to: [&mut [u64]; 6]) {
    let [w7, w6, w5, w4, w3, w2] = to;
    let pairs = field.map(pairs);
    w2.copy_from_slice(&pairs);
    let nibbles = pairs.map(nibbles);
    let by_3 = nibbles.map(by_3);
    for (to, x) in w3.as_chunks_mut::<3>().0.iter_mut().zip(by_3.as_chunks::<4>().0) {
        *to = [x[0] | x[1] << 48, x[1] >> 16 | x[2] << 32, x[2] >> 32 | x[3] << 16];
    }
    let bytes = nibbles.map(bytes);
    let by_4 = bytes.map(by_4);
    for (to, x) in w4.iter_mut().zip(by_4.as_chunks::<2>().0) {
        *to = x[0] | x[1] << 32;
    }
    let words = bytes.map(words);
    let halves = words.map(halves);
    let mut packer = Packer::new(w5);
    words.iter().for_each(|&x| packer.put(by_5(x), 20));
    packer.finish();
    let mut packer = Packer::new(w6);
    halves.iter().for_each(|&x| packer.put(by_6(x), 12));
    packer.finish();
    let mut packer = Packer::new(w7);
    halves.iter().for_each(|&x| packer.put(by_7(x), 7));
    packer.finish();
}

/// Counts in fields of 2 bits.
#[inline(always)]
pub(super) fn pairs(x: u64) -> u64 {
    (x & 0x5555_5555_5555_5555) + (x >> 1 & 0x5555_5555_5555_5555)
}

/// Counts in fields of 4 bits, of which 3 are used.
#[inline(always)]
pub(super) fn nibbles(pairs: u64) -> u64 {
    (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333)
}

/// Counts in fields of 8 bits, of which 4 are used.
#[inline(always)]
pub(super) fn bytes(nibbles: u64) -> u64 {
    (nibbles & 0x0f0f_0f0f_0f0f_0f0f) + (nibbles >> 4 & 0x0f0f_0f0f_0f0f_0f0f)
}

/// Counts in fields of 16 bits, of which 5 are used.
#[inline(always)]
pub(super) fn words(bytes: u64) -> u64 {
    (bytes & 0x00ff_00ff_00ff_00ff) + (bytes >> 8 & 0x00ff_00ff_00ff_00ff)
}

/// Counts in fields of 32 bits, of which 6 are used.
#[inline(always)]
pub(super) fn halves(words: u64) -> u64 {
    (words & 0x0000_ffff_0000_ffff) + (words >> 16 & 0x0000_ffff_0000_ffff)
}

/// Compacts 16 numbers of 3 bits in 4 to 48 bits, via 6 in 8, 12 in 16 and 24 in 32.
#[inline(always)]
pub(super) fn by_3(x: u64) -> u64 {
    let x = x & 0x0707_0707_0707_0707 | x >> 1 & 0x3838_3838_3838_3838;
    let x = x & 0x003f_003f_003f_003f | x >> 2 & 0x0fc0_0fc0_0fc0_0fc0;
    let x = x & 0x0000_0fff_0000_0fff | x >> 4 & 0x00ff_f000_00ff_f000;
    x & 0x0000_0000_00ff_ffff | x >> 8 & 0x0000_ffff_ff00_0000
}

/// Compacts 8 numbers of 4 bits in 8 to 32 bits.
#[inline(always)]
pub(super) fn by_4(x: u64) -> u64 {
    let x = x & 0x000f_000f_000f_000f | x >> 4 & 0x00f0_00f0_00f0_00f0;
    let x = x & 0x0000_00ff_0000_00ff | x >> 8 & 0x0000_ff00_0000_ff00;
    x & 0xffff | x >> 16 & 0xffff_0000
}

/// Compacts 4 numbers of 5 bits in 16 to 20 bits.
#[inline(always)]
pub(super) fn by_5(x: u64) -> u64 {
    let x = x & 0x0000_001f_0000_001f | x >> 11 & 0x0000_03e0_0000_03e0;
    x & 0x3ff | x >> 22 & 0xf_fc00
}

/// Compacts 2 numbers of 6 bits in 32 to 12 bits.
#[inline(always)]
pub(super) fn by_6(x: u64) -> u64 {
    x & 0x3f | x >> 26 & 0xfc0
}

/// The count of 64 bits, in 7 bits.
#[inline(always)]
pub(super) fn by_7(halves: u64) -> u64 {
    (halves + (halves >> 32)) & 0x7f
}

/// Writes numbers contiguously.
pub(super) struct Packer<'a> {
    limbs: std::slice::IterMut<'a, u64>,
    pending: u64,
    n_pending: u32,
}

impl<'a> Packer<'a> {
    pub(super) fn new(limbs: &'a mut [u64]) -> Self {
        Packer { limbs: limbs.iter_mut(), pending: 0, n_pending: 0 }
    }

    /// Writes a number of `width` bits, 1 to 64.
    #[inline(always)]
    pub(super) fn put(&mut self, number: u64, width: u32) {
        self.pending |= number << self.n_pending;
        let n_bits = self.n_pending + width;
        if n_bits < 64 {
            self.n_pending = n_bits;
            return;
        }
        if let Some(limb) = self.limbs.next() {
            *limb = self.pending;
        }
        // The whole number was written if nothing was pending.
        self.pending = number.checked_shr(64 - self.n_pending).unwrap_or(0);
        self.n_pending = n_bits - 64;
    }

    pub(super) fn finish(mut self) {
        if let (1.., Some(limb)) = (self.n_pending, self.limbs.next()) {
            *limb = self.pending;
        }
    }
}
