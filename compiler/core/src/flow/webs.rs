//! Webs: the mentions of a variable that see one another's values.
//!
//! Note [Webs]. A slice or word that is declared without a size may take another size at every
//! assignment, and the published programs do so (`w` of DIJKSTRA is now a row of the graph, now a
//! vertex code). Each web becomes a SIR variable of its own, with one symbolic size. A walk in the order
//! of evaluation gives every definition a node; where paths meet, a node joins the nodes of the paths.
//! Only joins that a mention really sees tie webs together. The same nodes tell where a variable may be
//! unset.

mod ties;

use crate::hir::{
    Arg, ChainOp, Expr, ExprKind, Kind, LocalId, MachineOp, Place, Program, Role, Routine,
    RoutineId, Site, Stmt, StmtKind, Target,
};
use crate::visit;
use star_ir::LogicOp;

use super::summary::Summaries;

/// What the analysis found out about a routine.
pub(crate) struct Webs {
    /// The web of every mention.
    site_web: Vec<u32>,
    /// May the variable be unset where it is mentioned?
    maybe_unset: Vec<bool>,
    /// Is it surely unset there?
    never_set: Vec<bool>,
    /// The variable of every web.
    pub(crate) web_local: Vec<LocalId>,
    /// The web that a variable is in at the start.
    entry_web: Vec<u32>,
    /// Of each parameter: is it surely set at the end?
    pub(crate) assigns: Vec<bool>,
    /// May a function's result be unset at the end?
    pub(crate) result_maybe_unset: bool,
}

impl Webs {
    pub(crate) fn web(&self, site: Site) -> u32 {
        self.site_web[site.0 as usize]
    }

    pub(crate) fn maybe_unset(&self, site: Site) -> bool {
        self.maybe_unset[site.0 as usize]
    }

    pub(crate) fn never_set(&self, site: Site) -> bool {
        self.never_set[site.0 as usize]
    }

    pub(crate) fn entry_web(&self, local: LocalId) -> u32 {
        self.entry_web[local.0 as usize]
    }
}

/// Is the variable split into webs? Sized ones and scalars have one size anyway; a `var` parameter is
/// the caller's variable.
pub(crate) fn is_split(routine: &Routine, local: LocalId) -> bool {
    let declared = routine.local(local);
    matches!(declared.role, Role::Local | Role::Value)
        && declared.ty.is_unsized()
        && matches!(declared.ty.kind(), Kind::Slice | Kind::Word | Kind::Table)
        && !in_a_size(routine, local)
}

/// Does a declared size mention the variable?
fn in_a_size(routine: &Routine, local: LocalId) -> bool {
    routine.locals.iter().any(|other| {
        let sizes = match &other.ty {
            crate::hir::Ty::Int | crate::hir::Ty::Bool | crate::hir::Ty::Str => [None, None],
            crate::hir::Ty::Slice(size) | crate::hir::Ty::Word(size) => [size.as_deref(), None],
            crate::hir::Ty::Table(rows, columns) => [rows.as_deref(), columns.as_deref()],
        };
        sizes.into_iter().flatten().any(|size| {
            visit::any_expr(size, &mut |expr| {
                matches!(&expr.kind, ExprKind::Var(place) | ExprKind::NRows(place) | ExprKind::NCols(place)
                    if place.local == local)
            })
        })
    })
}

#[derive(Debug)]
enum Node {
    /// Never set.
    Unset,
    /// A `var` parameter at the start: set or not.
    FromCaller,
    /// Set.
    Def,
    /// A join of paths.
    Join(Vec<u32>),
    /// Changed in place.
    Through { before: u32, after: After },
}

/// What a change in place says about the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// It is surely set.
    Set,
    /// It is set if it was set before.
    AsBefore,
    /// It may be unset: the header of a callee may ask for another size.
    MaybeUnset,
}

type State = Vec<u32>;

struct Walk<'a> {
    program: &'a Program,
    routine: &'a Routine,
    summaries: &'a Summaries,
    machine_ops: bool,
    nodes: Vec<Node>,
    node_local: Vec<LocalId>,
    site_node: Vec<Option<u32>>,
    /// The nodes that a mention sees.
    seen: Vec<u32>,
    /// `None` where the program does not get.
    state: Option<State>,
    loops: Vec<LoopEnds>,
    exits: Vec<State>,
}

#[derive(Default)]
struct LoopEnds {
    breaks: Vec<State>,
    continues: Vec<State>,
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
        state: None,
        loops: Vec::new(),
        exits: Vec::new(),
    };
    let entry: State = (0..routine.locals.len() as u32)
        .map(|idx| {
            let local = routine.local(LocalId(idx));
            let sized_table = local.ty.kind() == Kind::Table && !local.ty.is_unsized();
            let node = match local.role {
                Role::Value | Role::Binding => Node::Def,
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

    /// A mention that sees the value.
    fn read(&mut self, place: &Place) {
        if let Some(node) = self.current(place.local) {
            self.site_node[place.site.0 as usize] = Some(node);
            self.seen.push(node);
        }
    }

    /// A mention that gives the variable a new value.
    fn define(&mut self, place: &Place) {
        if self.state.is_some() {
            let node = self.node(place.local, Node::Def);
            self.site_node[place.site.0 as usize] = Some(node);
            self.set_current(place.local, node);
        }
    }

    /// A mention that changes the variable in place.
    fn change(&mut self, place: &Place, after: After) {
        self.read(place);
        if let Some(before) = self.current(place.local) {
            let node = self.node(place.local, Node::Through { before, after });
            // The variable stays the same one, whether anybody looks at it again or not.
            self.seen.push(node);
            self.set_current(place.local, node);
        }
    }

    fn join(&mut self, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let mut joined = states.next()?;
        for state in states {
            for (idx, (mine, other)) in joined.iter_mut().zip(&state).enumerate() {
                if *mine != *other {
                    let node = Node::Join(vec![*mine, *other]);
                    self.nodes.push(node);
                    self.node_local.push(LocalId(idx as u32));
                    *mine = self.nodes.len() as u32 - 1;
                }
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
                let mut ends = Vec::new();
                for (test, then) in arms {
                    self.expr(test);
                    let before = self.state.clone();
                    self.stmts(then);
                    ends.extend(self.state.take());
                    self.state = before;
                }
                self.stmts(otherwise);
                ends.extend(self.state.take());
                self.state = self.join(ends);
            }
            StmtKind::While(test, body) => self.looped(|walk| {
                walk.expr(test);
                let left = walk.state.clone();
                walk.stmts(body);
                let continues = walk.take_continues();
                walk.meet(continues);
                left
            }),
            StmtKind::Repeat(body, until) => self.looped(|walk| {
                walk.stmts(body);
                let continues = walk.take_continues();
                walk.meet(continues);
                walk.expr(until);
                walk.state.clone()
            }),
            StmtKind::For { var, from, to, body, .. } => {
                self.expr(from);
                self.expr(to);
                self.counted(var, body);
            }
            StmtKind::Foreach { var, over, body } => {
                self.expr(over);
                self.counted(var, body);
            }
            StmtKind::Exit => self.exits.extend(self.state.take()),
            StmtKind::Break => {
                let state = self.state.take();
                if let Some(ends) = self.loops.last_mut() {
                    ends.breaks.extend(state);
                }
            }
            StmtKind::Continue => {
                let state = self.state.take();
                if let Some(ends) = self.loops.last_mut() {
                    ends.continues.extend(state);
                }
            }
        }
    }

    fn counted(&mut self, var: &Place, body: &[Stmt]) {
        self.looped(|walk| {
            let left = walk.state.clone();
            walk.define(var);
            walk.stmts(body);
            let continues = walk.take_continues();
            walk.meet(continues);
            left
        });
    }

    fn take_continues(&mut self) -> Vec<State> {
        self.loops.last_mut().map(|ends| std::mem::take(&mut ends.continues)).unwrap_or_default()
    }

    /// Joins other paths into the one at hand.
    fn meet(&mut self, others: Vec<State>) {
        let states = self.state.take().into_iter().chain(others).collect();
        self.state = self.join(states);
    }

    /// A loop: `turn` walks one turn and returns the state in which the loop is left.
    fn looped(&mut self, turn: impl FnOnce(&mut Self) -> Option<State>) {
        let Some(entry) = self.state.take() else {
            // Not reached; mentions inside keep no node.
            self.loops.push(LoopEnds::default());
            turn(self);
            self.loops.pop();
            self.state = None;
            return;
        };
        let head: State = entry
            .iter()
            .enumerate()
            .map(|(idx, &node)| self.node(LocalId(idx as u32), Node::Join(vec![node])))
            .collect();
        self.loops.push(LoopEnds::default());
        self.state = Some(head.clone());
        let left = turn(self);
        if let Some(back) = self.state.take() {
            for (&join, &node) in head.iter().zip(&back) {
                if let Node::Join(from) = &mut self.nodes[join as usize]
                    && join != node
                {
                    from.push(node);
                }
            }
        }
        let ends = self.loops.pop().unwrap_or_default();
        let states = left.into_iter().chain(ends.breaks).collect();
        self.state = self.join(states);
    }

    fn assign(&mut self, target: &Target, value: &Expr) {
        match target {
            Target::Var(place) => {
                self.expr(value);
                // `X := Θ` keeps the size that X has.
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
            Target::Col(index, place) | Target::Row(index, place) => {
                self.expr(index);
                self.expr(value);
                self.change(place, After::Set);
            }
        }
    }

    fn call(&mut self, callee: RoutineId, args: &[Arg]) {
        let machine_op = self.program.routine(callee).machine_op.filter(|_| self.machine_ops);
        for (param, arg) in args.iter().enumerate() {
            match arg {
                Arg::Value(value) => self.expr(value),
                Arg::Ref(place) => match machine_op {
                    Some(MachineOp::Min | MachineOp::Max | MachineOp::LoadField) => {
                        self.define(place)
                    }
                    Some(MachineOp::StoreField) => self.change(place, After::Set),
                    None => {
                        let is_bits = self.routine.local(place.local).ty.kind().is_bits();
                        let after = match self.summaries.assigns(callee, param) {
                            true => After::Set,
                            false if is_bits => After::MaybeUnset,
                            false => After::AsBefore,
                        };
                        self.change(place, after);
                    }
                },
            }
        }
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
                        _ => None,
                    };
                    self.expr(operand);
                    self.meet(before.into_iter().collect());
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
            ExprKind::Step(place) => self.change(place, After::Set),
            ExprKind::Builtin(_, args) => args.iter().for_each(|arg| self.expr(arg)),
            ExprKind::Call(callee, args) => self.call(*callee, args),
        }
    }
}
