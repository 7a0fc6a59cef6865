//! Mismatched sizes: the size error is at the call, never inside the library.

use star_tests::case::ending;
use star_tests::{check, messages};
use star_vm::Outcome;

use super::{int, machines};

/// One call of each procedure with matching sizes.
pub(in super::super) const CALLS: [&str; 77] = [
    "MATCH(T,X,v,Z)",
    "LESS(T,X,v,Z)",
    "GREAT(T,X,v,Z)",
    "GEL(T,X,v,Z,Y,W)",
    "MIN(T,X,Z)",
    "MAX(T,X,Z)",
    "HIT(T,F,X,Z)",
    "SETMIN(T,F,X,Z)",
    "SETMAX(T,F,X,Z)",
    "NEARLESS(T,X,v,Z)",
    "NEARGREAT(T,X,v,Z)",
    "NEAREST(T,X,v,Z)",
    "SLESS(T,X,v,Z)",
    "SGREAT(T,X,v,Z)",
    "SGEL(T,X,v,Z,Y,W)",
    "SMIN(T,X,Z)",
    "SMAX(T,X,Z)",
    "SSETMIN(T,F,X,Z)",
    "SSETMAX(T,F,X,Z)",
    "CLEAR(2,R)",
    "TCOPY(T,R)",
    "TCOPY1(T,1,2,R)",
    "TCOPY2(T,1,2,R)",
    "WCOPY(v,X,R)",
    "WMERGE(v,X,R)",
    "TMERGE(T,X,R)",
    "COMPRESS(T,X,R)",
    "ADDV(T,F,X,R)",
    "SUBTV(T,F,X,R)",
    "ADDC(T,X,v,R)",
    "SUBTC(T,X,v,R)",
    "MULTV(T,F,X,P)",
    "MULTC(T,X,v,P)",
    "DIVV(T,F,X,Q,R)",
    "DIVC(T,X,v,Q,R)",
    "ADDVO(T,F,X,R,Z)",
    "SUBTVO(T,F,X,R,Z)",
    "ADDCO(T,X,v,R,Z)",
    "SUBTCO(T,X,v,R,Z)",
    "ADDVS(T,F,X,R)",
    "SUBTVS(T,F,X,R)",
    "ADDCS(T,X,v,R)",
    "SUBTCS(T,X,v,R)",
    "KTHMIN(T,X,1,Z)",
    "AMONG(T,X,F,Z)",
    "RANK(T,X,2,R)",
    "ORDER(T,F,X,R)",
    "HIST(T,X,3,2,R)",
    "SUMGROUPS(T,T,X,3,2,R)",
    "i:=SUMROWS(T,X)",
    "KMIN(1,T,X,Z)",
    "KMAX(1,T,X,Z)",
    "i:=LEAST(T,W)",
    "i:=GREATEST(T,W)",
    "i:=MINOR(T,X,1)",
    "i:=MAXOR(T,X,1)",
    "i:=SLEAST(T,W)",
    "i:=SGREATEST(T,W)",
    "i:=SMINOR(T,X,1)",
    "i:=SMAXOR(T,X,1)",
    "i:=SSUMROWS(T,X)",
    "TWOS(1,u)",
    "SIGNEDWORD(1,2,u)",
    "i:=SIGNEDINT(v)",
    "ORROWS(T,X,v)",
    "ANDROWS(T,X,v)",
    "XORROWS(T,X,v)",
    "i:=NUMBITS(1)",
    "FITWORD(v,2,u,b)",
    "EQUALS(T,1,Z)",
    "BELOW(T,1,Z)",
    "ABOVE(T,1,Z)",
    "EQUALSWORD(T,v,Z)",
    "BELOWWORD(T,v,Z)",
    "ABOVEWORD(T,v,Z)",
    "EQUALSROWS(T,F,Z)",
    "BELOWROWS(T,F,Z)",
];

/// The arguments: T, F, Q and R of n rows and k columns, P of 2k; X, Y, Z and W of n bits, v and u
/// of k; and mismatched ones, named after the sizes in `SIZES`.
const DECLARED: &str = "T,F,Q,R: table(n,k); P: table(n,2*k); rows4: table(m,k); \
                        cols5: table(n,h); X,Y,Z,W: slice(n); slice4: slice(m); \
                        v,u: word(k); word3: word(g); i: integer; b: boolean;";

/// The sizes that the declarations name.
const SIZES: [(&str, usize); 5] = [("n", 3), ("k", 2), ("m", 4), ("h", 5), ("g", 3)];

/// Assignments that a call needs and its results do not provide.
const SET: &str = "SET(W); CLR(X); CLR(slice4); CLR(v); CLR(word3);";

/// The argument that each mismatched one replaces.
const WRONG: [(&str, &str); 4] =
    [("TFQRP", "rows4"), ("TFQRP", "cols5"), ("XYZW", "slice4"), ("v", "word3")];

/// Permitted mismatches: these procedures do not restrict the columns of that table, or do not
/// access all of them.
const FINE: [&str; 42] = [
    "MIN(cols5,X,Z)",
    "MAX(cols5,X,Z)",
    "SMIN(cols5,X,Z)",
    "SMAX(cols5,X,Z)",
    "CLEAR(2,rows4)",
    "CLEAR(2,cols5)",
    "TCOPY1(cols5,1,2,R)",
    "TCOPY2(T,1,2,cols5)",
    "KTHMIN(cols5,X,1,Z)",
    "AMONG(T,X,rows4,Z)",
    "RANK(cols5,X,2,R)",
    "ORDER(cols5,F,X,R)",
    "HIST(cols5,X,3,2,R)",
    "SUMGROUPS(cols5,T,X,3,2,R)",
    "SUMGROUPS(T,cols5,X,3,2,R)",
    "i:=SUMROWS(cols5,X)",
    "KMIN(1,cols5,X,Z)",
    "KMAX(1,cols5,X,Z)",
    "i:=LEAST(cols5,W)",
    "i:=GREATEST(cols5,W)",
    "i:=MINOR(cols5,X,1)",
    "i:=MAXOR(cols5,X,1)",
    "i:=SLEAST(cols5,W)",
    "i:=SGREATEST(cols5,W)",
    "i:=SMINOR(cols5,X,1)",
    "i:=SMAXOR(cols5,X,1)",
    "i:=SSUMROWS(cols5,X)",
    "i:=SIGNEDINT(word3)",
    "FITWORD(word3,2,u,b)",
    "EQUALS(cols5,1,Z)",
    "BELOW(cols5,1,Z)",
    "ABOVE(cols5,1,Z)",
    "EQUALSWORD(cols5,v,Z)",
    "EQUALSWORD(T,word3,Z)",
    "BELOWWORD(cols5,v,Z)",
    "BELOWWORD(T,word3,Z)",
    "ABOVEWORD(cols5,v,Z)",
    "ABOVEWORD(T,word3,Z)",
    "EQUALSROWS(cols5,F,Z)",
    "EQUALSROWS(T,cols5,Z)",
    "BELOWROWS(cols5,F,Z)",
    "BELOWROWS(T,cols5,Z)",
];

/// Procedures whose sizes the compiler does not compare, because an argument or a sum determines
/// them, or because they determine the size of the result.
const AT_RUN_TIME: [&str; 9] =
    ["TCOPY(", "TCOPY1(", "TCOPY2(", "WCOPY(", "MULTV(", "MULTC(", "RANK(", "HIST(", "SUMGROUPS("];

/// Returns the calls with one mismatched argument.
fn wrong_calls() -> Vec<String> {
    let mut calls = Vec::new();
    for call in CALLS {
        let (name, args) = call.split_once('(').expect("a call");
        let args: Vec<&str> = args.trim_end_matches(')').split(',').collect();
        for (letters, replacement) in WRONG {
            for (place, arg) in args.iter().enumerate() {
                let suits = letters.chars().any(|letter| *arg == letter.to_string());
                if suits {
                    let mut args = args.clone();
                    args[place] = replacement;
                    calls.push(format!("{name}({})", args.join(",")));
                }
            }
        }
    }
    calls
}

#[test]
fn every_procedure_is_called_here() {
    let called = CALLS.map(|call| call.trim_start_matches("i:=").split('(').next());
    let mut called: Vec<&str> = called.into_iter().flatten().collect();
    let mut known = star_tests::generator::PROCEDURES.to_vec();
    called.sort_unstable();
    known.sort_unstable();
    assert_eq!(called, known);
}

#[test]
fn mismatched_sizes_are_a_size_trap_at_the_call() {
    let wrong = wrong_calls();
    let calls = CALLS.iter().copied().chain(wrong.iter().map(String::as_str));
    // One line each: the line identifies the call of a trap.
    let routine = |(idx, call): (usize, &str)| {
        format!("procedure p{idx}(n,k,m,h,g: integer); var {DECLARED} begin {SET} {call} end;")
    };
    let text: Vec<String> = calls.clone().enumerate().map(routine).collect();
    for machine in machines(&text.join("\n")) {
        let mut fine = Vec::new();
        for (idx, call) in calls.clone().enumerate() {
            let sizes = SIZES.map(|(_, size)| int(size)).to_vec();
            let run = machine.program.run(&format!("p{idx}"), sizes);
            if run.outcome == Outcome::Done {
                fine.push(call);
                continue;
            }
            let end = ending(&machine.program, &run);
            assert!(end.starts_with(&format!("T0102 {}:", idx + 1)), "{call}: {end}");
        }
        assert_eq!(fine, [&CALLS[..], &FINE[..]].concat());
    }
}

#[test]
fn visibly_mismatched_sizes_are_an_error_at_the_call() {
    let sizes: String = SIZES.map(|(name, size)| format!("const {name} = {size};")).concat();
    let mut n_seen = 0;
    for call in wrong_calls() {
        let text = format!("{sizes} program p; var {DECLARED} begin {SET}\n{call} end.");
        let messages = messages(&check(&text));
        let found = messages.iter().any(|message| message.starts_with("E0401 2:"));
        let at_run_time = AT_RUN_TIME.iter().any(|name| call.starts_with(name));
        assert!(found || at_run_time || FINE.contains(&call.as_str()), "{call}: {messages:?}");
        n_seen += usize::from(found);
    }
    assert!(n_seen > 150, "{n_seen} calls are refused");
}
