//! The walk over a routine in evaluation order.

use std::collections::BTreeSet;

use crate::hir::{
    Arg, ChainOp, Expr, ExprKind, Field, LocalId, MachineOp, Program, Role, Routine, RoutineId,
    Stmt, StmtKind, Target, TyKind, VarUse,
};
use crate::visit;
use star_ir::LogicOp;

use super::{After, Node, Webs};
use crate::flow::summary::Summaries;

pub(super) type State = Vec<u32>;

pub(super) struct Walk<'a> {
    pub(super) program: &'a Program,
    pub(super) routine: &'a Routine,
    pub(super) summaries: &'a Summaries,
    pub(super) machine_ops: bool,
    pub(super) nodes: Vec<Node>,
    pub(super) node_local: Vec<LocalId>,
    pub(super) site_node: Vec<Option<u32>>,
    /// The nodes visible to a mention.
    pub(super) seen: Vec<u32>,
    /// The nodes whose value affects the mention.
    pub(super) used: Vec<u32>,
    /// `None` in unreachable code.
    pub(super) state: Option<State>,
    pub(super) loops: Vec<LoopEnds>,
    /// The joined states of all `exit`s so far.
    pub(super) exits: Option<State>,
    /// Mentions that need the value of a node, after the first variable lost its value.
    pub(super) needs: Vec<(VarUse, u32)>,
    has_forgotten: bool,
}

/// The joined states of the `break`s and `continue`s of a loop so far.
#[derive(Default)]
pub(super) struct LoopEnds {
    pub(super) breaks: Option<State>,
    pub(super) continues: Option<State>,
}

/// Analyses a routine.
pub(crate) fn analyse(
    program: &Program,
    id: RoutineId,
    summaries: &Summaries,
    machine_ops: bool,
) -> Webs {
    let routine = program.routine(id);
    let mut walk = Walk {
        program,
        routine,
        summaries,
        machine_ops,
        nodes: Vec::new(),
        node_local: Vec::new(),
        site_node: vec![None; routine.n_sites as usize],
        seen: Vec::new(),
        used: Vec::new(),
        state: None,
        loops: Vec::new(),
        exits: None,
        needs: Vec::new(),
        has_forgotten: false,
    };
    let entry: State = (0..routine.locals.len() as u32)
        .map(|idx| {
            let local = routine.local(LocalId(idx));
            let sized_table = local.ty.kind() == TyKind::Table && !local.ty.is_unsized();
            let node = match local.role {
                Role::Value | Role::Binding | Role::Implicit => Node::Def,
                Role::Ref | Role::Local if sized_table => Node::Def,
                Role::Ref => Node::FromCaller,
                Role::Local | Role::Result => Node::Unset,
            };
            walk.node(LocalId(idx), node)
        })
        .collect();
    walk.state = Some(entry.clone());
    walk.stmts(&routine.body);
    walk.finish(&entry)
}

impl Walk<'_> {
    fn node(&mut self, local: LocalId, node: Node) -> u32 {
        self.nodes.push(node);
        self.node_local.push(local);
        self.nodes.len() as u32 - 1
    }

    fn current(&self, local: LocalId) -> Option<u32> {
        self.state.as_ref().map(|state| state[local.0 as usize])
    }

    fn set_current(&mut self, local: LocalId, node: u32) {
        if let Some(state) = &mut self.state {
            state[local.0 as usize] = node;
        }
    }

    /// Handles a mention that reads the value.
    fn read(&mut self, place: &VarUse) {
        self.see(place);
        self.need(place);
        self.used.extend(self.current(place.local));
    }

    /// Records that a mention needs a value.
    fn need(&mut self, place: &VarUse) {
        if self.has_forgotten {
            self.needs.extend(self.current(place.local).map(|node| (*place, node)));
        }
    }

    /// Handles a mention that sees the current state of the variable.
    fn see(&mut self, place: &VarUse) {
        if let Some(node) = self.current(place.local) {
            self.site_node[place.site.0 as usize] = Some(node);
            self.seen.push(node);
        }
    }

    /// Handles a mention that gives the variable a new value.
    fn define(&mut self, place: &VarUse) {
        if self.state.is_some() {
            let node = self.node(place.local, Node::Def);
            self.site_node[place.site.0 as usize] = Some(node);
            self.set_current(place.local, node);
        }
    }

    /// Handles a mention that changes the variable in place, depending on its previous value.
    fn change(&mut self, place: &VarUse, after: After) {
        self.used.extend(self.current(place.local));
        self.change_blindly(place, after);
    }

    /// Handles a mention that changes the variable in place, independent of its previous value.
    fn change_blindly(&mut self, place: &VarUse, after: After) {
        self.need(place);
        self.pass(place, after);
    }

    /// Handles a mention that gives the variable to a callee, which does not read its value.
    fn pass(&mut self, place: &VarUse, after: After) {
        self.see(place);
        if let Some(before) = self.current(place.local) {
            let node = self.node(place.local, Node::Through { before, after });
            // The variable keeps its identity, whether or not it is read again.
            self.seen.push(node);
            self.set_current(place.local, node);
        }
    }

    /// Joins the states of two paths that meet.
    pub(super) fn join(&mut self, one: Option<State>, other: Option<State>) -> Option<State> {
        let (mut joined, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (state, None) | (None, state) => return state,
        };
        for (local, (mine, other)) in (0..).map(LocalId).zip(joined.iter_mut().zip(&other)) {
            if *mine != *other {
                *mine = self.node(local, Node::Join(vec![*mine, *other]));
            }
        }
        Some(joined)
    }

    fn stmts(&mut self, body: &[Stmt]) {
        body.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(target, value) => self.assign(target, value),
            StmtKind::Fill(place, _) => {
                if self.routine.local(place.local).ty.is_unsized() {
                    self.change(place, After::Set);
                } else {
                    self.define(place);
                }
            }
            StmtKind::KeepFirst(place) | StmtKind::Step(place) => self.change(place, After::Set),
            StmtKind::Replace { from, to, value, word } => {
                [from, to, value].into_iter().for_each(|expr| self.expr(expr));
                self.change(word, After::Set);
            }
            StmtKind::Call(callee, args) => self.call(*callee, args),
            StmtKind::Print(items) => items.iter().for_each(|item| self.expr(item)),
            StmtKind::Read(place, file, layout) => {
                self.expr(file);
                layout.iter().for_each(|layout| self.expr(layout));
                self.define(place);
            }
            StmtKind::Write(place, file) => {
                self.read(place);
                self.expr(file);
            }
            StmtKind::Assert(test, message) => {
                self.expr(test);
                message.iter().for_each(|message| self.expr(message));
            }
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::If(arms, otherwise) => {
                let mut ends = None;
                for (test, then) in arms {
                    self.expr(test);
                    let before = self.state.clone();
                    self.stmts(then);
                    let end = self.state.take();
                    ends = self.join(ends, end);
                    self.state = before;
                }
                self.stmts(otherwise);
                self.meet(ends);
            }
            StmtKind::While(test, body) => self.looped(stmt, |walk| {
                walk.expr(test);
                let left = walk.state.clone();
                walk.stmts(body);
                let continues = walk.take_continues();
                walk.meet(continues);
                left
            }),
            StmtKind::Repeat(body, until) => self.looped(stmt, |walk| {
                walk.stmts(body);
                let continues = walk.take_continues();
                walk.meet(continues);
                walk.expr(until);
                walk.state.clone()
            }),
            StmtKind::For { var, from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.counted(stmt, var, body);
            }
            StmtKind::Foreach { var, over, body } => {
                self.expr(over);
                self.counted(stmt, var, body);
            }
            StmtKind::Forget(locals) => {
                self.has_forgotten = true;
                for &local in locals {
                    let node = self.node(local, Node::Forgotten);
                    self.set_current(local, node);
                }
            }
            StmtKind::Exit => {
                let (exits, state) = (self.exits.take(), self.state.take());
                self.exits = self.join(exits, state);
            }
            StmtKind::Break => {
                let state = self.state.take();
                if let Some(mut ends) = self.loops.pop() {
                    ends.breaks = self.join(ends.breaks, state);
                    self.loops.push(ends);
                }
            }
            StmtKind::Continue => {
                let state = self.state.take();
                if let Some(mut ends) = self.loops.pop() {
                    ends.continues = self.join(ends.continues, state);
                    self.loops.push(ends);
                }
            }
        }
    }

    fn counted(&mut self, stmt: &Stmt, var: &VarUse, body: &[Stmt]) {
        self.looped(stmt, |walk| {
            let left = walk.state.clone();
            walk.define(var);
            walk.stmts(body);
            let continues = walk.take_continues();
            walk.meet(continues);
            left
        });
    }

    fn take_continues(&mut self) -> Option<State> {
        self.loops.last_mut().and_then(|ends| ends.continues.take())
    }

    /// Joins another path into the current one.
    fn meet(&mut self, other: Option<State>) {
        let state = self.state.take();
        self.state = self.join(state, other);
    }

    /// Walks a loop. `turn` walks one iteration and returns the state on leaving the loop. Only
    /// variables mentioned in the loop can differ between iterations.
    fn looped(&mut self, stmt: &Stmt, turn: impl FnOnce(&mut Self) -> Option<State>) {
        let mut mentioned = BTreeSet::new();
        visit::any_stmt(std::slice::from_ref(stmt), &mut |inner| {
            visit::uses_of_stmt(inner, &mut |place| {
                mentioned.insert(place.local);
            });
            false
        });
        let mut heads = Vec::new();
        if let Some(mut head) = self.state.take() {
            for local in mentioned {
                let entry = &mut head[local.0 as usize];
                *entry = self.node(local, Node::Join(vec![*entry]));
                heads.push((local, *entry));
            }
            self.state = Some(head);
        }
        self.loops.push(LoopEnds::default());
        let left = turn(self);
        if let Some(back) = self.state.take() {
            for (local, join) in heads {
                let node = back[local.0 as usize];
                if let Node::Join(from) = &mut self.nodes[join as usize]
                    && join != node
                {
                    from.push(node);
                }
            }
        }
        let ends = self.loops.pop().unwrap_or_default();
        self.state = self.join(left, ends.breaks);
    }

    fn assign(&mut self, target: &Target, value: &Expr) {
        match target {
            Target::Var(place) => {
                self.expr(value);
                // `X := Θ` keeps the size of X.
                if value.is_sizeless() && self.routine.local(place.local).ty.is_unsized() {
                    self.change(place, After::Set);
                } else {
                    self.define(place);
                }
            }
            Target::Component(place, index) => {
                self.expr(index);
                self.expr(value);
                self.change(place, After::Set);
            }
            Target::Bit(place, row, column) => {
                self.expr(row);
                self.expr(column);
                self.expr(value);
                self.change(place, After::Set);
            }
            Target::Field(field) => {
                self.field(field);
                self.expr(value);
                self.change_blindly(&field.table, After::Set);
            }
            Target::Numbers(target) => {
                self.field(&target.field);
                self.expr(value);
                target.mask.iter().for_each(|mask| self.read(mask));
                self.change_blindly(&target.field.table, After::Set);
            }
            Target::Cell(row, field) => {
                self.expr(row);
                self.field(field);
                self.expr(value);
                self.change_blindly(&field.table, After::Set);
            }
            // A handle may be initialised from any part.
            Target::Part(place, _) => {
                self.expr(value);
                self.change_blindly(place, After::Set);
            }
            // A table may be initialised from a column, and one of declared sizes from a row.
            Target::Col(index, place) => {
                self.expr(index);
                self.expr(value);
                self.change_blindly(place, After::Set);
            }
            Target::Row(index, place) => {
                self.expr(index);
                self.expr(value);
                match self.routine.local(place.local).ty.is_unsized() {
                    true => self.change(place, After::Set),
                    false => self.change_blindly(place, After::Set),
                }
            }
        }
    }

    fn call(&mut self, callee: RoutineId, args: &[Arg]) {
        let machine_op = self.program.routine(callee).machine_op.filter(|_| self.machine_ops);
        // All values are read before the call changes anything.
        for arg in args {
            match arg {
                Arg::Value(value) => self.expr(value),
                Arg::Field(field, _) => self.field(field),
                Arg::Ref(_) => {}
            }
        }
        for (param, arg) in args.iter().enumerate() {
            match arg {
                Arg::Value(_) => {}
                Arg::Field(field, _) => self.change(&field.table, After::Set),
                Arg::Ref(place) => match machine_op {
                    Some(MachineOp::Min | MachineOp::Max | MachineOp::LoadField) => {
                        self.define(place)
                    }
                    Some(MachineOp::StoreField) => self.change_blindly(place, After::Set),
                    None => {
                        let is_bits = self.routine.local(place.local).ty.kind().is_bits();
                        let after = match self.summaries.assigns(callee, param) {
                            true => After::Set,
                            false if is_bits => After::MaybeUnset,
                            false => After::AsBefore,
                        };
                        match self.summaries.takes(callee, param) {
                            true => self.change(place, after),
                            false => self.pass(place, after),
                        }
                    }
                },
            }
        }
    }

    /// Handles the columns of a field.
    fn field(&mut self, field: &Field) {
        self.expr(&field.base);
        self.expr(&field.width);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Bits(_)
            | ExprKind::Theta => {}
            ExprKind::Var(place) | ExprKind::NCols(place) | ExprKind::NRows(place) => {
                self.read(place)
            }
            ExprKind::Chain(first, links) => {
                self.expr(first);
                for (op, operand) in links {
                    let before = match op {
                        ChainOp::Bool(LogicOp::And | LogicOp::Or) if operand.effects => {
                            self.state.clone()
                        }
                        ChainOp::Bool(_) | ChainOp::Bits(_) | ChainOp::Int(_) => None,
                    };
                    self.expr(operand);
                    self.meet(before);
                }
            }
            ExprKind::Neg(operand) | ExprKind::Not(operand) | ExprKind::BitsNot(operand) => {
                self.expr(operand)
            }
            ExprKind::Compare(_, left, right)
            | ExprKind::BoolDiffers(left, right)
            | ExprKind::BitsEqual(left, right)
            | ExprKind::Shift(left, _, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Component(place, index)
            | ExprKind::Col(index, place)
            | ExprKind::Row(index, place) => {
                self.expr(index);
                self.read(place);
            }
            ExprKind::Bit(place, row, column) => {
                self.expr(row);
                self.expr(column);
                self.read(place);
            }
            ExprKind::Part(place, _) => self.read(place),
            ExprKind::Field(field) => {
                self.field(field);
                self.read(&field.table);
            }
            ExprKind::Cell(row, field) => {
                self.expr(row);
                self.field(field);
                self.read(&field.table);
            }
            ExprKind::Ones(size) => self.expr(size),
            ExprKind::Numbers(column) | ExprKind::Relation(_, column) => {
                column.operands().for_each(|operand| self.expr(operand));
            }
            ExprKind::Result(result) => {
                self.call(result.callee, &result.args);
                self.read(&result.value);
            }
            ExprKind::Inside(index, limit) => {
                self.expr(index);
                self.expr(limit);
            }
            ExprKind::Step(place) => self.change(place, After::Set),
            ExprKind::Builtin(_, args) => args.iter().for_each(|arg| self.expr(arg)),
            ExprKind::Call(callee, args) => self.call(*callee, args),
        }
    }
}
