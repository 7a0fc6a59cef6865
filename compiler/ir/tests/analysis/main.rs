//! Tests of analyses and rewrite tools on SIR text. A statement is found by the letter in a comment
//! of its line: `; a`.

use star_ir::analysis::cost::CostForm;
use star_ir::analysis::facts::Facts;
use star_ir::analysis::line_accesses::{
    ITERATIONS, IntrinsicUse, LineAccesses, TableUse, line_accesses,
};
use star_ir::analysis::liveness::Liveness;
use star_ir::analysis::parts::{self, Alias};
use star_ir::analysis::walk::{Belief, Inspect, Point, walk};
use star_ir::rewrite::{Edit, Edits, Labels, clone_block, edit, fresh_var};
use star_ir::*;

/// Returns a program whose first routine has the header and the statements; each line is a
/// statement without its location: `!1` for one that ends in `shows`, which names the variable 0,
/// otherwise `!0`.
fn program(header: &str, body: &str) -> Program {
    let mut text = format!("routine 0 \"F\" {header} !0 {{\n");
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line = line.split(';').next().unwrap_or(line).trim();
        let (line, loc) = line.strip_suffix(" shows").map_or((line, "!0"), |line| (line, "!1"));
        text += &if line.starts_with("var ") || line.starts_with('}') {
            line.to_owned()
        } else if let Some(head) = line.strip_suffix('{') {
            format!("{head} {loc} {{")
        } else {
            format!("{line} {loc}")
        };
        text += "\n";
    }
    text += "}\nroutine 1 \"G\" (ref %a: int, ref %b: int) !0 {\n  check set %b !0\n  %a = copy %b !0\n}\n";
    text += "locations {\n  !0 = 0:0..0\n  !1 = 0:0..1 names [#0 \"x\"]\n}\n";
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(verify(&program), Ok(()), "{text}");
    program
}

/// Returns the number of the statement whose line has this letter.
fn at(body: &str, letter: char) -> usize {
    let lines = body.lines().map(str::trim);
    let statements = lines
        .filter(|line| !line.is_empty() && !line.starts_with("var ") && !line.starts_with('}'));
    let mut marked = statements.map(|line| line.ends_with(&format!("; {letter}")));
    marked.position(|is_it| is_it).expect("a marked line")
}

/// Returns the names of the variables that are live after the marked statement.
fn live(header: &str, body: &str, letter: char) -> String {
    let program = program(header, body);
    let liveness = Liveness::of(&program, RoutineId(0));
    let vars = (0..).zip(&program.routines[0].vars);
    let live = vars.filter(|(id, _)| liveness.is_live_after(at(body, letter), VarId(*id)));
    live.map(|(_, var)| var.name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_variable_is_live_up_to_its_last_use() {
    let body = "var %y: int
        %y = copy %x ; a
        print %y ; b
        %y = copy 3 ; c
        exit";
    let header = "(value %x: int)";
    assert_eq!(live(header, body, 'a'), "y");
    assert_eq!(live(header, body, 'b'), "");
    assert_eq!(live(header, body, 'c'), "");
}

#[test]
fn variables_shown_by_a_trap_are_used() {
    let body = |check: &str| {
        format!("var %y: int\n%y = copy 1 ; a\n%x = copy 2 ; b\n{check}\n%x = copy 3\nprint %x")
    };
    // The location !1 names %x.
    let header = "(value %x: int)";
    assert_eq!(live(header, &body("check not_negative %y shows"), 'b'), "x y");
    assert_eq!(live(header, &body("check not_negative %y"), 'b'), "y");
    // Values that outlive the trap are observed after it.
    let header = "(ref set %x: int)";
    assert_eq!(live(header, &body("check not_negative %y"), 'b'), "x y");
    assert_eq!(live(header, &body("%y = copy 5"), 'b'), "");
}

#[test]
fn a_loop_carries_reads_of_the_next_iteration() {
    let body = "var %i: int
        var %s: int
        var %c: bool
        var %u: int
        %s = copy 0 ; a
        for @0 %i = 1 to %x {
          %u = copy %s ; b
          %c = gt %u, 3
          if %c {
            continue @0
          }
          %s = copy %i ; c
        } 
        print 1";
    let header = "(value %x: int)";
    assert_eq!(live(header, body, 'a'), "x s");
    assert_eq!(live(header, body, 'b'), "i s u");
    assert_eq!(live(header, body, 'c'), "s");
    // Not without the read of the next iteration.
    assert_eq!(live(header, &body.replace("copy %s", "copy 0"), 'c'), "");
}

#[test]
fn breaks_leave_the_loop_and_exits_the_routine() {
    let body = "var %c: bool
        var %k: int
        %k = copy 1 ; a
        %c = gt %x, 3
        while @0 {
        } test true {
          if %c {
            %k = copy 2 ; b
            break @0
          }
          if %c {
            %k = copy 3 ; c
            exit
          }
        }
        print %k";
    let header = "(value %x: int, ref %r: int)";
    assert_eq!(live(header, body, 'a'), "x r");
    assert_eq!(live(header, body, 'b'), "r k");
    assert_eq!(live(header, body, 'c'), "r");
}

#[test]
fn endless_loop_keeps_ref_parameters_live() {
    let body = "while @0 {
        } test true {
          %r = copy %x ; a
        }";
    assert_eq!(live("(value %x: int, ref %r: int)", body, 'a'), "x r");
}

#[test]
fn a_use_of_a_slice_uses_its_extent() {
    let body = "var %n: int
        var %X: slice[%n]
        check not_negative %x
        %n = copy %x ; a
        %X = fill %n, true ; b
        print %X";
    assert_eq!(live("(value %x: int)", body, 'b'), "n X");
}

#[test]
fn nested_loops_are_analysed_fast() {
    let depth = 400;
    let mut body = String::from("var %s: int\nvar %c: bool\n");
    (0..depth).for_each(|i| body += &format!("var %i{i}: int\n"));
    body += "%s = copy 0\n%c = copy true\n";
    for i in 0..depth {
        body += &format!("for @{i} %i{i} = 1 to %x {{\nif %c {{\ncontinue @{i}\n}}\n");
        if i > 120 {
            break;
        }
    }
    body += "%s = copy %s ; a\n";
    body += &"}\n".repeat(body.matches("for @").count());
    assert!(live("(value %x: int)", &body, 'a').contains('s'));
}

/// Compares two indices before the last statement.
fn compare(body: &str, a: Operand, b: Operand) -> Alias {
    struct Last(usize, Operand, Operand, Option<Alias>);
    impl Inspect for Last {
        fn before(&mut self, at: usize, _: &Stmt, point: &mut Point<'_, '_>) {
            let facts: &Facts<'_> = point.facts;
            if at == self.0 {
                self.3 = Some(parts::compare(facts, &self.1, &self.2));
            }
        }
    }
    let program = program("(value %i: int, value %j: int)", body);
    let routine = &program.routines[0];
    let mut last = Last(routine.body.len() - 1, a, b, None);
    walk(&program, routine, Belief::Header, &mut last);
    last.3.expect("the last statement")
}

#[test]
fn parts_are_the_same_different_or_unknown() {
    let var = |id| Operand::Var(VarId(id));
    let (i, j, k) = (var(0), var(1), var(2));
    let body = "var %k: int\n%k = copy %i\nprint 0";
    assert_eq!(compare(body, i.clone(), j.clone()), Alias::Unknown);
    assert_eq!(compare(body, i.clone(), k.clone()), Alias::Same);
    assert_eq!(compare(body, Operand::Int(1), Operand::Int(2)), Alias::Different);
    let next = "var %k: int\ncheck add %i, 1\n%k = add %i, 1\nprint 0";
    assert_eq!(compare(next, i.clone(), k.clone()), Alias::Different);
    assert_eq!(compare(next, k.clone(), i.clone()), Alias::Different);
    // Unless it has changed since.
    let changed = "var %k: int\ncheck add %i, 1\n%k = add %i, 1\n%k = copy %j\nprint 0";
    assert_eq!(compare(changed, i.clone(), k.clone()), Alias::Unknown);
    let numbers = "var %k: int\n%k = copy 4\nprint 0";
    assert_eq!(compare(numbers, k.clone(), Operand::Int(5)), Alias::Different);
    assert_eq!(compare(numbers, k, Operand::Int(4)), Alias::Same);
}

#[test]
fn cost_forms_distinguish_paths() {
    let form = |body: &str| CostForm::of(&program("(value %x: bool)", body).routines[0]);
    let whole = form("cost 1\nif %x {\ncost 2\n}\ncost 3\ncost 4");
    assert_eq!(whole, form("cost 1\nif %x {\ncost 1\ncost 1\nprint 1\n}\ncost 7"));
    for other in [
        "cost 1\nif %x {\ncost 2\n}\ncost 3",
        "cost 1\ncost 2\ncost 3\ncost 4",
        "cost 1\nif %x {\n} else {\ncost 2\n}\ncost 7",
        "cost 3\nif %x {\n}\ncost 7",
    ] {
        assert_ne!(whole, form(other), "{other}");
    }
    let folded = form("cost 10");
    assert!(folded.paths().unwrap().is_subset(&whole.paths().unwrap()));
    assert!(!form("cost 9").paths().unwrap().is_subset(&whole.paths().unwrap()));
}

#[test]
fn fresh_names_are_new_and_copies_get_fresh_labels() {
    let body = "block @4 {\nif %x {\nbreak @4\n}\n}";
    let mut program = program("(value %x: bool)", body);
    let routine = program.routine_mut(RoutineId(0));
    let (a, b) = (fresh_var(routine, "t", Ty::Int), fresh_var(routine, "t", Ty::Int));
    assert_eq!((routine.var(a).name.as_str(), routine.var(b).name.as_str()), ("t.1", "t.2"));
    let mut labels = Labels::new(routine);
    let copy = clone_block(&routine.body, &mut labels);
    routine.body.extend(copy);
    let text = program.to_string();
    assert!(text.contains("block @5") && text.contains("break @5"), "{text}");
    assert_eq!(verify(&program), Ok(()));
}

#[test]
fn edits_use_the_original_numbers() {
    let body = "print 0\nif %x {\nprint 2\nprint 3\n} else {\nprint 4\n}\nprint 5";
    let edited = |edits: &[(usize, Edit)]| {
        let mut program = program("(value %x: bool)", body);
        edit(
            &mut program.routine_mut(RoutineId(0)).body,
            &edits.iter().cloned().collect::<Edits>(),
        );
        let text = program.to_string();
        let lines = text.lines().skip(1).take_while(|line| *line != "}");
        lines.map(|line| line.trim().trim_end_matches(" !0")).collect::<Vec<_>>().join("; ")
    };
    let print = |n| Edit::Replace(StmtKind::Simple(Simple::Print(vec![Operand::Int(n).into()])));
    assert_eq!(
        edited(&[(0, Edit::Remove), (5, print(9))]),
        "if %x !0 {; print 2; print 3; } else {; print 4; }; print 9"
    );
    assert_eq!(edited(&[(1, Edit::First), (2, Edit::Remove)]), "print 0; print 3; print 5");
    assert_eq!(edited(&[(1, Edit::Second), (4, print(7))]), "print 0; print 7; print 5");
}

#[test]
fn line_accesses_are_weighted_by_loops_and_include_calls() {
    let text = "routine 0 \"F\" (value %T: table[?, ?], value %U: table[?, ?], value %n: int) !0 {
  var %w: word[?]
  var %x: slice[?]
  var %i: int
  check set %T !0
  check set %U !0
  for @0 %i = 1 to %n !0 {
    check index %i, rows %T !0
    %w = row %T, %i !0
    call 1 \"G\" (value %U, value %n) !0
  }
  for @1 %i = 3 downto 1 !0 {
    check index %i, rows %T !0
    %w = row %T, %i !0
  }
  for @2 %i = 3 to 1 !0 {
    check index %i, rows %T !0
    %w = row %T, %i !0
  }
  check index %n, columns %T !0
  %x = column %T, %n !0
}
routine 1 \"G\" (value %T: table[?, ?], value %n: int) !0 {
  var %x: slice[?]
  check set %T !0
  check index %n, columns %T !0
  %x = column %T, %n !0
}
locations {
  !0 = 0:0..0
}
";
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found = line_accesses(&program, RoutineId(0), &|_, _| IntrinsicUse::None);
    let accesses = |rows, columns| LineAccesses { rows, columns, used: TableUse::Looks };
    // A loop with numbers as bounds counts as often as it runs.
    assert_eq!(found[..2], [accesses(ITERATIONS + 3, 1), accesses(0, ITERATIONS)]);
    assert_eq!((found[2].rows, found[2].columns), (0, 0));
    assert_eq!(line_accesses(&program, RoutineId(7), &|_, _| IntrinsicUse::None), []);
}

#[test]
fn table_use_includes_callees() {
    let with_intrinsic = |header: &str, rest: &str, intrinsic: IntrinsicUse| {
        let text = format!(
            "routine 0 \"F\" ({header}) !0 {{
  var %U: table[?, ?]
  var %n: int
  check set %T !0
  {rest}
}}
routine 1 \"G\" (value %T: table[?, ?]) !0 {{
  var %U: table[?, ?]
  check set %T !0
  %U = copy %T !0
}}
locations {{
  !0 = 0:0..0
}}
"
        );
        let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let of_first =
            |routine: &Routine| if routine.name == "F" { intrinsic } else { IntrinsicUse::None };
        line_accesses(&program, RoutineId(0), &|routine, _| of_first(routine))[0].used
    };
    let used = |header: &str, rest: &str| with_intrinsic(header, rest, IntrinsicUse::None);
    use TableUse::{Changes, Looks, Whole};
    let table = "value %T: table[?, ?]";
    assert_eq!(used(table, ""), Looks);
    assert_eq!(used(table, "%n = rows %T !0\n  %n = columns %T !0"), Looks);
    assert_eq!(with_intrinsic(table, "", IntrinsicUse::Any), Changes);
    assert_eq!(with_intrinsic(table, "%U = copy %T !0", IntrinsicUse::Lines), Looks);
    assert_eq!(with_intrinsic("ref %T: table[?, ?]", "", IntrinsicUse::Any), Whole);
    assert_eq!(used("ref %T: table[?, ?]", ""), Changes, "it goes back to the caller");
    assert_eq!(used(table, "%U = copy %T !0"), Changes);
    assert_eq!(used(table, "call 1 \"G\" (value %T) !0"), Changes, "the callee copies it");
    assert_eq!(used(table, "put_field %T, 1, %T !0"), Whole);
}
