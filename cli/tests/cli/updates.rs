//! Update streams: bound to a parameter, read by a program, made by `star gen`.

use crate::support::{Folder, PATH};

/// Prints what every line of a stream means.
const SHOW: &str = r#"import "star:updates";
program SHOW(n,b: integer; updates: table);
var i,op,x,y: integer; w: word;
begin
  for i := 1 to rows(updates) do
  begin
    UPDATE(i,b,updates,op,x,y,w);
    print(op," ",x," ",y," ",INT(w)," of ",length(w));
  end;
end."#;

/// Reads a stream and prints its sizes.
const READ: &str = r#"program R; var T: table;
begin read(T, "s.txt", "updates"); print(rows(T), " ", size(T)) end."#;

fn folder(stream: &str) -> Folder {
    Folder::new(&[("show.star", SHOW), ("read.star", READ), ("g.gr", PATH), ("s.txt", stream)])
}

#[test]
fn a_stream_is_found_whatever_its_name_is() {
    let folder = folder("# streets\n+ 1 3 9\n? 2\n");
    let shown = "0 0 0 0 of 4\n1 1 3 9 of 4\n7 2 0 0 of 4\n";
    folder.star(&["run", "show.star", "--graph", "g.gr", "updates=s.txt"]).prints(shown);
    folder.star(&["run", "show.star", "--graph", "g.gr", "updates=updates:s.txt"]).prints(shown);
    for line in ["cp s.txt s.gr", "cp s.txt s", "gzip -c s.txt > s.gz", "cp s.txt s.updates"] {
        assert_eq!(folder.shell(line).code, 0);
    }
    for name in ["s.gr", "s", "s.gz", "s.updates"] {
        let argument = format!("updates={name}");
        folder.star(&["run", "show.star", "--graph", "g.gr", &argument]).prints(shown);
    }
    folder.star(&["run", "read.star"]).prints("3 12\n");
    let wide = ["run", "read.star", "widths=4,10,10,16"];
    folder.star(&wide).prints("3 40\n");
    let wide = ["run", "show.star", "b=10", "n=5", "widths=4,10,10,16", "updates=s.txt"];
    folder.star(&wide).prints("0 0 0 0 of 16\n1 1 3 9 of 16\n7 2 0 0 of 16\n");
}

#[test]
fn widths_are_given_to_a_stream_with_or_without_its_layout() {
    let text = "procedure P(T: table); begin print(rows(T), \" \", size(T)) end;";
    let folder = Folder::new(&[("p.star", text), ("s.txt", "+ 1 3 9\n? 2\n"), ("g.gr", PATH)]);
    for argument in ["T=updates:s.txt", "T=s.txt", "T=gen updates -n 3 -k 1"] {
        folder.star(&["run", "p.star", argument, "h=30", "b=7"]).prints("2 48\n");
    }
    let ran = folder.star(&["run", "p.star", "T=g.gr", "h=30"]);
    ran.fails(
        2,
        &["error[E0603]: `P` has no parameter `h`", "no file is laid out with that width"],
    );
}

#[test]
fn what_does_not_suit_is_told_with_its_place() {
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "? 1\n? 4\n",
            "s.txt",
            &["error[E0504]: s.txt:2:3: the vertex 4 is beyond the 3 vertices"],
        ),
        ("? 1\n* 1\n", "s.txt", &["error[E0502]: s.txt:2:1: `*` is no operation", "`+ VERTEX`"]),
        ("+ 1 2 3\n+ 1 2\n", "s.txt", &["s.txt:2:6: no weight"]),
        ("", "updates:s.txt", &["error[E0503]: s.txt:1:1: the file holds no operation"]),
        ("# nothing\n", "updates:s.txt", &["s.txt:2:1: the file holds no operation"]),
        ("1 2\n", "updates:s.txt", &["s.txt:1:1: `1` is no operation"]),
        (
            "",
            "updates:g.gr",
            &["g.gr: the layout `updates` is for update streams, and this is a graph"],
        ),
        ("", "update:s.txt", &["there is no layout `update`", "did you mean `updates`?"]),
        ("? 1\n", "records:g.gr", &["is for numbers, and this is a graph"]),
    ];
    for (stream, argument, parts) in cases {
        let folder = folder(stream);
        let argument = format!("updates={argument}");
        let ran = folder.star(&["run", "show.star", "--graph", "g.gr", &argument]);
        ran.fails(5, parts);
    }
}

#[test]
fn weights_have_the_width_of_the_graph() {
    let text = "program W(h: integer; weight, updates: table);
                begin print(h, \" \", size(updates)) end.";
    let folder = Folder::new(&[("w.star", text), ("g.gr", PATH), ("s.txt", "+ 1 2 8\n= 1 2 99\n")]);
    let run = ["run", "w.star", "--graph", "g.gr", "updates=s.txt"];
    let refused = folder.star(&run);
    refused.fails(5, &["error[E0508]: s.txt:2:7: the weight 99 does not fit", "take `h = 7`"]);
    folder.star(&[&run[..], &["h=7"]].concat()).prints("7 15\n");
}

#[test]
fn the_examples_answer_the_streams_that_were_made_for_them() {
    let folder = folder("");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let make = |line: &str| {
        let ran = folder.shell(&format!("$STAR gen {line} --quiet"));
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{line}");
    };
    make("road --rows 5 --columns 6 --max-weight 90 -o road.gr");
    let runs = [
        ("dynamic_mst.star", "--undirected --whole-vertices 1", ""),
        ("dynamic_closure.star", "--change 0 --whole-vertices 1", ""),
        ("dynamic_paths.star", "--whole-vertices 1", "t=1"),
        ("dynamic_reach.star", "--change 0 --delete 0", "s=1"),
    ];
    for (program, options, argument) in runs {
        make(&format!("updates --graph road.gr -k 300 --seed 4 {options} -o s.updates"));
        let questions = folder.shell("grep -c '^?' s.updates").stdout;
        let line = format!(
            "$STAR run {root}/{program} --graph road.gr updates=s.updates {argument} | wc -l"
        );
        assert_eq!(folder.shell(&line).stdout.trim(), questions.trim(), "{program}");
    }
}
