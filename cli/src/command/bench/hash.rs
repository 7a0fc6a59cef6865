//! Hash of all results of a run: 64-bit FNV-1a (Fowler, Noll, Vo), over the kinds, sizes and bits
//! of the values and over the printed output.

use star_value::Value;

/// Offset basis and prime.
const FNV: (u64, u64) = (0xcbf2_9ce4_8422_2325, 0x0000_0100_0000_01b3);

struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(FNV.1);
        }
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn limbs(&mut self, kind: u8, len: usize, limbs: &[u64]) {
        self.bytes(&[kind]);
        self.number(len as u64);
        // Hash whole limbs, since tables are long.
        for limb in limbs {
            self.0 = (self.0 ^ limb).wrapping_mul(FNV.1);
            self.0 ^= self.0 >> 32;
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Unset => self.bytes(b"u"),
            Value::Int(number) => {
                self.bytes(b"i");
                self.bytes(&number.to_le_bytes());
            }
            Value::Bool(truth) => self.bytes(&[b'b', u8::from(*truth)]),
            Value::Str(text) => {
                self.bytes(b"s");
                self.number(text.len() as u64);
                self.bytes(text.as_bytes());
            }
            Value::Slice(bits) => self.limbs(b'c', bits.len(), bits.limbs()),
            Value::Word(bits) => self.limbs(b'w', bits.len(), bits.limbs()),
            Value::Table(table) => {
                self.bytes(b"t");
                self.number(table.n_cols() as u64);
                for column in 0..table.n_cols() {
                    self.limbs(b'c', table.n_rows(), &table.column_limbs(column));
                }
            }
        }
    }
}

/// Returns the hash of these results as 16 digits.
pub(super) fn hash(results: &[Value], printed: &str) -> String {
    let mut fnv = Fnv(FNV.0);
    results.iter().for_each(|value| fnv.value(value));
    fnv.bytes(printed.as_bytes());
    format!("{:016x}", fnv.0)
}

#[cfg(test)]
mod tests {
    use star_value::{BitTable, BitVector};

    use super::*;

    #[test]
    fn every_visible_result_changes_the_hash() {
        let bits = |text| BitVector::parse(text).unwrap();
        let table = |rows: &[&str]| Value::from(BitTable::parse(rows).unwrap());
        let results = [
            vec![],
            vec![Value::Int(1)],
            vec![Value::Bool(true)],
            vec![Value::Unset],
            vec![Value::Str("1".to_owned())],
            vec![Value::Slice(bits("01"))],
            vec![Value::Word(bits("01"))],
            vec![Value::Slice(bits("010"))],
            vec![table(&["01", "10"])],
            vec![table(&["10", "01"])],
            vec![table(&["01", "10", "00"])],
        ];
        let mut hashes: Vec<String> = results.iter().map(|values| hash(values, "")).collect();
        hashes.push(hash(&results[1], "1"));
        let n = hashes.len();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), n);
        assert_eq!(hash(&results[8], "x"), hash(&results[8].clone(), "x"));
    }
}
