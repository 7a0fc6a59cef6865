//! Pictures of session variables. Only the shown columns of a table are read.

use std::ops::Range;

use star_base::did_you_mean;
use star_base::text;
use star_bind::RecordList;
use star_ir::{Extent, Ty};
use star_os::failure::not_shown;
use star_value::{BitTable, Value};
use star_vm::BackendError;

use super::grid::Grid;
use super::request::{Fault, NamedValue, Request, resolve};
use super::{Screen, sizes, table, titled, value};
use crate::view::{RESULT, View};

/// A table of a session.
struct Stored<'a> {
    view: &'a View<'a>,
    slot: &'a str,
    n_rows: usize,
    n_cols: usize,
}

impl Grid for Stored<'_> {
    fn n_rows(&self) -> usize {
        self.n_rows
    }
    fn n_cols(&self) -> usize {
        self.n_cols
    }
    fn columns(&self, columns: Range<usize>) -> Option<BitTable> {
        self.view.columns(self.slot, columns)
    }
}

/// Returns the table in a slot; `None` if the slot is unset or holds another type.
fn stored<'a>(view: &'a View<'a>, slot: &'a str) -> Option<Stored<'a>> {
    let size = |extent| match extent {
        Extent::Const(n) => usize::try_from(n).ok(),
        Extent::Var(_) | Extent::Dynamic => None,
    };
    match view.ty(slot)? {
        Ty::Table(rows, columns) => {
            Some(Stored { view, slot, n_rows: size(rows)?, n_cols: size(columns)? })
        }
        Ty::Int | Ty::Bool | Ty::Str | Ty::Handle | Ty::Slice(_) | Ty::Word(_) => None,
    }
}

/// Formats the value in a slot, without a final line break. A slice is shown next to the table from
/// which it was created, or else next to `last`, the table shown last, or else next to the only
/// table with as many rows.
pub fn shown(view: &View<'_>, slot: &str, last: Option<&str>, screen: Screen) -> String {
    let name = (slot != RESULT).then_some(slot);
    if let Some(grid) = stored(view, slot) {
        let variable = view.environment.get(slot);
        let record = variable.and_then(|variable| variable.record.as_deref());
        return match record {
            Some(record) => super::records::records(name, record, &grid, screen),
            None => of_list(view, name, &grid),
        }
        .unwrap_or_else(|| table(name, &grid, screen));
    }
    if view.ty(slot) == Some(Ty::Handle) {
        return "handle".to_owned();
    }
    let held = match view.value(slot) {
        Ok(held) => held,
        Err(error) => return not_shown(&error),
    };
    let n_rows = match &held {
        Value::Slice(bits) => Some(bits.len()),
        Value::Unset
        | Value::Int(_)
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Word(_)
        | Value::Table(_) => None,
    };
    let related = n_rows.and_then(|n_rows| related(view, slot, last, n_rows));
    let related = related.as_ref().map(|grid| (grid.slot, grid as &dyn Grid));
    value(name, &held, related, screen)
}

/// Formats a table as records of a list that was read, if their widths match.
fn of_list(view: &View<'_>, name: Option<&str>, grid: &Stored<'_>) -> Option<String> {
    let list = RecordList::of_width(view.lists, grid.n_cols)?;
    let column = |idx: usize| Some(grid.columns(idx..idx + 1)?.into_first_column());
    let lines = list.lines(grid.n_rows, &column)?;
    let title = titled(name, &sizes(grid));
    Some(format!("{title}, as records of {}\n{}", list.name, lines.trim_end()))
}

/// Tests whether the slot holds a table.
pub fn is_table(view: &View<'_>, slot: &str) -> bool {
    stored(view, slot).is_some()
}

fn related<'a>(
    view: &'a View<'a>,
    slot: &str,
    last: Option<&'a str>,
    n_rows: usize,
) -> Option<Stored<'a>> {
    let fits = |slot: &'a str| stored(view, slot).filter(|grid| grid.n_rows == n_rows);
    let declared = view.environment.get(slot).and_then(|variable| variable.related.as_deref());
    let only = || {
        let mut fitting = view.variables().filter_map(|(name, _)| fits(name));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    declared.and_then(fits).or_else(|| last.and_then(fits)).or_else(only)
}

/// A value named by a request, held while it is drawn.
enum Held<'a> {
    Table(Stored<'a>),
    Bits(Value),
}

/// Returns the text of a request, line breaks included.
///
/// # Errors
/// Names that are not tables, slices or words, and the errors of [`resolve`].
pub fn requested(view: &View<'_>, request: &Request, screen: Screen) -> Result<String, Fault> {
    let mut held = Vec::new();
    for name in &request.names {
        held.push(hold(view, name)?);
    }
    let mut title = None;
    let mut named = Vec::new();
    for (name, held) in request.names.iter().zip(&held) {
        named.push(match held {
            Held::Table(grid) => {
                title = Some(format!("{name}: {}\n", sizes(grid)));
                NamedValue::Table(grid)
            }
            Held::Bits(Value::Word(bits)) => NamedValue::Word(bits),
            Held::Bits(Value::Slice(bits)) => NamedValue::Slice(bits),
            Held::Bits(_) => return Err(unset(name)),
        });
    }
    let lines = resolve(request, &named, screen)?;
    Ok(title.unwrap_or_default() + &lines.join("\n") + if lines.is_empty() { "" } else { "\n" })
}

/// Returns the number of rows of a request: those of its table or slices; 0 if it has none.
///
/// # Errors
/// Names that are not tables, slices or words.
pub fn rows(view: &View<'_>, request: &Request) -> Result<usize, Fault> {
    let mut n_rows = 0;
    for name in &request.names {
        match hold(view, name)? {
            Held::Table(grid) => return Ok(grid.n_rows),
            Held::Bits(Value::Slice(bits)) => n_rows = bits.len(),
            Held::Bits(_) => {}
        }
    }
    Ok(n_rows)
}

/// Returns the value of an integer variable that is not negative.
///
/// # Errors
/// If the variable does not exist, is unset or negative, or has another type.
pub fn number(view: &View<'_>, name: &str) -> Result<usize, Fault> {
    let fault = |message: String| Fault { message, help: None };
    if view.environment.get(name).is_none() {
        return Err(unknown(view, name));
    }
    match view.ty(name).map(|_| view.value(name)) {
        None => Err(unset(name)),
        Some(Ok(Value::Int(number))) => usize::try_from(number)
            .map_err(|_| fault(format!("`{name}` must not be negative: it is {number}"))),
        Some(Ok(_)) => Err(fault(format!("`{name}` must be an integer"))),
        Some(Err(error)) => Err(fault(not_shown(&error))),
    }
}

fn unknown(view: &View<'_>, name: &str) -> Fault {
    let names = view.variables().map(|(name, _)| name);
    let help = did_you_mean(name, names).map(|meant| format!("did you mean `{meant}`?"));
    Fault { message: format!("unknown variable `{}`", text::one_line(name)), help }
}

fn unset(name: &str) -> Fault {
    Fault { message: format!("`{name}` was never set"), help: None }
}

fn hold<'a>(view: &'a View<'a>, name: &'a str) -> Result<Held<'a>, Fault> {
    let fault = |message: String, help: Option<String>| Err(Fault { message, help });
    if view.environment.get(name).is_none() {
        return Err(unknown(view, name));
    }
    match view.ty(name) {
        None => Err(unset(name)),
        Some(Ty::Table(..)) => stored(view, name).map(Held::Table).ok_or_else(|| unset(name)),
        Some(Ty::Slice(_) | Ty::Word(_)) => match view.value(name) {
            Ok(value) => Ok(Held::Bits(value)),
            Err(BackendError::OutOfMemory(_)) => {
                fault(format!("not enough memory to show `{name}`"), None)
            }
            Err(
                error @ (BackendError::Unsupported { .. }
                | BackendError::NotDistributed { .. }
                | BackendError::DeviceLost { .. }
                | BackendError::Interrupted
                | BackendError::Internal(_)),
            ) => fault(not_shown(&error), None),
        },
        Some(Ty::Int | Ty::Bool | Ty::Str | Ty::Handle) => fault(
            format!("`{name}` is not a table, slice or word"),
            Some(format!("`{name}` alone shows its value")),
        ),
    }
}
