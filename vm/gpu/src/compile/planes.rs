//! A kernel with queries as some instructions (Note [Planes] in `lift`), and its fallback where a
//! guard does not hold.

use star_ir::kernel::{Effect, Line};
use star_ir::{ForallRange, Kernel, LogicOp, VarId};
use star_shaders::layout::measure;
use star_shaders::{Generator, Join, Op, Reduce};

use super::Unsupported;
use super::builder::{Builder, table};
use crate::code::{LinesKind, Object, Reg};
use crate::lift::{Act, Addend, Made, Truth};

/// The planes so far, and their common length.
struct Planes {
    line: Line,
    length: Reg,
    all: Vec<Object>,
}

impl Builder<'_> {
    /// All iterations at once.
    pub(super) fn planes(&mut self, kernel: &Kernel, acts: &[Act]) -> Result<(), Unsupported> {
        let Some(iterations) = kernel.iterations() else { return self.block(&kernel.fallback) };
        let (fallback, end) = (self.label(), self.label());
        self.guards(kernel, iterations.range, fallback);
        for effect in &kernel.effects {
            if let Effect::Reduce { into, .. } = effect {
                let is_set = self.number(*into).1;
                self.jump_if(Op::JumpZero, is_set, fallback);
            }
        }
        let mut planes = self.first_plane(kernel, iterations.range, acts, end);
        for act in acts {
            self.act(act, &mut planes);
        }
        if kernel.cost > 0 {
            self.charge(kernel.cost, planes.all[0]);
        }
        self.jump(end);
        self.here(fallback);
        self.block(&kernel.fallback)?;
        self.here(end);
        self.unset(iterations.privates);
        self.unset(&[iterations.var]);
        Ok(())
    }

    /// The iterations. All planes are as long as that, and as the number of lines of any table.
    fn first_plane(
        &mut self,
        kernel: &Kernel,
        range: &ForallRange,
        acts: &[Act],
        end: super::builder::Label,
    ) -> Planes {
        let mut length = match range {
            ForallRange::Ones(over) => self.size(self.object(*over), measure::LENGTH),
            ForallRange::Range(from, to) => {
                // Of an empty range both may be any number.
                let (from, to) = (self.value(from), self.value(to));
                let empty = self.alu(Op::Gt, from, to);
                self.jump_if(Op::JumpNonzero, empty, end);
                to
            }
        };
        for act in acts {
            if let Act::Some(made) = act {
                let lines = self.size(self.object(made.table), lines_of(kernel.line));
                length = self.alu(Op::Max, length, lines);
            }
        }
        let mut planes = Planes { line: kernel.line, length, all: Vec::new() };
        match range {
            ForallRange::Ones(over) => {
                let over = self.object(*over);
                self.component_plane(over, &mut planes);
            }
            ForallRange::Range(from, to) => {
                let (from, to) = (self.value(from), self.value(to));
                let plane = self.plane(&mut planes);
                self.generate(Generator::Mask, plane, None, (Some(from), Some(to)));
            }
        }
        planes
    }

    /// A plane that holds nothing yet.
    fn plane(&mut self, planes: &mut Planes) -> Object {
        let plane = self.temporary();
        self.shape(plane, planes.length, None);
        planes.all.push(plane);
        plane
    }

    /// A slice or word of another length as a plane.
    fn component_plane(&mut self, of: Object, planes: &mut Planes) {
        let plane = self.plane(planes);
        self.resized(plane, of);
    }

    /// x, whatever its length, becomes y; zeros beyond.
    fn resized(&mut self, x: Object, y: Object) {
        let none = self.fresh();
        self.load(none, 0);
        self.generate(Generator::Funnel, x, Some(y), (Some(none), None));
    }

    fn act(&mut self, act: &Act, planes: &mut Planes) {
        match act {
            Act::Some(made) => {
                let over = planes.all[0];
                let plane = self.plane(planes);
                self.logic(table::ZERO, plane.into(), None, None);
                self.over_lines(made, (planes.line, over), (Some(plane), Join::Or));
            }
            Act::Component(var) => self.component_plane(self.object(*var), planes),
            Act::Not(of) => {
                let of = planes.all[*of];
                let plane = self.plane(planes);
                self.logic(table::NOT, plane.into(), Some(of.into()), None);
            }
            Act::Logic(op, left, right) => {
                let (left, right) = (planes.all[*left], planes.all[*right]);
                let plane = self.plane(planes);
                let function = match op {
                    LogicOp::And => table::AND,
                    LogicOp::Or => table::OR,
                    LogicOp::Xor => table::XOR,
                };
                self.logic(function, plane.into(), Some(left.into()), Some(right.into()));
            }
            Act::Sum { into, of, when } => self.sum(*into, of, *when, planes),
            Act::Combine { into, op, of, when } => {
                self.combine_truth(*into, *op, *of, (*when, planes));
            }
            Act::Put { into, of, when } => self.put_plane(*into, *of, (*when, planes)),
            Act::Cost { units, when } => self.charge(*units, planes.all[*when]),
        }
    }

    /// Counts elementary operations of the iterations of a plane.
    fn charge(&mut self, units: u64, plane: Object) {
        let n_iterations = self.reduce(Reduce::Count, table::FIRST, plane, None, None);
        let units = i64::try_from(units).unwrap_or(i64::MAX);
        self.count(Op::CostTimes, Some(n_iterations), units);
    }

    /// The instruction over the lines that a plane has; what it counts.
    fn over_lines(
        &mut self,
        made: &Made,
        (line, over): (Line, Object),
        (x, join): (Option<Object>, Join),
    ) -> Reg {
        let outer = made.outer.as_ref().map(|outer| self.mixed(outer));
        let (z, w) = match line {
            Line::Row => (Some(over), outer),
            Line::Column => (outer, Some(over)),
        };
        let of = self.object(made.table);
        let (rows, columns) = (self.size(of, measure::ROWS), self.size(of, measure::COLUMNS));
        let v = made.others[0].map(|other| self.object(other));
        let found = self.fresh();
        self.emit(Op::Lines, |it| {
            (it.x, it.y, it.z, it.w, it.v) = (x, Some(of), z, w, v);
            (it.a, it.b) = (Some(rows), Some(columns));
            it.d = (join == Join::Count).then_some(found);
            it.imm = i64::from(made.function);
            // What is found of a line is a component for each line.
            it.lines = Some(LinesKind { join, is_word: line == Line::Column, is_loop: true });
        });
        found
    }

    fn sum(&mut self, into: VarId, of: &Addend, when: usize, planes: &Planes) {
        let when = planes.all[when];
        let more = match of {
            Addend::Ones(made) => self.over_lines(made, (planes.line, when), (None, Join::Count)),
            Addend::Bit(plane) => {
                let of = planes.all[*plane];
                self.reduce(Reduce::Count, table::AND, when, Some(of), None)
            }
            Addend::Number(number) => {
                let number = self.value(number);
                let n_iterations = self.reduce(Reduce::Count, table::FIRST, when, None, None);
                self.alu(Op::Mul, number, n_iterations)
            }
        };
        let sum = self.number(into).0;
        let sum = self.alu(Op::Add, sum, more);
        self.assign(into, sum);
    }

    fn combine_truth(
        &mut self,
        into: VarId,
        op: LogicOp,
        of: Truth,
        (when, planes): (usize, &Planes),
    ) {
        let when = planes.all[when];
        let (reduce, function) = match op {
            LogicOp::Or => (Reduce::Some, table::AND),
            // There is none in which it does not hold.
            LogicOp::And => (Reduce::None, table::AND_NOT),
            LogicOp::Xor => (Reduce::Count, table::AND),
        };
        let found = match (of, op) {
            (Truth::Plane(of), _) => {
                self.reduce(reduce, function, when, Some(planes.all[of]), None)
            }
            (Truth::Always, LogicOp::Or | LogicOp::Xor) | (Truth::Never, LogicOp::And) => {
                self.reduce(reduce, table::FIRST, when, None, None)
            }
            (Truth::Always, LogicOp::And) | (Truth::Never, LogicOp::Or | LogicOp::Xor) => return,
        };
        let before = self.number(into).0;
        let joined = match op {
            LogicOp::Or => self.alu(Op::Or, before, found),
            LogicOp::And => self.alu(Op::And, before, found),
            LogicOp::Xor => {
                let odd = self.alu_imm(Op::And, found, 1);
                self.alu(Op::Xor, before, odd)
            }
        };
        self.assign(into, joined);
    }

    /// The components of a slice or word that a plane has.
    fn put_plane(&mut self, into: VarId, of: Truth, (when, planes): (usize, &Planes)) {
        let (into, when) = (self.object(into), planes.all[when]);
        // The slice or word may be longer than planes.
        let written = self.temporary();
        self.shape_like(written, into);
        self.resized(written, when);
        let is_one = |of: Object| Some(super::builder::Line::from(of));
        match of {
            Truth::Always => self.logic(table::OR, into.into(), is_one(into), is_one(written)),
            Truth::Never => self.logic(table::AND_NOT, into.into(), is_one(into), is_one(written)),
            Truth::Plane(of) => {
                self.logic(table::AND_NOT, into.into(), is_one(into), is_one(written));
                let ones = self.temporary();
                self.shape_like(ones, into);
                self.resized(ones, planes.all[of]);
                self.logic(table::AND, ones.into(), is_one(ones), is_one(written));
                self.logic(table::OR, into.into(), is_one(into), is_one(ones));
            }
        }
    }
}

/// The measure that is the number of lines of a table.
fn lines_of(line: Line) -> u32 {
    match line {
        Line::Row => measure::ROWS,
        Line::Column => measure::COLUMNS,
    }
}
