//! The yardstick programs of stage 2: what they print on every backend, and which of their loops
//! become kernels. A program that changes its parameters is called by another one.

use star_opt::Options;
use star_tests::check;

use super::says;

/// Returns the text with its program as a procedure, and a program that calls it.
fn called(text: &str, program: &str) -> String {
    let text = text.replacen("program ", "procedure ", 1);
    let at = text.rfind("end.").expect("a program");
    format!("{}end;\n{program}", &text[..at])
}

/// Asserts that these loops, and no others, become kernels.
fn has_plan(text: &str, expected: &[&str]) {
    let compilation = check(text);
    let options = star_compiler::LowerOptions::default();
    let lowered = star_compiler::lower(&compilation, &options).expect("it compiles");
    let mut program = lowered.program;
    let report = star_opt::optimise(&mut program, &Options::default()).expect("it verifies");
    let root = compilation.root_file().expect("a file");
    let mut found = Vec::new();
    for ((routine, loc), became) in star_opt::loops(&report.remarks) {
        let span = program.locations.get(loc).expect("a place").span;
        if span.file == root && became.to_string().contains("kernel") {
            let line = text[..span.start as usize].matches('\n').count() + 1;
            found.push(format!("{} {line}: {became}", program.routine(routine).name));
        }
    }
    found.sort();
    assert_eq!(found, expected, "{found:#?}");
}

#[test]
fn select() {
    let main = "program p; var R: table(3) of Rental(2,6); X: slice(3);
        begin R.from:=1; R[2].from:=2; R.to:=1; R[1].minutes:=30; R[3].minutes:=31; R[3].to:=3;
        RENTALS(R,1,20,X); print(X) end.";
    says(&called(include_str!("yardstick/select.star"), main), "2 rentals, 1 round trips\n101\n");
}

#[test]
fn update() {
    let main = "program p; var A: table(4) of Account(5); i: integer;
        begin A[1].balance:=30; A[2].balance:=7; A[3].balance:=3; A[4].balance:=2; A[4].vip:=1;
        BANK(20,A); for i:=1 to 4 do print(A[i].balance,\" \",A[i].fee) end.";
    says(&called(include_str!("yardstick/update.star"), main), "30 0\n2 5\n0 5\n2 0\n");
}

#[test]
fn nearest() {
    let main = "program p; var R: table(5) of Offer(2,6); X: slice(5);
        begin R.shop:=1; R[3].shop:=2; R[1].price:=9; R[2].price:=20; R[3].price:=11;
        R[4].price:=13; R[5].price:=8; NEAR(2,11,1,R,X); print(X) end.";
    says(&called(include_str!("yardstick/nearest.star"), main), "1: 9\n4: 13\n10010\n");
}

#[test]
fn closure() {
    let main = "program p; var P: table(4,4);
        begin P(1,2):=1; P(2,3):=1; P(3,1):=1; P(3,4):=1; CLOSURE(4,P); print(P) end.";
    says(&called(include_str!("yardstick/closure.star"), main), "1111\n1111\n1111\n0000\n");
}

#[test]
fn levels() {
    let main = "program p; var G: table(4,4); V: table(4) of Vertex(3); i: integer;
        begin G(1,2):=1; G(2,3):=1; G(3,1):=1; LEVELS(1,G,3,V);
        for i:=1 to 4 do print(V[i].level) end.";
    says(&called(include_str!("yardstick/levels.star"), main), "0\n1\n2\n7\n");
}

#[test]
fn dijkstra() {
    let main = "program p; var C: table(4) of Row(4,5); V: table(4) of Vertex(3,5); i: integer;
        begin for i:=1 to 4 do C.w[i]:=high(C.w[i]);
        C[2].w[1]:=4; C[3].w[1]:=1; C[2].w[3]:=2; C[4].w[2]:=5; DIJKSTRA(1,C,V);
        for i:=1 to 4 do print(V[i].dist,\" \",V[i].pred) end.";
    says(&called(include_str!("yardstick/dijkstra.star"), main), "0 0\n3 3\n1 1\n8 2\n");
}

#[test]
fn prim() {
    let main = "program p; var C: table(4) of Row(4,5); V: table(4) of Vertex(3,5); i: integer;
        begin for i:=1 to 4 do C.w[i]:=high(C.w[i]);
        C[1].w[2]:=4; C[2].w[1]:=4; C[1].w[3]:=1; C[3].w[1]:=1; C[2].w[3]:=2; C[3].w[2]:=2;
        C[4].w[2]:=7; C[2].w[4]:=7; PRIM(C,V);
        for i:=2 to 4 do print(V[i].near,\" \",V[i].parent) end.";
    let printed = "weight 10, the last edge 2 - 4\n2 3\n1 1\n7 2\n";
    says(&called(include_str!("yardstick/prim.star"), main), printed);
}

#[test]
fn group() {
    let main = "program p; var R: table(5) of Rental(3,6);
        begin R.from:=5; R[2].from:=2; R[4].from:=2; R.minutes:=10; R[4].minutes:=33;
        R[5].minutes:=3; GROUPS(R,10) end.";
    let printed = "2: 2 rentals, 43 minutes\n5: 2 rentals, 20 minutes\n";
    says(&called(include_str!("yardstick/group.star"), main), printed);
}

/// The part of a text before the second comment, and the other one.
fn join_and_lookup() -> (&'static str, &'static str) {
    let text = include_str!("yardstick/join.star");
    text.split_at(text.find("/* The same").expect("the second part"))
}

#[test]
fn join() {
    let call = |call: &str| {
        format!(
            "program p; var A: table(2) of Article(3,5); R: table(4) of Order(3,5); i: integer;
            begin A[1].code:=3; A[1].price:=17; A[2].code:=4; A[2].price:=9;
            R[1].article:=4; R[2].article:=3; R[3].article:=5; R[4].article:=4; {call}(A,R);
            for i:=1 to 4 do print(R[i].price) end."
        )
    };
    let (join, lookup) = join_and_lookup();
    says(&called(join, &call("JOIN")), "1 orders without a price\n9\n17\n0\n9\n");
    let types = &join[..join.find("program").expect("a program")];
    says(&format!("{types}{lookup}{}", call("LOOKUP")), "9\n17\n0\n9\n");
}

#[test]
fn a_forall_over_rows_is_a_kernel() {
    let plan = "CLOSURE 6: forall, then a kernel over the rows of `P`";
    has_plan(include_str!("yardstick/closure.star"), &[plan]);
}

#[test]
fn expressions_and_masked_stores_are_kernels_over_columns() {
    has_plan(
        include_str!("yardstick/update.star"),
        &[
            "BANK 13: a kernel over the columns of `A`, in order",
            "BANK 14: a kernel over the columns of `A`, in order",
            "FEES 6: a kernel over the columns of `A`, in order",
            "FEES 7: a kernel over the columns of `A`, in order",
        ],
    );
    has_plan(
        include_str!("yardstick/dijkstra.star"),
        &[
            "DIJKSTRA 14: a kernel over the columns of `C`, in order, then a kernel over the columns of `C`, in order",
            "DIJKSTRA 15: a kernel over the columns of `C`, in order, then a kernel over the columns of `V`, in order",
            "DIJKSTRA 16: a kernel over the columns of `V`, in order",
            "DIJKSTRA 8: a kernel over the columns of `V`, in order",
        ],
    );
}
