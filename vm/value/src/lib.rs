//! Values of Star programs outside a backend: readers make them, backends load and return them.
//!
//! * [`value`]: a value and an argument. [`display`]: the text of values.
//! * [`table`]: tables in the forms in which they enter and leave a backend; [`layout`]: the layout
//!   that a program prefers, and the one that a table has. [`bits_ref`]: bits, borrowed.
//! * [`bits`]: packed bit vectors and tables; [`sparse`]: tables with few ones or few zeros.
//! * [`limbs`], [`zeros`]: their memory; [`transpose`]: blocks of 64 × 64 bits.
//!
//! This crate does not use files, the environment, standard output or the clock.

pub mod bits;
pub mod bits_ref;
pub mod display;
pub mod layout;
pub mod limbs;
pub mod sparse;
pub mod table;
pub mod transpose;
pub mod value;
pub mod zeros;

pub use bits::{BitTable, BitVector, stride_of};
pub use bits_ref::BitsRef;
pub use layout::{SparseWish, TableForm, TableLayout, TableWish};
pub use limbs::{Limbs, OutOfMemory};
pub use sparse::{SparseLine, SparseLines, SparseTable};
pub use table::{Table, TableRef};
pub use value::{Argument, Value};
pub use zeros::Zeros;
