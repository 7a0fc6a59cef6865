//! The steps that an observer sees.

use std::ops::ControlFlow;

use star_ir::{Arg, LimitKind, Mode, RoutineId, Simple, StmtKind, Ty};

use super::*;
use crate::reference::{Moment, Observer, Scene};

/// Records the observed steps; ends the run at the step with this number.
struct Diary {
    lines: Vec<String>,
    stop_at: usize,
}

impl Observer for Diary {
    fn at(&mut self, moment: Moment<'_>, scene: &Scene<'_>) -> ControlFlow<()> {
        let what = match moment {
            Moment::Statement(Stmt { kind: StmtKind::Simple(Simple::Assign(..)), .. }) => "assign",
            Moment::Statement(Stmt { kind: StmtKind::Simple(Simple::Call { .. }), .. }) => "call",
            Moment::Statement(Stmt { kind: StmtKind::For { .. }, .. }) => "for",
            Moment::Statement(_) => "other",
            Moment::Iteration => "iteration",
            Moment::End => "end",
        };
        let (depth, name) = (scene.depth(), &scene.routine().name);
        let first = scene.routine().params[0].var;
        self.lines.push(format!("{depth} {name} {what} {:?}", scene.value(first)));
        match self.lines.len() == self.stop_at {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn observed(stop_at: usize) -> (Outcome, HostValue, Vec<String>) {
    let mut callee = Draft::new("f");
    let x = callee.param("x", Ty::Int, Mode::Ref);
    let callee = callee.body(vec![increment(x)]);
    let mut main = Draft::new("main");
    let s = main.param("s", Ty::Int, Mode::Ref);
    let i = main.var("i", Ty::Int);
    let call = st(StmtKind::Simple(Simple::Call {
        callee: RoutineId(1),
        args: vec![Arg::Ref(s)],
        dst: None,
    }));
    let main = main.body(vec![for_up(0, i, n(1), n(2), vec![call])]);
    let reference = Reference::new();
    let plan = planned(&reference, &program(vec![main, callee]), CompileOptions::AS_LOWERED);
    let mut values = [reference.load(HostValue::Int(7), false).unwrap()];
    let trial = Trial::new();
    let mut host = TestHost::default();
    let mut control = Control {
        interrupt: &trial.interrupt,
        deadline: &trial.deadline,
        limits: trial.limits,
        host: &mut host,
        profile: None,
        stats: Stats::default(),
    };
    let mut diary = Diary { lines: Vec::new(), stop_at };
    let outcome = reference.run_observed(&plan, &mut values, &mut control, &mut diary);
    let left = reference.store(&values[0], Part::Whole, &trial.interrupt).unwrap();
    (outcome, left, diary.lines)
}

#[test]
fn steps_are_observed_before_they_happen() {
    let (outcome, left, lines) = observed(usize::MAX);
    assert_eq!((outcome, left), (Outcome::Done, HostValue::Int(9)));
    let expected = [
        "1 main for Int(7)",
        "1 main iteration Int(7)",
        "1 main call Int(7)",
        "2 f assign Int(7)",
        "2 f end Int(8)",
        "1 main iteration Int(8)",
        "1 main call Int(8)",
        "2 f assign Int(8)",
        "2 f end Int(9)",
        "1 main end Int(9)",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_observer_can_end_the_run_and_effects_stay() {
    // At the end of the first call, inside it.
    let (outcome, left, lines) = observed(5);
    assert!(matches!(outcome, Outcome::Limit { kind: LimitKind::Interrupted, .. }), "{outcome:?}");
    assert_eq!((left, lines.len()), (HostValue::Int(8), 5));
}
