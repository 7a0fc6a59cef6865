//! The form of a routine without its names: two routines with the same form are equivalent.
//!
//! The form omits everything that does not affect a routine that does not trap: names, locations,
//! strings of messages, counts. Variables and labels are numbered in the order of their first
//! occurrence. Sizes of types count only for variables passed by reference, which must come back
//! with them; all other requirements of types are explicit statements.

use std::collections::BTreeMap;

use star_base::intrinsics::Kind;
use star_ir::rewrite::map::{self, Mapper};
use star_ir::{
    Arg, Block, Extent, LabelId, LocId, Mode, Operand, Program, RoutineId, Simple, Stmt, StmtKind,
    VarId, visit,
};

/// The maximum depth of calls that are followed.
const MAX_DEPTH: usize = 8;

/// The form of a routine without its names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    params: Vec<(Mode, bool)>,
    result: Option<VarId>,
    steps: Vec<Step>,
    /// The locations of the steps.
    places: Places,
    /// The kinds of the variables, by their new numbers.
    kinds: Vec<Kind>,
    /// Variables passed by reference: sizes, and whether they are declared.
    lent: BTreeMap<VarId, ([Option<Extent>; 2], bool)>,
    /// The called routines, in the order of their first occurrence.
    callees: Vec<Form>,
}

/// A statement without its inner blocks.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    /// Its nesting depth, and its block within the enclosing statement.
    depth: usize,
    block: usize,
    kind: StmtKind,
}

impl Form {
    /// Returns the form of a routine; `None` if it is recursive or its calls nest too deep.
    pub(super) fn of(program: &Program, id: RoutineId) -> Option<Form> {
        Form::nested(program, id, MAX_DEPTH)
    }

    fn nested(program: &Program, id: RoutineId, depth: usize) -> Option<Form> {
        let routine = program.routine(id);
        let mut maker =
            Maker { program, form: Form::default(), numbers: Numbers::default(), depth };
        for param in &routine.params {
            maker.numbers.number(param.var);
            maker.form.params.push((param.mode, param.set_at_end));
        }
        maker.form.result = routine.result.map(|var| maker.numbers.number(var));
        maker.block(&routine.body, 0, 0)?;
        let Maker { mut form, mut numbers, .. } = maker;
        let mut lent = Vec::new();
        visit::walk(&routine.body, &mut |stmt| {
            if let StmtKind::Simple(Simple::Call { callee: _, args, dst: _ }) = &stmt.kind {
                lent.extend(args.iter().filter_map(|arg| match arg {
                    Arg::Ref(var) => Some(*var),
                    Arg::Value(_) | Arg::Move(_) => None,
                }));
            }
        });
        for old in lent {
            let var = routine.var(old);
            let sizes = var.ty.extents().map(|extent| match extent {
                Extent::Var(size) => Some(Extent::Var(numbers.number(size))),
                Extent::Const(_) => Some(extent),
                Extent::Dynamic => None,
            });
            form.lent.insert(numbers.number(old), (sizes, var.sized));
        }
        form.kinds = numbers.vars.iter().map(|var| routine.var(*var).ty.kind()).collect();
        Some(form)
    }
}

struct Maker<'p> {
    program: &'p Program,
    form: Form,
    numbers: Numbers,
    depth: usize,
}

impl Maker<'_> {
    fn block(&mut self, stmts: &[Stmt], depth: usize, block: usize) -> Option<()> {
        for stmt in stmts {
            if matches!(stmt.kind, StmtKind::Simple(Simple::Cost { .. })) {
                continue;
            }
            let mut plain = stmt.clone();
            for inner in visit::blocks_mut(&mut plain.kind).into_iter().flatten() {
                *inner = Block::new();
            }
            map::statement(&mut plain, &mut self.numbers);
            if let StmtKind::Simple(Simple::Call { callee, .. }) = &mut plain.kind {
                let depth = self.depth.checked_sub(1)?;
                self.form.callees.push(Form::nested(self.program, *callee, depth)?);
                *callee = RoutineId(0);
            }
            self.form.places.0.push(stmt.loc);
            self.form.steps.push(Step { depth, block, kind: plain.kind });
            for (at, inner) in visit::blocks(&stmt.kind).into_iter().enumerate() {
                self.block(inner, depth + 1, at)?;
            }
        }
        Some(())
    }
}

/// New numbers of variables and labels.
#[derive(Default)]
struct Numbers {
    vars: Vec<VarId>,
    labels: Vec<LabelId>,
}

impl Numbers {
    fn number(&mut self, var: VarId) -> VarId {
        let known = self.vars.iter().position(|other| *other == var);
        let at = known.unwrap_or_else(|| {
            self.vars.push(var);
            self.vars.len() - 1
        });
        VarId(at as u32)
    }
}

impl Mapper for Numbers {
    fn read(&mut self, var: &mut VarId) {
        *var = self.number(*var);
    }

    fn size(&mut self, var: &mut VarId) {
        *var = self.number(*var);
    }

    fn write(&mut self, var: &mut VarId) {
        *var = self.number(*var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        match operand {
            Operand::Var(var) => *var = self.number(*var),
            Operand::Str(text) => *text = "".into(),
            Operand::Int(_) | Operand::Bool(_) => {}
        }
    }

    fn label(&mut self, label: &mut LabelId) {
        let known = self.labels.iter().position(|other| other == label);
        let at = known.unwrap_or_else(|| {
            self.labels.push(*label);
            self.labels.len() - 1
        });
        *label = LabelId(at as u32);
    }

    fn location(&mut self, loc: &mut LocId) {
        *loc = LocId(0);
    }
}

impl Form {
    /// Returns the number of statements.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the location of a statement.
    pub(super) fn place(&self, step: usize) -> Option<LocId> {
        self.places.0.get(step).copied()
    }
}

/// Locations, which compare equal.
#[derive(Debug, Default)]
struct Places(Vec<LocId>);

impl PartialEq for Places {
    fn eq(&self, _: &Places) -> bool {
        true
    }
}

impl Eq for Places {}

/// Returns the length of the common prefix of two forms, in statements.
pub(super) fn common(a: &Form, b: &Form) -> usize {
    a.steps.iter().zip(&b.steps).take_while(|(a, b)| a == b).count()
}
