//! Check of the number of parts that an archive announces, before the zip library allocates memory
//! for them.
//!
//! Note [Announced parts]. The directory of an archive is found through records that may be
//! anywhere, and the library allocates memory for the number of parts in one of them, if it does
//! not exceed the number of bytes of the file. Therefore all records that the library could choose
//! are checked here. Bytes of an array occasionally look like a record; those with impossible
//! values in other fields are ignored.

use crate::budget::Budget;

/// Signature of the end-of-directory record.
const END: [u8; 4] = *b"PK\x05\x06";

/// Signature of the end-of-directory record of a large archive.
const LARGE_END: [u8; 4] = *b"PK\x06\x06";

/// Bytes of the smallest entry of a directory.
const ENTRY_BYTES: u64 = 46;

/// Memory of a part in the library.
const PART_BYTES: u64 = 512;

/// The problem with the number of parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Announced {
    /// More parts than fit in the file.
    TooMany(u64),
    /// More parts than fit in the budget; the number of bytes that they need.
    TooLarge(u64),
}

/// Checks every number of parts that the file may announce; `budget` is the memory for them.
pub(super) fn check(bytes: &[u8], budget: &Budget) -> Result<(), Announced> {
    let len = bytes.len() as u64;
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|&byte| byte == b'P') {
        rest = &rest[at..];
        if let Some(n_parts) = announced(rest, len) {
            let n_bytes = n_parts.saturating_mul(PART_BYTES);
            if n_parts > len / ENTRY_BYTES {
                return Err(Announced::TooMany(n_parts));
            }
            if !budget.allows(n_bytes.into()) {
                return Err(Announced::TooLarge(n_bytes));
            }
        }
        rest = &rest[1..];
    }
    Ok(())
}

/// The number of parts, if the bytes begin with a plausible record.
fn announced(bytes: &[u8], len: u64) -> Option<u64> {
    if bytes.starts_with(&END) {
        return Some(u64::from(u16::from_le_bytes(*bytes.get(8..)?.first_chunk()?)));
    }
    if bytes.starts_with(&LARGE_END) {
        let number = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let (n_record, n_parts) = (number(4)?, number(32)?);
        return (44..=len).contains(&n_record).then_some(n_parts);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(n_parts: u16) -> Vec<u8> {
        let mut bytes = vec![0; 460];
        bytes.extend_from_slice(b"PPK\x05\x06\0\0\0\0");
        bytes.extend_from_slice(&n_parts.to_le_bytes());
        bytes.extend_from_slice(&[0; 12]);
        bytes
    }

    fn large_end(n_record: u64, n_parts: u64) -> Vec<u8> {
        let mut bytes = b"PK\x06\x06".to_vec();
        bytes.extend_from_slice(&n_record.to_le_bytes());
        bytes.extend_from_slice(&[0; 20]);
        bytes.extend_from_slice(&n_parts.to_le_bytes());
        bytes.extend_from_slice(&[0; 100]);
        bytes
    }

    #[test]
    fn parts_must_fit_in_file_and_memory() {
        assert_eq!(check(&end(10), &Budget::from(1 << 20)), Ok(()));
        assert_eq!(check(&end(11), &Budget::from(1 << 20)), Err(Announced::TooMany(11)));
        assert_eq!(check(&end(10), &Budget::from(5000)), Err(Announced::TooLarge(5120)));
        assert_eq!(check(&large_end(44, 3), &Budget::from(1 << 20)), Ok(()));
        let many = 1 << 40;
        assert_eq!(
            check(&large_end(44, many), &Budget::from(1 << 20)),
            Err(Announced::TooMany(many))
        );
    }

    #[test]
    fn implausible_records_are_ignored() {
        assert_eq!(check(&large_end(1 << 50, 1 << 40), &Budget::from(1 << 20)), Ok(()));
        for cut in 0..40 {
            assert!(check(&large_end(44, 1)[..cut], &Budget::from(1 << 20)).is_ok());
            assert!(check(&end(1)[..460 + cut.min(20)], &Budget::from(1 << 20)).is_ok());
        }
    }
}
