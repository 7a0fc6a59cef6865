//! What the operations work on: one value of each kind, which goes into the machine and comes back,
//! so that there is no second one.

use star_base::Random;
use star_value::{BitTable, BitVector, Value};

/// The seed of all values.
pub(super) const SEED: u64 = 1;

/// Columns of the wide table, and of the narrow ones.
const WIDE: usize = 32;
const NARROW: usize = 8;

/// The head of the routine around a statement. Everything comes by reference, so that nothing is
/// copied.
///
/// X, Y, W are random, O is zero, L zero with a one at the end, V as X; Z takes results. P and Q
/// are equal words, S takes results, U has half as many components. v and w are the first rows of F
/// and T.
pub(super) const HEAD: &str = "\
procedure BENCH(times: integer; var T: table(n,j); var F,G,R: table(n,h);
                var X,Y,W,O,L,V,Z: slice(n); var P,Q,S: word(n); var U: word;
                var v: word(h); var w: word(j));
var k,t: integer; b: boolean; part: word;
";

/// The arguments of that routine, without the first one, for slices of `n_bits` bits. Tables that
/// the statement does not use have as many rows as the others and one column.
pub(super) fn values(n_bits: usize, wide: bool, narrow: bool) -> Vec<Value> {
    let mut random = Random::new(SEED);
    let width = |wanted, columns| if wanted { columns } else { 1 };
    let (wide, narrow) = (width(wide, WIDE), width(narrow, NARROW));
    let tables = [wide, narrow, narrow, narrow].map(|columns| table(&mut random, n_bits, columns));
    let rows = [&tables[1], &tables[0]].map(|table| Value::Word(table.row(0)));
    let mut noise = || bits(&mut random, n_bits);
    let (x, y, w, p) = (noise(), noise(), noise(), noise());
    let zeros = BitVector::zeros(n_bits);
    let mut last = zeros.clone();
    last.put(n_bits - 1, true);
    let slices = [x.clone(), y, w, zeros.clone(), last, x, zeros];
    let words = [p.clone(), p, bits(&mut random, n_bits), bits(&mut random, n_bits / 2)];
    let mut values: Vec<Value> = tables.into_iter().map(Value::from).collect();
    values.extend(slices.into_iter().map(Value::Slice));
    values.extend(words.into_iter().map(Value::Word));
    values.extend(rows);
    values
}

fn bits(random: &mut Random, n_bits: usize) -> BitVector {
    let mut bits = BitVector::zeros(n_bits);
    fill(random, bits.limbs_mut(), n_bits);
    bits
}

fn table(random: &mut Random, n_rows: usize, n_cols: usize) -> BitTable {
    let mut table = BitTable::zeros(n_rows, n_cols).expect("as much memory as the lengths ask for");
    for col_idx in 0..n_cols {
        fill(random, table.column_limbs_mut(col_idx), n_rows);
    }
    table
}

fn fill(random: &mut Random, limbs: &mut [u64], n_bits: usize) {
    limbs.fill_with(|| random.next_u64());
    star_value::bits::zero_tail(limbs, n_bits);
}
