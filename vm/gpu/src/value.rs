//! Values on the device, and the transfer of their bits.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use star_ir::{Extent, HandlePart, Ty};
use star_value::{BitTable, BitVector, OutOfMemory, Value as HostValue};
use star_vm::BackendError;
use star_vm::columns::by_columns;

use crate::compile::words_of;
use crate::heap::{Block, Heap};

/// The slot of a variable outside a run: its value, if any, and whether its size is fixed.
#[derive(Default)]
pub struct Value {
    pub(crate) data: Data,
    /// The number of components of a slice or word that was never set, if it is known.
    pub(crate) size: Option<u32>,
    /// Whether a slice or word keeps its size, or a table cannot grow.
    pub(crate) fixed: bool,
}

/// The data of a value.
#[derive(Default)]
pub(crate) enum Data {
    #[default]
    Nothing,
    Int(i64),
    Bool(bool),
    Text(Arc<str>),
    Object(Placed),
    /// The tables of a handle.
    Handle(Vec<(HandlePart, Placed)>),
}

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Slice,
    Word,
    Table,
}

/// The sizes of an object. A slice or word is one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) kind: ObjectKind,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

/// An object on the device, which is freed with this.
pub(crate) struct Placed {
    pub(crate) sizes: Sizes,
    pub(crate) block: Block,
    pub(crate) heap: Rc<RefCell<Heap>>,
}

impl Drop for Placed {
    fn drop(&mut self) {
        // While a run borrows the heap, it owns all values, too.
        if let Ok(mut heap) = self.heap.try_borrow_mut() {
            heap.give(self.block);
        }
    }
}

impl Sizes {
    /// Returns the words from one column to the next.
    pub(crate) fn stride(self) -> u32 {
        2 * self.rows.div_ceil(64)
    }

    /// Returns the words of all columns.
    pub(crate) fn words(self) -> u64 {
        u64::from(self.stride()) * u64::from(self.columns)
    }

    /// Returns the type with these sizes.
    pub(crate) fn ty(self) -> Ty {
        let (rows, columns) = (Extent::Const(self.rows.into()), Extent::Const(self.columns.into()));
        match self.kind {
            ObjectKind::Slice => Ty::Slice(rows),
            ObjectKind::Word => Ty::Word(rows),
            ObjectKind::Table => Ty::Table(rows, columns),
        }
    }

    /// Checks that the device can hold these sizes.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] for lines that are too long.
    pub(crate) fn new(kind: ObjectKind, rows: usize, columns: usize) -> Result<Self, BackendError> {
        let size = |n: usize| match u32::try_from(n) {
            Ok(n) if n <= MAX_BITS => Ok(n),
            Ok(_) | Err(_) => Err(BackendError::Unsupported {
                what: format!("lines of {n} components; it holds at most {MAX_BITS}"),
            }),
        };
        Ok(Sizes { kind, rows: size(rows)?, columns: size(columns)? })
    }
}

/// Maximum components of a line: positions in it are signed numbers of 32 bits on the device.
pub(crate) const MAX_BITS: u32 = 0x7fff_ffc0;

impl ObjectKind {
    /// Returns the kind of a type of objects.
    pub(crate) fn of(ty: Ty) -> Option<ObjectKind> {
        match ty {
            Ty::Slice(_) => Some(ObjectKind::Slice),
            Ty::Word(_) => Some(ObjectKind::Word),
            Ty::Table(..) => Some(ObjectKind::Table),
            Ty::Int | Ty::Bool | Ty::Str | Ty::Handle => None,
        }
    }
}

/// Writes columns, the first to `at`.
pub(crate) fn upload(heap: &mut Heap, at: u32, limbs: &[u64]) -> Result<(), BackendError> {
    // The device receives the data piece by piece.
    for (idx, piece) in limbs.chunks(PIECE).enumerate() {
        heap.unit.write(at + (idx * PIECE * 2) as u32, &words(piece))?;
    }
    Ok(())
}

/// Converts limbs of the host to words of the device.
fn words(limbs: &[u64]) -> Cow<'_, [u32]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(bytemuck::cast_slice(limbs)),
        false => words_of(limbs).collect(),
    }
}

/// Limbs that are transferred to or from the device at once: 8 MiB.
const PIECE: usize = 1 << 20;

/// Reads `columns` lines of `rows` components, the first at `at`.
pub(crate) fn download(
    heap: &mut Heap,
    at: u32,
    (rows, columns): (u32, usize),
    mut into: impl FnMut(usize, &[u64]),
) -> Result<(), BackendError> {
    let stride = 2 * rows.div_ceil(64) as usize;
    if stride == 0 {
        return Ok(());
    }
    let at_once = (PIECE * 2 / stride).max(1);
    let mut limbs: Vec<u64> = Vec::new();
    for first in (0..columns).step_by(at_once) {
        let n = at_once.min(columns - first);
        limbs.resize(n * stride / 2, 0);
        let words: &mut [u32] = bytemuck::cast_slice_mut(&mut limbs);
        heap.unit.read(at + (first * stride) as u32, words)?;
        if cfg!(target_endian = "big") {
            limbs.iter_mut().for_each(|limb| *limb = limb.rotate_left(32));
        }
        for (idx, line) in limbs.chunks_mut(stride / 2).enumerate() {
            clear_unwritten(rows, line);
            into(first + idx, line);
        }
    }
    Ok(())
}

/// Clears the other half of the last limb of a line, which is never written.
fn clear_unwritten(rows: u32, line: &mut [u64]) {
    let used = rows.div_ceil(32) as usize;
    if used % 2 == 1 {
        line[used / 2] &= 0xffff_ffff;
    }
}

/// Returns the value of an object in the memory of the device.
pub(crate) fn download_object(
    heap: &mut Heap,
    at: u32,
    sizes: Sizes,
) -> Result<HostValue, BackendError> {
    let columns = sizes.columns as usize;
    object(sizes, |into| download(heap, at, (sizes.rows, columns), into))
}

/// Returns the value of an object whose columns these words are.
pub(crate) fn object_of_words(sizes: Sizes, words: &[u32]) -> Result<HostValue, BackendError> {
    object(sizes, |into| {
        let columns = words.chunks(sizes.stride().max(1) as usize);
        for (idx, column) in columns.enumerate() {
            let limbs = column.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
            let mut limbs: Vec<u64> = limbs.collect();
            clear_unwritten(sizes.rows, &mut limbs);
            into(idx, &limbs);
        }
        Ok(())
    })
}

/// Returns the value of an object whose columns are passed one after another.
fn object(
    sizes: Sizes,
    columns: impl FnOnce(&mut dyn FnMut(usize, &[u64])) -> Result<(), BackendError>,
) -> Result<HostValue, BackendError> {
    if sizes.kind == ObjectKind::Table {
        let n_bytes = u128::from(sizes.words()) * 4;
        let table = BitTable::zeros(sizes.rows as usize, sizes.columns as usize);
        let mut table = table.map_err(|_| OutOfMemory { n_bytes })?;
        columns(&mut |idx, limbs| table.column_limbs_mut(idx).copy_from_slice(limbs))?;
        return Ok(table.into());
    }
    let mut bits = BitVector::try_zeros(sizes.rows as usize)?;
    columns(&mut |_, limbs| bits.limbs_mut().copy_from_slice(limbs))?;
    Ok(match sizes.kind {
        ObjectKind::Slice => HostValue::Slice(bits),
        ObjectKind::Word | ObjectKind::Table => HostValue::Word(bits),
    })
}

/// Copies bits to the device.
///
/// # Errors
/// If there is no memory for them, or their lines are too long.
pub(crate) fn place(heap: &mut Heap, value: &HostValue) -> Result<(Sizes, Block), BackendError> {
    match value {
        HostValue::Slice(bits) | HostValue::Word(bits) => {
            let kind = if matches!(value, HostValue::Slice(_)) {
                ObjectKind::Slice
            } else {
                ObjectKind::Word
            };
            let sizes = Sizes::new(kind, bits.len(), 1)?;
            let block = heap.take(sizes.words())?;
            upload(heap, block.at, bits.limbs())?;
            Ok((sizes, block))
        }
        HostValue::Table(table) => {
            let sizes = Sizes::new(ObjectKind::Table, table.n_rows(), table.n_cols())?;
            let block = heap.take(sizes.words())?;
            upload_columns(heap, block.at, sizes, &*by_columns(table.view())?)?;
            Ok((sizes, block))
        }
        HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => {
            Err(BackendError::Internal("a number instead of an object".to_owned()))
        }
    }
}

/// Writes all columns of a table, the first to `at`.
pub(crate) fn upload_columns(
    heap: &mut Heap,
    at: u32,
    sizes: Sizes,
    table: &BitTable,
) -> Result<(), BackendError> {
    let stride = sizes.stride() as usize;
    if stride == 0 {
        return Ok(());
    }
    let at_once = (PIECE * 2 / stride).max(1);
    for first in (0..table.n_cols()).step_by(at_once) {
        let columns = first..table.n_cols().min(first + at_once);
        let at = at + (first * stride) as u32;
        if columns.len() == 1 {
            upload(heap, at, &table.column_limbs(first)[..stride / 2])?;
            continue;
        }
        let mut limbs = Vec::with_capacity(columns.len() * stride / 2);
        columns.for_each(|idx| limbs.extend(&table.column_limbs(idx)[..stride / 2]));
        heap.unit.write(at, &words(&limbs))?;
    }
    Ok(())
}
