//! All kernels at one level, as a table of function pointers. See Note [Levels].

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use multiversion::inherit_target;
use multiversion::multiversion;
use multiversion::target::match_target;
use star_ir::{LogicOp, Sense};

use super::iterations::BlockIteration;
use super::level::Level;
use super::lines::{Lines, LinesMut, LinesOf};
use super::narrow::NARROWED_AT_ONCE;
use super::sums::ADDED_AT_ONCE;
use super::tables::Columns;
use super::{
    elementwise, extreme, iterations, lut, moves, narrow, reduce, sums, tables, transpose, words,
};

/// The kernels, compiled for one level.
#[derive(Clone, Copy)]
pub struct Kernels {
    level: Level,
    table: &'static Table,
}

impl std::fmt::Debug for Kernels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kernels").field(&self.level).finish()
    }
}

impl Kernels {
    /// Returns the kernels of the highest level that this machine can run.
    pub fn detect() -> Kernels {
        Kernels::at(Level::Avx512)
            .or_else(|| Kernels::at(Level::Avx2))
            .unwrap_or_else(Kernels::baseline)
    }

    /// Returns the kernels that every processor of the target can run.
    pub fn baseline() -> Kernels {
        Kernels { level: Level::Baseline, table: &BASELINE }
    }

    /// Returns the kernels of a level; `None` if this machine cannot run it.
    pub fn at(level: Level) -> Option<Kernels> {
        static AVX2: OnceLock<Option<Table>> = OnceLock::new();
        static AVX512: OnceLock<Option<Table>> = OnceLock::new();
        let table = match level {
            Level::Baseline => Some(&BASELINE),
            Level::Avx2 => AVX2.get_or_init(avx2).as_ref(),
            Level::Avx512 => AVX512.get_or_init(avx512).as_ref(),
        };
        table.map(|table| Kernels { level, table })
    }

    /// Returns the level for which they are compiled.
    pub fn level(&self) -> Level {
        self.level
    }
}

/// The table whose functions are compiled for the level of the enclosing function.
macro_rules! instances {
    (#[$target:meta] $($module:ident $name:ident ($($arg:ident: $ty:ty),*) ($($ret:ty)?))*) => {{
        $(#[$target] fn $name($($arg: $ty),*) $(-> $ret)? { $module::$name($($arg),*) })*
        Table { $($name),* }
    }};
}

/// The table, its instance for each level, and a method of [`Kernels`] for each kernel.
macro_rules! kernels {
    ($($(#[$doc:meta])* $module:ident fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {
        struct Table {
            $($name: fn($($ty),*) $(-> $ret)?,)*
        }

        static BASELINE: Table =
            instances! { #[inline(never)] $($module $name ($($arg: $ty),*) ($($ret)?))* };

        #[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"), dispatcher = "direct")]
        fn avx2() -> Option<Table> {
            match_target! {
                "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt" => Some(
                    instances! { #[inherit_target] $($module $name ($($arg: $ty),*) ($($ret)?))* }
                ),
                _ => None,
            }
        }

        #[multiversion(
            targets("x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt"),
            dispatcher = "direct"
        )]
        fn avx512() -> Option<Table> {
            match_target! {
                "x86_64+avx2+avx512bitalg+avx512bw+avx512dq+avx512f+avx512vl+avx512vpopcntdq+bmi1+bmi2+lzcnt+popcnt" => Some(
                    instances! { #[inherit_target] $($module $name ($($arg: $ty),*) ($($ret)?))* }
                ),
                _ => None,
            }
        }

        impl Kernels {
            $(
                $(#[$doc])*
                #[inline]
                pub fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                    (self.table.$name)($($arg),*)
                }
            )*
        }
    };
}

kernels! {
    /// `dst = dst op b`.
    elementwise fn logic_assign(op: LogicOp, dst: &mut [u64], b: &[u64]);
    /// `dst = f(a)`: f(a) is bit `a` of `table`, whose upper bits are ignored.
    lut fn lut1(table: u8, dst: &mut [u64], a: &[u64], len: usize);
    /// `dst = f(a, b)`: f(a, b) is bit `2a + b` of `table`, whose upper four bits are ignored.
    lut fn lut2(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], len: usize);
    /// `dst = f(dst, b)`, f as in [`Kernels::lut2`].
    lut fn lut2_assign(table: u8, dst: &mut [u64], b: &[u64], len: usize);
    /// `dst = f(a, b, c)`: f(a, b, c) is bit `4a + 2b + c` of `table`.
    lut fn lut3(table: u8, dst: &mut [u64], a: &[u64], b: &[u64], c: &[u64], len: usize);
    /// [`Kernels::lut2`] in every line.
    lut fn lut2_lines(table: u8, dst: LinesMut<'_>, of: [LinesOf<'_>; 2], lines: Lines<'_>);
    /// [`Kernels::lut2_assign`] in every line.
    lut fn lut2_assign_lines(table: u8, dst: LinesMut<'_>, b: LinesOf<'_>, lines: Lines<'_>);
    /// [`Kernels::lut3`] in every line.
    lut fn lut3_lines(table: u8, dst: LinesMut<'_>, of: [LinesOf<'_>; 3], lines: Lines<'_>);
    /// `dst` is the conjunction of five operands. Bits of `flags`: i for the complement of operand
    /// i, 5 for that of the conjunction. Where `guard`, one of the operands, is zero, the others
    /// are not read; returns the number of such groups of 8 limbs.
    lut fn chain(
        flags: u8, guard: Option<usize>, dst: &mut [u64], of: [&[u64]; 5], len: usize
    ) -> u64;
    /// Adds up to [`ADDED_AT_ONCE`] columns: sums `a xor b xor carry` under the mask, if there is
    /// one, and carries. A borrow is the carry for the complement of a. All operands are as long as
    /// `carry`.
    sums fn add_columns(
        n_columns: usize,
        is_borrow: bool,
        carry: &mut [u64],
        mask: Option<&[u64]>,
        of: [[&[u64]; 2]; ADDED_AT_ONCE],
        to: &mut [&mut [u64]; ADDED_AT_ONCE]
    );
    /// Four steps `found = found or mask and g(x, y); mask = mask and k(x, y)`: a table has the
    /// function k in its lower four bits and g in its upper ones, each as in [`Kernels::lut2`].
    /// Bits of `flags`: 0 if `mask` is stored as its complement, 1 if `found` is. Where the mask is
    /// zero, nothing is read; returns the number of such groups of 8 limbs.
    lut fn cascade(
        flags: u8, mask: &mut [u64], found: &mut [u64], of: [[&[u64]; 2]; 4], tables: [u8; 4], len: usize
    ) -> u64;
    /// Iterations on blocks of at most 8 limbs: the index of a column, which is unused here, and
    /// the path of each.
    iterations fn iterations(
        ways: &[BlockIteration], iterations: &[(usize, usize)], blocks: &mut [[u64; 8]], n_limbs: usize
    );
    /// `slice = slice and f(x, y)` for each pair of operands, f with bit `2x + y` of its table.
    narrow fn narrow(
        slice: &mut [u64], of: [[&[u64]; 2]; NARROWED_AT_ONCE], tables: [u8; NARROWED_AT_ONCE]
    );
    /// `dst = not a`.
    elementwise fn not(dst: &mut [u64], a: &[u64], len: usize);
    /// Every bit of `dst` is `bit`.
    elementwise fn fill(dst: &mut [u64], bit: bool, len: usize);
    /// The bits of `ones`, from 0, are one, all others zero. Panics if `ones` exceeds `len`.
    elementwise fn mask(dst: &mut [u64], len: usize, ones: Range<usize>);

    /// Number of ones.
    reduce fn count(a: &[u64]) -> u64;
    /// Whether all bits are one. True for no bits. Ends soon after the first zero.
    reduce fn all(a: &[u64], len: usize) -> bool;
    /// Position of the first one at or after `start`.
    reduce fn first_from(a: &[u64], start: usize) -> Option<usize>;
    /// Lists the non-zero limbs in ascending order and returns their number; `None` if the list is
    /// too short.
    reduce fn list_nonzero(a: &[u64], list: &mut [u64]) -> Option<usize>;
    /// Whether a and b, of equal length, are equal.
    reduce fn equal(a: &[u64], b: &[u64]) -> bool;
    /// Number of ones of f(a, b), f as in [`Kernels::lut2`] and zero for zeros.
    lut fn count_lut2(table: u8, a: &[u64], b: &[u64]) -> u64;
    /// Index of the first one of f(a, b), f as in [`Kernels::count_lut2`].
    lut fn first_lut2(table: u8, a: &[u64], b: &[u64]) -> Option<usize>;

    /// Towards component 1: `dst[i] = a[i + by]`, zeros beyond the end.
    moves fn shift_up(dst: &mut [u64], a: &[u64], len: usize, by: usize);
    /// Towards the last component: `dst[i] = a[i - by]`, zeros before the beginning.
    moves fn shift_down(dst: &mut [u64], a: &[u64], len: usize, by: usize);
    /// `dst[(i + by) % len] = a[i]`, for any `by`.
    moves fn rotate(dst: &mut [u64], a: &[u64], len: usize, by: usize);
    /// `dst[i] = a[len - 1 - i]`, for the limbs that `dst` has.
    moves fn mirror(dst: &mut [u64], a: &[u64], len: usize);
    /// `dst` is the limbs from `start` on of d, where `d[2i] = a[i]`, `d[2i + 1] = a[len / 2 + i]`.
    /// `len` is even.
    moves fn shuffle(dst: &mut [u64], a: &[u64], len: usize, start: usize);
    /// `dst[dst_bit + i] = src[src_bit + i]` for i below n; all other bits of `dst` are unchanged.
    moves fn copy_bits(dst: &mut [u64], dst_bit: usize, src: &[u64], src_bit: usize, n: usize);

    /// The ordering of the numbers v and w, of equal length.
    words fn compare(v: &[u64], w: &[u64]) -> Ordering;
    /// `dst = v + w + carry` modulo 2 to the `len`; returns the carry. A carry-in is allowed only
    /// if `len` is a multiple of 64.
    words fn add(dst: &mut [u64], v: &[u64], w: &[u64], len: usize, carry: bool) -> bool;
    /// `dst = v - w - borrow` modulo 2 to the `len`; returns the borrow. A borrow-in is allowed
    /// only if `len` is a multiple of 64.
    words fn sub(dst: &mut [u64], v: &[u64], w: &[u64], len: usize, borrow: bool) -> bool;
    /// The number; `None` from 2⁶³.
    words fn to_int(w: &[u64], len: usize) -> Option<i64>;
    /// The number in `len` bits; higher digits are lost. `value` is not negative.
    words fn from_int(dst: &mut [u64], value: i64, len: usize);

    /// Bit j of `dst` is bit `bit` of limb j.
    tables fn gather_bit(limbs: &[u64], bit: usize, dst: &mut [u64]);
    /// Bit j of `dst` is bit `row` of column j.
    tables fn gather_row(columns: Columns<'_>, row: usize, dst: &mut [u64]);
    /// Bit `row` of column j, of `n_cols` columns at a distance of `stride` limbs, is bit j of
    /// `src`.
    tables fn scatter_row(storage: &mut [u64], stride: usize, n_cols: usize, row: usize, src: &[u64]);

    /// Transpose: bit j of destination column r is bit r of source column j, for the rows r in the
    /// limbs `limbs` of every source column. The source has `n_rows` rows; the destination begins
    /// with column `64 * limbs.start` and has columns of `src.n_cols` bits, `dst_stride` limbs
    /// apart; the limbs between them are unchanged. Ranges of a multiple of 8 limbs are fastest.
    transpose fn transpose_limbs(
        src: Columns<'_>, n_rows: usize, limbs: Range<usize>, dst: &mut [u64], dst_stride: usize
    );

    /// The extreme number among the rows of some limbs that `mask` marks, column 0 most
    /// significant. Its `n_cols` bits are written to `out_word`. `scratch` has at least `2 *
    /// limbs.len()` limbs with arbitrary content. Returns false, and a word of zeros, if no row is
    /// marked. `mask` covers the whole table.
    extreme fn block_extreme(
        columns: Columns<'_>, limbs: Range<usize>, mask: &[u64], sense: Sense, scratch: &mut [u64],
        out_word: &mut [u64]
    ) -> bool;
    /// `out` marks the rows that `mask` marks and that hold the extreme number among these. `spare`
    /// has the same number of limbs and arbitrary content.
    extreme fn extreme(
        columns: Columns<'_>, mask: &[u64], sense: Sense, spare: &mut [u64], out: &mut [u64]
    );
    /// The extreme number among the rows of at most [`NUMBERED_LIMBS`](super::NUMBERED_LIMBS) limbs
    /// that `mask` marks, in at most [`NUMBERED_COLUMNS`](super::NUMBERED_COLUMNS) columns: column
    /// 0 most significant, and for MAX the complement, so that the smallest number wins. All ones
    /// if no row is marked.
    extreme fn block_number(
        columns: Columns<'_>, limbs: Range<usize>, mask: &[u64], sense: Sense
    ) -> u64;
    /// `out` marks the rows of some limbs that `mask` marks and that hold `word`: bit 0 of `out[0]`
    /// is the first row of limb `limbs.start`. Returns true if there is one.
    extreme fn block_match(
        columns: Columns<'_>, limbs: Range<usize>, mask: &[u64], word: &[u64], out: &mut [u64]
    ) -> bool;
}
