//! Register code: instructions as data, and as words for the device.

use star_ir::LocId;
pub(crate) use star_shaders::Then;
use star_shaders::layout::{INST_WORDS, NO_OBJECT, NO_REG};
use star_shaders::{Generator, Join, Op, Reduce};

/// A register; unlimited in number during the compilation of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Reg(pub(crate) u32);

/// An object of a routine: a slot in its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Object(pub(crate) u32);

/// Reading limbs of lines; see [`Op::Line`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineKind {
    /// Truth table of [`Generator::Logic`]: bit 2p + q is the value for p of y and q of z.
    pub(crate) table: u32,
    pub(crate) generator: Generator,
    pub(crate) reduce: Reduce,
    pub(crate) stores: bool,
    /// Whether the component of y that was found first becomes 0.
    pub(crate) clears: bool,
}

/// The use of the limbs that [`Op::Lines`] computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinesKind {
    pub(crate) join: Join,
    /// Whether the joined result is a word, with a component for each column; for stores, whether
    /// the field belongs to x rather than to y.
    pub(crate) is_word: bool,
    /// Whether it is a loop of the program rather than a copy.
    pub(crate) is_loop: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inst {
    pub(crate) op: Op,
    pub(crate) d: Option<Reg>,
    pub(crate) a: Option<Reg>,
    pub(crate) b: Option<Reg>,
    pub(crate) c: Option<Reg>,
    pub(crate) x: Option<Object>,
    pub(crate) y: Option<Object>,
    pub(crate) z: Option<Object>,
    pub(crate) w: Option<Object>,
    /// Another table, of [`Op::Lines`].
    pub(crate) v: Option<Object>,
    pub(crate) line: Option<LineKind>,
    pub(crate) lines: Option<LinesKind>,
    pub(crate) imm: i64,
    /// The continuation after the result, of scalar instructions.
    pub(crate) then: Option<Then>,
    /// The jump target: a label during the compilation of a routine, then an instruction.
    pub(crate) target: u32,
    /// The number in the routine of its information for the host.
    pub(crate) site: Option<u32>,
    pub(crate) loc: LocId,
    /// Whether all threads must see the effects of earlier instructions on limbs.
    pub(crate) sync: bool,
    /// Registers that a trap or the host reads.
    pub(crate) observed: Vec<Reg>,
}

/// The target of instructions that are not jumps.
pub(crate) const NO_TARGET: u32 = u32::MAX;

impl Inst {
    /// Creates an operation without operands.
    pub(crate) fn new(op: Op, loc: LocId) -> Self {
        Inst {
            op,
            d: None,
            a: None,
            b: None,
            c: None,
            x: None,
            y: None,
            z: None,
            w: None,
            v: None,
            line: None,
            lines: None,
            imm: 0,
            then: None,
            target: NO_TARGET,
            site: None,
            loc,
            sync: false,
            observed: Vec::new(),
        }
    }

    /// Yields the registers that it reads.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Reg> + '_ {
        [self.a, self.b, self.c].into_iter().flatten().chain(self.observed.iter().copied())
    }

    /// Returns whether control may reach the next instruction.
    pub(crate) fn falls_through(&self) -> bool {
        !matches!(self.op, Op::Jump | Op::Return) && self.then != Some(Then::Jump)
    }

    /// Splits the continuation off as a separate instruction, which comes next.
    pub(crate) fn split(&mut self) -> Option<Inst> {
        let op = match self.then.take()? {
            Then::Jump => Op::Jump,
            Then::JumpZero => Op::JumpZero,
            Then::JumpNonzero => Op::JumpNonzero,
            Then::TrapZero => Op::TrapZero,
            Then::TrapNonzero => Op::TrapNonzero,
        };
        let mut behind = Inst::new(op, self.loc);
        behind.a = self.d.filter(|_| op != Op::Jump);
        behind.target = std::mem::replace(&mut self.target, NO_TARGET);
        behind.site = self.site.take();
        behind.observed = std::mem::take(&mut self.observed);
        Some(behind)
    }

    /// Returns whether its result is its only effect.
    pub(crate) fn is_pure(&self) -> bool {
        if self.then.is_some() {
            return false;
        }
        match self.op {
            Op::Load
            | Op::Move
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Min
            | Op::Max
            | Op::Shr
            | Op::AddOverflows
            | Op::SubOverflows
            | Op::MulOverflows
            | Op::Div
            | Op::Mod
            | Op::BitGet
            | Op::WordToInt
            | Op::Size
            | Op::Fill
            | Op::Fetch => true,
            Op::Line => self.line.is_some_and(|line| !line.stores && !line.clears),
            _ => false,
        }
    }

    /// Returns whether the threads exchange data in it.
    fn exchanges(&self) -> bool {
        match self.op {
            Op::Line => self.line.is_some_and(|line| line.reduce != Reduce::Nothing),
            Op::WordAdd | Op::WordSub => self.d.is_some(),
            Op::Show => self.y.is_some(),
            Op::BitGet
            | Op::WordToInt
            | Op::Size
            | Op::ShapeLike
            | Op::Shape
            | Op::Columns
            | Op::Fill
            | Op::Fetch
            | Op::Prepare
            | Op::Return => true,
            Op::Load
            | Op::Move
            | Op::Add
            | Op::Sub
            | Op::Mul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::Min
            | Op::Max
            | Op::Shr
            | Op::AddOverflows
            | Op::SubOverflows
            | Op::MulOverflows
            | Op::Jump
            | Op::JumpZero
            | Op::JumpNonzero
            | Op::Cost
            | Op::CostTimes
            | Op::Iteration
            | Op::TrapZero
            | Op::TrapNonzero
            | Op::Host
            | Op::Div
            | Op::Mod
            | Op::BitPut
            | Op::RowPut
            | Op::Unset
            | Op::Fix
            | Op::Spill
            | Op::Pass
            | Op::Lend
            | Op::Give
            | Op::Call
            | Op::Take
            | Op::Tally
            | Op::Charge
            | Op::Open
            | Op::Close
            | Op::Print => false,
            // Its exchanges are part of the operation.
            Op::Lines => false,
        }
    }

    /// Returns the words for the device, once registers and targets are final.
    pub(crate) fn words(&self) -> [u32; INST_WORDS as usize] {
        let reg = |reg: Option<Reg>| reg.map_or(NO_REG, |reg| reg.0);
        let object = |object: Option<Object>| object.map_or(NO_OBJECT, |object| object.0);
        let mut first = self.op as u32 | u32::from(self.sync) << 22;
        if let Some(LineKind { table, generator, reduce, stores, clears }) = self.line {
            first |= table << 8 | (generator as u32) << 12 | (reduce as u32) << 16;
            first |= u32::from(stores) << 20 | u32::from(clears) << 21;
        } else if let Some(LinesKind { join, is_word, is_loop }) = self.lines {
            let join = join as u32;
            first |= (join & 3) << 8 | u32::from(is_word) << 10 | join >> 2 << 11;
            first |= u32::from(is_loop) << 12;
        } else if self.x.is_some() {
            first |= 1 << 20;
        }
        first |= self.then.map_or(0, |then| (then as u32) << 8);
        first |= u32::from(self.exchanges()) << 23;
        let registers = reg(self.d) | reg(self.a) << 8 | reg(self.b) << 16 | reg(self.c) << 24;
        let imm = self.imm as u64;
        [
            first,
            registers,
            object(self.x) | object(self.y) << 16,
            object(self.z) | object(self.w) << 16,
            imm as u32,
            (imm >> 32) as u32,
            self.target,
            object(self.v),
        ]
    }
}
