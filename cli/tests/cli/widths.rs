//! Widths of weights and codes: chosen wide enough by `--graph` and `read`, and rejected by name if
//! the user sets them too small.

use crate::support::{Folder, PATH};

/// `print` of a parameter that `--graph` offers.
fn show(params: &str, what: &str) -> String {
    format!("program SHOW({params}); begin print({what}) end.")
}

/// A triangle with a negative arc.
const SIGNED: &str = "p sp 3 3\na 1 2 4\na 2 3 -6\na 3 1 3\n";

#[test]
fn size_mismatches_report_all_arguments() {
    let text = "procedure NEAR(Place: table(n); G: table(n,n); var X: slice(n)); begin CLR(X) end;
procedure TWICE(n: integer; code: table(2*n)); begin print(1) end;
procedure INNER(Place: table; G: table; var X: slice); begin NEAR(Place,G,X) end;";
    let folder = Folder::new(&[("p.star", text), ("g.gr", PATH), ("one.csv", "place\nUlm\n")]);
    let run = |name: &str, given: &[&str]| {
        folder.star(&[&["run", "p.star", "--proc", name], given].concat())
    };
    let files = ["Place=field:place:one.csv", "G=g.gr"];
    let sizes = "note: `Place` is a table of 1 × 2, `G` is a table of 3 × 3";
    run("NEAR", &files).fails(3, &["error[T0102]", "`G` has 3 rows, expected 1", sizes]);
    let inner = run("INNER", &files);
    inner.fails(3, &["error[T0102]"]);
    assert!(!inner.stderr.contains(sizes), "that call is not the command line's: {inner:?}");
    let twice = run("TWICE", &["--graph", "g.gr"]);
    twice.fails(3, &["error[T0102]", "help: `code=code-double:g.gr` has codes for twice as many"]);
    run("TWICE", &["--graph", "g.gr", "code=code-double:g.gr"]).prints("1\n");
    let given = run("TWICE", &["n=4", "--graph", "g.gr"]);
    given.fails(3, &["error[T0102]"]);
    assert!(!given.stderr.contains("code-double"), "{given:?}");
}

#[test]
fn offered_widths_leave_room_for_sums() {
    let folder = Folder::new(&[("path.gr", PATH), ("signed.gr", SIGNED)]);
    let run = |program: &str, more: &[&str], file: &str| {
        folder.write("p.star", program.as_bytes());
        let mut arguments = vec!["run", "p.star", "--graph", file];
        arguments.extend(more);
        folder.star(&arguments)
    };
    // 2 * 2 * 4 = 16 is below 11111.
    let cost = show("h: integer; Cost: table(n,n*h)", "h");
    run(&cost, &[], "path.gr").prints("5\n");
    run(&cost, &["h=5"], "path.gr").prints("5\n");
    run(&cost, &["h=9"], "path.gr").prints("9\n");
    run(&cost, &["h=4"], "path.gr").fails(5, &["error[E0508]", "`h = 4`", "use `h = 5` or more"]);
    // 3 * 3 * 6 = 54 needs six bits, and two more.
    let signed =
        show("h: integer; zero,inf: word(h); Signed: table(n,n*h)", "h,\" \",zero,\" \",inf");
    run(&signed, &[], "signed.gr").prints("8 10000000 11111111\n");
    let small = run(&signed, &["h=7"], "signed.gr");
    small.fails(5, &["error[E0508]", "use `h = 8` or more"]);
    let negative = run(&cost, &[], "signed.gr");
    negative.fails(5, &["error[E0504]", "-6 of the arc `2 → 3` is negative", "`signed-out`"]);
    // Both kinds share one width.
    let both = show("h: integer; Signed,Cost: table(n,n*h)", "h");
    run(&both, &[], "path.gr").prints("8\n");
}

/// A minimum spanning tree; `#` is the parameter for the offset, and `+` what it adds.
const TREE: &str = "import \"star:mst\";
program TREE(left,right: table(m,k); weight: table(m); #S: slice(m));
var T: slice(m);
begin
  KRUSKAL(left,right,weight,S,T);
  print(\"tree of \",NUMB(T),\" edges, weight \",SUMROWS(weight,T)+);
end.
";

#[test]
fn spanning_trees_take_negative_weights() {
    let graph = "p sp 3 3\na 1 2 -3\na 2 3 1\na 1 3 2\n";
    let negative = "p sp 3 3\na 1 2 -3\na 2 3 -7\na 1 3 -5\n";
    let folder = Folder::new(&[("g.gr", graph), ("n.gr", negative), ("path.gr", PATH)]);
    let knows = TREE.replace('#', "weight_offset: integer; ");
    folder.write("knows.star", knows.replace('+', "+weight_offset*NUMB(T)").as_bytes());
    folder.write("plain.star", TREE.replace(['#', '+'], "").as_bytes());
    for (file, weight) in [("g.gr", "-2"), ("n.gr", "-12"), ("path.gr", "7")] {
        let ran = folder.star(&["run", "knows.star", "--graph", file]);
        ran.prints(&format!("tree of 2 edges, weight {weight}\n"));
        let has_offset = ran.stderr.contains("are stored with offset");
        assert_eq!(has_offset, file != "path.gr", "{ran:?}");
        let files = ["left", "right", "weight"].map(|name| format!("{name}={name}:{file}"));
        let [left, right, weights] = files.each_ref().map(String::as_str);
        let edges = format!("S=edges:{file}");
        let by_name = folder.star(&["run", "knows.star", left, right, weights, &edges]);
        by_name.prints(&format!("tree of 2 edges, weight {weight}\n"));
    }
    folder
        .star(&["run", "knows.star", "--graph", "g.gr", "weight_offset=0"])
        .prints("tree of 2 edges, weight 4\n");
    // A program that does not know the offset would print a wrong sum.
    folder.star(&["run", "plain.star", "--graph", "path.gr"]).prints("tree of 2 edges, weight 7\n");
    let plain = folder.star(&["run", "plain.star", "--graph", "g.gr"]);
    let parts = ["E0504", "the weight -3 of the arc `1 → 2`", "`weight_offset: integer`"];
    plain.fails(5, &parts);
    folder.write(
        "read.star",
        b"program R; var T: table; begin read(T,\"g.gr\",\"weight\"); print(T) end.",
    );
    folder.star(&["run", "read.star"]).fails(3, &["T0115", "E0504", "-3 of the arc `1 → 2`"]);
}

#[test]
fn offsets_of_tables_are_parameters() {
    let text =
        "program P(Z: table; Z_offset: integer); begin print(Z_offset,\" \",INT(ROW(1,Z))) end.";
    let folder = Folder::new(&[
        ("p.star", text),
        ("z.csv", "z\n-5\n7\n"),
        ("positive.csv", "z\n5\n7\n"),
        ("two.csv", "a,b\n-5,1\n7,-2\n"),
        ("same.csv", "a,b\n-5,1\n7,-5\n"),
        ("g.gr", PATH),
    ]);
    let run = |arguments: &[&str]| folder.star(&[&["run", "p.star"], arguments].concat());
    run(&["Z=z.csv"]).prints("-5 0\n");
    run(&["Z=z.csv", "Z_offset=3"]).prints("3 0\n");
    run(&["Z=positive.csv"]).prints("0 5\n");
    run(&["Z=field:b:two.csv"]).prints("-2 3\n");
    run(&["Z=same.csv"]).prints("-5 6\n");
    run(&["Z=two.csv"]).fails(5, &["E0507", "two.csv", "`Z_offset` must be one number"]);
    run(&["Z=weight:g.gr"]).prints("0 3\n");
    run(&["Z='011 100'"]).prints("0 3\n");
    // Only a table has an offset.
    folder.write("q.star", b"program Q(Y_offset: integer); begin print(Y_offset) end.");
    folder.star(&["run", "q.star"]).fails(2, &["E0604", "`Y_offset=NUMBER`"]);
}

#[test]
fn contracted_cycle_codes_widen_all_codes_and_weights() {
    let folder = Folder::new(&[("path.gr", PATH)]);
    let lists = "n,b,h: integer; left: table(m,b); weight: table(m,h); code2: table(2*n,b)";
    folder.write("p.star", show(lists, "b,\" \",size(left),\" \",rows(code2)").as_bytes());
    folder.star(&["run", "p.star", "--graph", "path.gr"]).prints("3 3 6\n");
    // 4 + 4 is below 1111; the weights alone fit in three bits.
    folder.star(&["run", "p.star", "--graph", "path.gr", "h=4"]).prints("3 3 6\n");
    let small = folder.star(&["run", "p.star", "--graph", "path.gr", "h=3"]);
    small.fails(5, &["error[E0508]", "use `h = 4` or more"]);
    let small = folder.star(&["run", "p.star", "--graph", "path.gr", "b=2"]);
    small.fails(5, &["error[E0508]", "contracted cycle 6", "use `b = 3` or more"]);
    // Without them, the lists have the minimum width.
    folder.write(
        "p.star",
        show("m,n: integer; left: table(m,b); code: table(n,b)", "size(left)").as_bytes(),
    );
    folder.star(&["run", "p.star", "--graph", "path.gr"]).prints("2\n");
}

#[test]
fn layouts_choose_the_same_widths_as_offers() {
    let program = "procedure P(T: table); begin print(size(T)) end;";
    let folder = Folder::new(&[("p.star", program), ("path.gr", PATH), ("signed.gr", SIGNED)]);
    let run = |argument: &str, more: &[&str]| {
        let mut arguments = vec!["run", "p.star", argument];
        arguments.extend(more);
        folder.star(&arguments)
    };
    for layout in ["weights-out", "weights-in", "distances"] {
        let argument = format!("T={layout}:path.gr");
        run(&argument, &[]).prints("15\n");
        run(&argument, &["h=4"]).fails(5, &["error[E0508]", "use `h = 5` or more"]);
    }
    run("T=signed-out:signed.gr", &[]).prints("24\n");
    run("T=signed-out:signed.gr", &["h=7"]).fails(5, &["error[E0508]", "use `h = 8` or more"]);
    run("T=code-double:path.gr", &[]).prints("3\n");
    run("T=code-double:path.gr", &["b=2"]).fails(5, &["error[E0508]", "use `b = 3` or more"]);
    // A list is compared, not summed.
    run("T=weight:path.gr", &["h=3"]).prints("3\n");
}

#[test]
fn read_chooses_the_widths_of_the_command_line() {
    let program = |sizes: &str, file: &str, layout: &str| {
        format!(
            "program R; var T: table{sizes}; begin read(T,\"{file}\",\"{layout}\"); print(size(T)) end."
        )
    };
    let folder = Folder::new(&[("path.gr", PATH), ("signed.gr", SIGNED)]);
    let run = |text: String| {
        folder.write("p.star", text.as_bytes());
        folder.star(&["run", "p.star"])
    };
    run(program("", "path.gr", "weights-out")).prints("15\n");
    run(program("", "signed.gr", "signed-out")).prints("24\n");
    run(program("(6,3)", "path.gr", "code-double")).prints("3\n");
    // A declared size that is too small is an error; the note states the required width.
    let small = run(program("(3,12)", "path.gr", "weights-out"));
    small.fails(3, &["error[T0102]", "15 columns, expected 12", "h = 5 for `weights-out`"]);
    // A width in the text of the layout is kept if it leaves room for sums.
    run(program("(3,18)", "path.gr", "weights-out h=6")).prints("18\n");
    run(program("", "path.gr", "left b=3")).prints("3\n");
    let small = run(program("", "path.gr", "weights-out h=4"));
    small.fails(3, &["error[T0115]", "[E0508]", "use `h = 5` or more"]);
    run(program("", "path.gr", "left 3")).fails(3, &["[E0507]", "write `left h=20 b=6`"]);
    let negative = run(program("", "signed.gr", "distances"));
    negative.fails(3, &["error[T0115]", "[E0504]", "-6 of the arc `2 → 3` is negative"]);
}

#[test]
fn tables_from_the_same_file_share_the_offered_widths() {
    let folder = Folder::new(&[("path.gr", PATH), ("signed.gr", SIGNED)]);
    let show = show("h: integer; Cost: table; left: table", "h,\" \",size(Cost),\" \",size(left)");
    folder.write("p.star", show.as_bytes());
    let run = |file: &str, argument: &str| {
        folder.star(&["run", "p.star", "--graph", file, &format!("Cost={argument}:{file}")])
    };
    run("signed.gr", "signed-out").prints("8 24 2\n");
    run("path.gr", "code-double").prints("5 3 3\n");
    // A different file has separate widths.
    let ran = folder.star(&["run", "p.star", "--graph", "path.gr", "Cost=signed-out:signed.gr"]);
    ran.fails(5, &["error[E0508]", "use `h = 8` or more"]);
}
