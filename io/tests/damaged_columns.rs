//! Parquet and Arrow files with all single faults: truncated at each byte, and with each byte
//! changed. Their decoders are third-party code, so memory and termination are checked. (A separate
//! binary, since memory is counted per process.)

use std::panic;
use std::path::Path;

use peak_alloc::PeakAlloc;
use star_base::Code;
use star_io::{Decimal, Format, ReadOptions, read};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The budget of a reader in bytes.
const BUDGET: u64 = 1 << 20;

/// Additional memory that it may use: buffers, and the decoder's form of one batch.
const BESIDE: usize = 3 << 20;

/// The changes of a byte: each of its bits, and all of them.
const CHANGES: [u8; 9] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff];

/// Reads a file; returns the code of the error, if any.
fn attempt(name: &str, format: Format, mut bytes: &[u8]) -> Option<Code> {
    let mut options = ReadOptions::new(name, BUDGET);
    options.scale = Decimal::parse("100");
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let found = read(format, &mut bytes, &mut options).err().map(|error| error.code);
    let taken = MEMORY.peak_usage().saturating_sub(before);
    assert!(taken <= BUDGET as usize + BESIDE, "{name} takes {taken} bytes");
    found
}

#[test]
fn damaged_columnar_files_are_rejected_or_stay_in_budget() {
    // Decoder panics are caught; the hook silences thousands of messages.
    let told = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !star_io::panics_are_caught() {
            told(info);
        }
    }));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/columnar");
    let (mut n_read, mut n_refused) = (0_u32, 0_u32);
    for name in [
        "people-snappy.parquet",
        "people-gzip.parquet",
        "people-lz4.parquet",
        "people-none.parquet",
        "groups.parquet",
        "gap.parquet",
        "empty.parquet",
        "people.arrow",
        "people.feather",
    ] {
        let whole = std::fs::read(folder.join(name)).expect("the file is there");
        let format = Format::of_path(name).expect("a known extension");
        for len in 0..whole.len() {
            let code = attempt(name, format, &whole[..len]);
            assert!(matches!(code, Some(Code::Truncated | Code::BadFormat)), "{name}: {len} bytes");
        }
        let mut changed = whole.clone();
        for at in 0..whole.len() {
            for change in CHANGES {
                changed[at] = whole[at] ^ change;
                match attempt(name, format, &changed) {
                    // Some bytes are irrelevant, or are values.
                    None => n_read += 1,
                    Some(Code::Truncated | Code::BadFormat | Code::DoesNotFit) => n_refused += 1,
                    Some(code) => panic!("{name}, byte {at} by {change:#04x}: {code:?}"),
                }
            }
            changed[at] = whole[at];
        }
    }
    assert!(n_read > 1000 && n_refused > 1000, "{n_read} read, {n_refused} refused");
}
