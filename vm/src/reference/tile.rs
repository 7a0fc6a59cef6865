//! Tile kernels: the body for one tile of rows after another, then the reductions.
//!
//! Inside, every slice and table with as many rows as the kernel says is only its window of rows,
//! and the sizes that the body asks for or gives are translated (`Frame::whole`,
//! `Frame::rows_here`). Everything else (integers, words …) starts every tile as it was before the
//! kernel, since control is the same in each. Without rows the body runs once, so that those have
//! their last values. What the body costs is counted in the first tile.

use star_ir::{Block, LocId, Operand, TileReduction, TileReductionOp, Ty, VarId};

use super::TileHeight;
use super::bits::{self, size};
use super::control::Region;
use super::frame::{Frame, Window, top};
use super::interpreter::Interpreter;
use super::value::{Data, Table};
use crate::interrupt::{Exec, internal_error};

/// A tile kernel that was begun.
pub(super) struct Tile<'p> {
    loc: LocId,
    rows: usize,
    height: usize,
    privates: &'p [VarId],
    body: &'p Block,
    reductions: &'p [TileReduction],
    /// Rows of the tiles begun.
    begun: usize,
    started: bool,
    alive: u64,
    tall: Vec<Tall>,
    /// All other variables, as they were before.
    others: Vec<(usize, Option<Data>)>,
}

/// A slice or table.
struct Tall {
    slot: usize,
    /// Before the kernel.
    source: Option<Data>,
    /// It has the kernel's number of rows; if not, the body does not read it.
    fits: bool,
    /// What the tiles so far left.
    result: Option<Data>,
}

impl<'p> Tile<'p> {
    pub(super) fn new(
        frame: &mut Frame<'_>,
        height: TileHeight,
        loc: LocId,
        rows: &Operand,
        privates: &'p [VarId],
        body: &'p Block,
        reductions: &'p [TileReduction],
    ) -> Exec<Self> {
        let rows = size(frame.int(rows)?)?;
        let mut tall = Vec::new();
        let mut others = Vec::new();
        for (slot, (var, value)) in (frame.routine.vars.iter().zip(&mut frame.slots)).enumerate() {
            if !matches!(var.ty, Ty::Slice(_) | Ty::Table(..)) {
                others.push((slot, value.data.clone()));
                continue;
            }
            let source = value.data.take();
            let is_private = privates.contains(&VarId(slot as u32));
            let fits = !is_private
                && match &source {
                    Some(Data::Slice(bits)) => bits.len() == rows,
                    Some(Data::Table(table)) => table.rows == rows,
                    Some(
                        Data::Int(_)
                        | Data::Bool(_)
                        | Data::Str(_)
                        | Data::Word(_)
                        | Data::Handle(_),
                    )
                    | None => false,
                };
            tall.push(Tall { slot, source, fits, result: None });
        }
        Ok(Tile {
            loc,
            rows,
            height: match height {
                TileHeight::Whole => rows,
                TileHeight::Rows(height) => height.get(),
            },
            privates,
            body,
            reductions,
            begun: 0,
            started: false,
            alive: 0,
            tall,
            others,
        })
    }

    /// The run stops: slices and tables are as before the kernel.
    pub(super) fn abandon(self, frame: &mut Frame<'_>) {
        frame.window = None;
        for tall in self.tall {
            if let Some(slot) = frame.slots.get_mut(tall.slot) {
                slot.data = tall.source;
            }
        }
    }

    /// Begins the next tile.
    fn begin(&mut self, frame: &mut Frame<'_>) {
        let window = Window {
            rows: self.rows,
            start: self.begun,
            height: self.height.min(self.rows - self.begun),
            repeated: self.started,
        };
        for tall in &self.tall {
            frame.slots[tall.slot].data = match &tall.source {
                Some(source) if tall.fits => Some(part_of(source, window)),
                Some(_) | None => None,
            };
        }
        for (slot, data) in &self.others {
            frame.slots[*slot].data.clone_from(data);
        }
        self.begun += window.height;
        self.started = true;
        frame.window = Some(window);
    }

    /// Takes what a tile left.
    fn collect(&mut self, frame: &mut Frame<'_>) -> Exec<()> {
        let is_first = frame.window.is_some_and(|window| !window.repeated);
        for tall in &mut self.tall {
            let part = frame.slots[tall.slot].data.take();
            let joined = match (&mut tall.result, part) {
                (None, None) => true,
                (result @ None, Some(part)) => {
                    *result = Some(part);
                    is_first
                }
                (Some(_), None) => false,
                (Some(result), Some(part)) => join(result, part),
            };
            if !joined {
                let name = frame.name(VarId(tall.slot as u32));
                return Err(internal_error(format!("the tiles of a kernel differ in `{name}`")));
            }
        }
        Ok(())
    }

    /// Gives every variable its value after the kernel.
    fn finish(&mut self, frame: &mut Frame<'_>) -> Exec<()> {
        frame.window = None;
        for tall in &mut self.tall {
            let untouched = !tall.fits && tall.result.is_none();
            let result = if untouched { &mut tall.source } else { &mut tall.result };
            frame.slots[tall.slot].data = result.take();
        }
        for TileReduction { dst, op, of } in self.reductions {
            let x = frame.bits(*of)?;
            let found = match op {
                TileReductionOp::Some => Data::Bool(bits::some(x)),
                TileReductionOp::All => Data::Bool(bits::all(x)),
                TileReductionOp::None => Data::Bool(bits::none(x)),
                TileReductionOp::First => Data::Int(bits::first(x)),
                TileReductionOp::Count => Data::Int(bits::count(x)),
            };
            frame.accepts(*dst, &found)?;
            frame.slot_mut(*dst)?.data = Some(found);
        }
        for private in self.privates {
            let slot = frame.slot_mut(*private)?;
            slot.data = None;
            slot.size = None;
        }
        Ok(())
    }
}

impl<'p> Interpreter<'p, '_, '_> {
    /// Ends the tile that ran, if any, and begins the next one, if any.
    pub(super) fn tile_turn(&mut self, mut tile: Box<Tile<'p>>) -> Exec<()> {
        self.loc = tile.loc;
        let frame = top(&mut self.frames)?;
        let ready = self
            .budget
            .poll()
            .and_then(|()| if tile.started { tile.collect(frame) } else { Ok(()) });
        if let Err(stop) = ready {
            tile.abandon(frame);
            return Err(stop);
        }
        if tile.started {
            self.budget.recount(tile.alive);
        } else {
            tile.alive = self.budget.alive();
        }
        if !tile.started || tile.begun < tile.rows {
            tile.begin(frame);
            let body = tile.body;
            return self.again(Region::Tile(tile), body);
        }
        tile.finish(frame)?;
        let slots = self.frames.iter().flat_map(|frame| &frame.slots);
        let alive = slots.map(|slot| slot.bytes()).sum();
        self.budget.recount(alive);
        self.budget.reserve(0)
    }
}

/// The rows of the window.
fn part_of(data: &Data, window: Window) -> Data {
    let rows = window.start..window.start + window.height;
    match data {
        Data::Slice(bits) => Data::Slice(bits[rows].to_vec()),
        Data::Table(table) => Data::Table(Table {
            rows: window.height,
            columns: (table.columns.iter()).map(|column| column[rows.clone()].to_vec()).collect(),
        }),
        Data::Int(_) | Data::Bool(_) | Data::Str(_) | Data::Word(_) | Data::Handle(_) => {
            data.clone()
        }
    }
}

/// Puts the rows of `below` under those of `above`; `false` if they do not go together.
fn join(above: &mut Data, below: Data) -> bool {
    match above {
        Data::Slice(above) => {
            let Data::Slice(below) = below else { return false };
            above.extend(below);
            true
        }
        Data::Table(above) => {
            let Data::Table(below) = below else { return false };
            let fits = above.columns.len() == below.columns.len();
            if fits {
                above.rows += below.rows;
                for (above, below) in above.columns.iter_mut().zip(below.columns) {
                    above.extend(below);
                }
            }
            fits
        }
        Data::Int(_) | Data::Bool(_) | Data::Str(_) | Data::Word(_) | Data::Handle(_) => false,
    }
}
