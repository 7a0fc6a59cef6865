//! A generator of random SIR programs with constructs that source texts yield only after passes, or
//! only rarely.
//!
//! A program works on tables, slices and words whose sizes match, so that without a near-miss it
//! ends well: `forall` over lines and components with ranges that may leave the table, row-by-row
//! operations with loops and branches, loops over columns that carry slices, columns that may
//! coincide, sequences of slice operations, calls that lend. Iterations of a `forall` never
//! interfere with each other, which the reference would report as a fault.

mod columns;
mod foralls;
pub mod report;
mod rowwise;
mod straight;

use std::collections::BTreeMap;

use star_base::{FileId, Span};
use star_ir::{
    Arg, Block, Extent, LabelId, LocId, Location, LogicOp, Mode, Op, Operand, Param, Program,
    Routine, Simple, Stmt, StmtKind, Ty, Var, VarId,
};
use star_value::{BitTable, BitVector, Value};

use super::guards;
use crate::case::Random;

/// A program and its arguments.
pub struct Generated {
    /// The program, with its guards.
    pub program: Program,
    /// The arguments of its first routine.
    pub args: Vec<Value>,
    /// How often each kind of statement and of near-miss occurs.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// Row counts of the tables, most of them at the limits of packed forms.
const ROWS: [usize; 20] =
    [0, 1, 2, 5, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 191, 256, 257, 300, 511, 513];

/// Generates the program of a seed.
pub fn generate(seed: u64) -> Generated {
    let mut maker = Maker::new(seed);
    let mut body = Block::new();
    for _ in 0..2 + maker.random.below(5) {
        maker.statement(&mut body);
    }
    let main = Routine {
        name: "F".to_owned(),
        params: maker.params,
        result: None,
        vars: maker.vars,
        body,
        loc: LocId(0),
        intrinsic: None,
    };
    let location = Location {
        span: Span::file_start(FileId(0)),
        inlined: Vec::new(),
        operands: Vec::new(),
        at_call: false,
    };
    let routines = vec![main, changes(), combines()];
    let mut program = Program::new(routines, vec![location]);
    guards::guard(&mut program);
    Generated { program, args: maker.args, kinds: maker.kinds }
}

const SLICE: Ty = Ty::Slice(Extent::Dynamic);
const WORD: Ty = Ty::Word(Extent::Dynamic);
const TABLE: Ty = Ty::Table(Extent::Dynamic, Extent::Dynamic);

/// `q := p xor q`.
fn changes() -> Routine {
    let op = Op::BitsLogic(LogicOp::Xor, VarId(0), VarId(1));
    library("G", &[Mode::Value, Mode::Ref], None, VarId(1), op)
}

/// The value is `p and q`.
fn combines() -> Routine {
    let op = Op::BitsLogic(LogicOp::And, VarId(0), VarId(1));
    library("H", &[Mode::Value, Mode::Value], Some(VarId(2)), VarId(2), op)
}

fn library(name: &str, modes: &[Mode], result: Option<VarId>, dst: VarId, op: Op) -> Routine {
    let vars = ["p", "q", "r"].map(|name| variable(name, SLICE)).to_vec();
    let params = (0..).zip(modes);
    let params = params.map(|(id, &mode)| Param { var: VarId(id), mode, set_at_end: false });
    let cost = st(StmtKind::Simple(Simple::Cost { units: 1, times: None }));
    Routine {
        name: name.to_owned(),
        params: params.collect(),
        result,
        vars,
        body: vec![cost, set(dst, op)],
        loc: LocId(0),
        intrinsic: None,
    }
}

fn variable(name: &str, ty: Ty) -> Var {
    Var { name: name.to_owned(), ty, source: Some(name.to_owned()), sized: false }
}

fn st(kind: StmtKind) -> Stmt {
    Stmt { kind, loc: LocId(0) }
}

fn set(dst: VarId, op: Op) -> Stmt {
    st(StmtKind::Simple(Simple::Assign(dst, op)))
}

fn int(number: usize) -> Operand {
    Operand::Int(number as i64)
}

/// A program under construction.
struct Maker {
    random: Random,
    vars: Vec<Var>,
    params: Vec<Param>,
    args: Vec<Value>,
    kinds: BTreeMap<&'static str, u64>,
    /// Rows and columns of every table, components of every slice and word.
    n_rows: usize,
    n_cols: usize,
    /// The number of rows, an integer parameter.
    rows: VarId,
    /// Integer parameters that are column numbers; they may be equal.
    columns: Vec<VarId>,
    tables: Vec<VarId>,
    slices: Vec<VarId>,
    words: Vec<VarId>,
    /// Results and loop variables: integers and a boolean.
    numbers: Vec<VarId>,
    truth: VarId,
    labels: u32,
}

impl Maker {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let n_rows = ROWS[random.below(ROWS.len())];
        let n_cols = match random.below(8) {
            0 => 1,
            1 => 64 + random.below(3),
            _ => 2 + random.below(7),
        };
        let mut maker = Maker {
            random,
            vars: Vec::new(),
            params: Vec::new(),
            args: Vec::new(),
            kinds: BTreeMap::new(),
            n_rows,
            n_cols,
            rows: VarId(0),
            columns: Vec::new(),
            tables: Vec::new(),
            slices: Vec::new(),
            words: Vec::new(),
            numbers: Vec::new(),
            truth: VarId(0),
            labels: 0,
        };
        maker.declare();
        maker
    }

    fn declare(&mut self) {
        self.rows = self.param("n", Ty::Int, Mode::Value, Value::Int(self.n_rows as i64));
        for name in ["i", "j"] {
            let index = 1 + self.random.below(self.n_cols);
            let column = self.param(name, Ty::Int, Mode::Value, Value::Int(index as i64));
            self.columns.push(column);
        }
        let small = self.random.chance(4);
        for (name, mode) in [("T", Mode::Ref), ("F", Mode::Ref), ("Q", Mode::Value)] {
            // A table of another shape is a near-miss in every use.
            let n_rows = if small && name == "F" { self.n_rows / 2 } else { self.n_rows };
            let columns: Vec<BitVector> = (0..self.n_cols).map(|_| self.bits(n_rows)).collect();
            let table = Value::from(BitTable::from_columns(n_rows, &columns));
            let table = self.param(name, TABLE, mode, table);
            self.tables.push(table);
        }
        if small {
            self.count("a smaller table");
        }
        for (name, mode) in
            [("X", Mode::Ref), ("Y", Mode::Ref), ("Z", Mode::Ref), ("V", Mode::Value)]
        {
            let value = Value::Slice(self.bits(self.n_rows));
            let slice = self.param(name, SLICE, mode, value);
            self.slices.push(slice);
        }
        for (name, mode) in [("v", Mode::Ref), ("w", Mode::Value)] {
            let value = Value::Word(self.bits(self.n_cols));
            let word = self.param(name, WORD, mode, value);
            self.words.push(word);
        }
        for name in ["a", "b", "c"] {
            let number = self.param(name, Ty::Int, Mode::Ref, Value::Int(0));
            self.numbers.push(number);
        }
        self.truth = self.param("t", Ty::Bool, Mode::Ref, Value::Bool(false));
    }

    fn param(&mut self, name: &str, ty: Ty, mode: Mode, value: Value) -> VarId {
        let var = self.local(name, ty);
        self.params.push(Param { var, mode, set_at_end: false });
        self.args.push(value);
        var
    }

    /// Declares a variable; locals of the same name differ in their numbers.
    fn local(&mut self, name: &str, ty: Ty) -> VarId {
        let id = self.vars.len();
        let known = self.vars.iter().any(|var| var.name == name);
        let name = if known { format!("{name}{id}") } else { name.to_owned() };
        self.vars.push(variable(&name, ty));
        VarId(id as u32)
    }

    fn bits(&mut self, len: usize) -> BitVector {
        let percent = [3, 50, 97][self.random.below(3)];
        BitVector::from_bools(&self.random.bits(len, percent))
    }

    fn count(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }

    fn label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId(self.labels)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())]
    }

    fn logic(&mut self) -> LogicOp {
        self.one_of(&[LogicOp::And, LogicOp::Or, LogicOp::Xor])
    }

    /// Chooses a column: a constant or a parameter, rarely one that does not exist.
    fn column(&mut self) -> Operand {
        match self.random.below(90) {
            0 => {
                self.count("a column that is not there");
                int(self.n_cols + 1)
            }
            1..30 => int(1 + self.random.below(self.n_cols)),
            _ => Operand::Var(self.columns[self.random.below(2)]),
        }
    }

    fn cost(&mut self, body: &mut Block) {
        let units = self.random.below(9) as u64;
        body.push(st(StmtKind::Simple(Simple::Cost { units, times: None })));
    }

    /// Generates a statement of the outermost level.
    fn statement(&mut self, body: &mut Block) {
        match self.random.below(14) {
            0..4 => self.forall(body),
            4..7 => self.rowwise(body),
            7..9 => self.columns(body),
            9 => self.repeated(body),
            10 => self.call(body),
            _ => self.operations(body),
        }
    }

    /// Generates a loop of a few iterations over any other statement.
    fn repeated(&mut self, body: &mut Block) {
        self.count("for");
        let var = self.local("iteration", Ty::Int);
        let mut inner = Block::new();
        for _ in 0..1 + self.random.below(2) {
            match self.random.below(5) {
                0 => self.forall(&mut inner),
                4 => self.columns(&mut inner),
                1 => self.rowwise(&mut inner),
                2 => self.call(&mut inner),
                _ => self.operations(&mut inner),
            }
        }
        let (label, iterations) = (self.label(), self.random.below(4));
        let down = self.random.chance(30);
        let (from, to) = if down { (int(iterations), int(1)) } else { (int(1), int(iterations)) };
        body.push(st(StmtKind::For { label, var, from, to, down, body: inner }));
    }

    fn call(&mut self, body: &mut Block) {
        let value = |var| Arg::Value(Operand::Var(var));
        let read = self.slices.clone();
        let (one, other) = (self.one_of(&read), self.one_of(&read));
        // V is a value parameter of this routine, which nothing assigns.
        let dst = self.one_of(&read[..3]);
        let kind = match self.random.below(3) {
            0 => {
                self.count("call with a result");
                StmtKind::Simple(Simple::Call {
                    callee: star_ir::RoutineId(2),
                    args: vec![value(one), value(other)],
                    dst: Some(dst),
                })
            }
            _ if one == dst => return self.operations(body),
            _ => {
                self.count("call with a reference");
                let args = vec![value(one), Arg::Ref(dst)];
                StmtKind::Simple(Simple::Call { callee: star_ir::RoutineId(1), args, dst: None })
            }
        };
        body.push(st(kind));
    }
}
