//! Rows of tables as numbers, and what kernels in several dispatches have in common.
//!
//! Such a kernel receives a word, the number of its first workgroup, the workgroups in the first
//! dimension, and another word; then what its function states.

use crate::{Limb, Shader};

/// The parameters of kernels in several dispatches.
pub(super) const GIVEN: &str = include_str!("../../wgsl/intrinsics/given.wgsl");
/// Numbers of 64 bits.
pub(super) const WIDE: &str = include_str!("../../wgsl/intrinsics/numbers/wide.wgsl");

/// Returns the kernel that reads the rows of a table as numbers. Given: address and stride of the
/// table, its columns, its rows; the numbers. A thread has a row.
pub fn read(threads: u32) -> Shader {
    kernel(threads, include_str!("../../wgsl/intrinsics/numbers/read.wgsl"))
}

/// Returns the kernel that writes numbers as columns. Given: the numbers, row by row, the rows, the
/// numbers of a row, the bits of a number; address and stride of the table. A thread has a word of
/// a column.
pub fn write(threads: u32) -> Shader {
    kernel(threads, include_str!("../../wgsl/intrinsics/numbers/write.wgsl"))
}

/// Returns all kernels with their names.
pub fn all(threads: u32) -> [(&'static str, Shader); 2] {
    [("read", read(threads)), ("write", write(threads))]
}

fn kernel(threads: u32, text: &str) -> Shader {
    let body = format!("const THREADS = {threads}u;\n{GIVEN}{text}");
    Shader { limb: Limb::Word, body }
}
