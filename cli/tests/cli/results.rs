//! Results for other programs: `--format json`, numbers as files, missing values, GeoJSON.

use serde_json::{Value, json};

use crate::support::{Folder, Ran};

const COUNT: &str = "\
procedure COUNT(T: table; var X: slice(T); var k: integer; var b: boolean; var w: word(T));
begin X:=COL(1,T); k:=NUMB(X); b:=SOME(X); print(k); w:=ROW(k,T) end;
";

fn object(ran: &Ran) -> Value {
    let line = ran.stdout.strip_suffix('\n').unwrap();
    assert!(!line.contains('\n'), "{ran:#?}");
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_run_is_one_object() {
    let folder = Folder::new(&[("c.star", COUNT)]);
    let ran = folder.star(&["run", "c.star", "T=10 01 10", "--format", "json", "--explain"]);
    assert!(ran.code == 0 && ran.stderr.is_empty(), "{ran:#?}");
    let run = object(&ran);
    assert_eq!(
        (&run["outcome"], &run["exit"], &run["program"]),
        (&json!("done"), &json!(0), &json!("c.star"))
    );
    assert_eq!(run["printed"], "2\n");
    let expected = json!([
        { "name": "X", "kind": "slice", "size": 3, "ones": 2, "value": "101" },
        { "name": "k", "kind": "integer", "value": 2 },
        { "name": "b", "kind": "boolean", "value": true },
        { "name": "w", "kind": "word", "size": 2, "ones": 1, "value": "01" },
    ]);
    assert_eq!(run["results"], expected);
    assert!(run["time"]["running"].as_f64() > Some(0.0), "{run}");
    assert!(run["plan"].is_array() && run["messages"] == json!([]), "{run}");
}

#[test]
fn traps_and_errors_are_messages_of_the_object() {
    let folder = Folder::new(&[("c.star", COUNT), ("bad.star", "program P; begin x:=1 end.")]);
    let ran = folder.star(&["run", "c.star", "T=00 00", "--format", "json"]);
    let run = object(&ran);
    assert_eq!((ran.code, &run["outcome"], &run["results"]), (3, &json!("trap"), &Value::Null));
    assert_eq!((&run["messages"][0]["code"], &run["printed"]), (&json!("T0101"), &json!("0\n")));
    let wrong = [
        (&["bad.star"][..], 1, "E0201"),
        (&["c.star", "U=1"], 2, "E0603"),
        (&["c.star", "T=none.csv"], 5, "E0501"),
        (&["c.star", "T=10 01", "--out", "X=csv:-"], 5, "E0509"),
    ];
    for (arguments, code, message) in wrong {
        let ran = folder.star(&[&["run"], arguments, &["--format", "json"]].concat());
        let run = object(&ran);
        assert_eq!((ran.code, &run["exit"]), (code, &json!(code)), "{ran:#?}");
        assert_eq!(run["messages"][0]["code"], message, "{run}");
    }
    assert_eq!(folder.names(), ["bad.star", "c.star"]);
}

#[test]
fn records_and_tables_of_vertices_have_fields() {
    let same = "procedure SAME(R: table; var T: table(R)); begin T:=R end;";
    let files = [("s.star", same), ("r.csv", "name,age\nAda,36\nBo,\n")];
    let folder = Folder::new(&files);
    let run = ["run", "s.star", "R=records:r.csv", "nodata=nan", "--format", "json"];
    let run = object(&folder.star(&run));
    let fields = json!({ "name": ["Ada", "Bo"], "age": [36, null] });
    assert_eq!(run["results"][0]["fields"], fields, "{run}");
    folder.write("g.csv", b"a,b,3\nb,c,4\n");
    let paths = ["run", "star:paths", "--proc", "DIJKSTRA", "--graph", "g.csv", "s=a"];
    let named = ["--names=Dist=distances", "--format", "json"];
    let ran = folder.star(&[&paths[..], &named].concat());
    let run = object(&ran);
    assert_eq!(
        run["table"],
        json!({ "vertex": ["a", "b", "c"], "distance": [0, 3, 7] }),
        "{ran:#?}"
    );
}

#[test]
fn integers_and_booleans_are_records() {
    let folder = Folder::new(&[("c.star", COUNT)]);
    let run = |outs: &[&str]| -> Ran {
        let outs = outs.iter().flat_map(|out| ["--out", out]);
        let arguments: Vec<&str> = ["run", "c.star", "T=10 01"].into_iter().chain(outs).collect();
        folder.star(&arguments)
    };
    let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!(run(&["k=k.csv", "k=number, b=number:both.csv", "b=b.npy"]).code, 0);
    assert_eq!((text("k.csv"), text("both.csv")), ("k\n1\n".to_owned(), "k,b\n1,1\n".to_owned()));
    assert!(folder.path("b.npy").exists());
    run(&["k=csv:-"]).prints("k\n1\n");
    run(&["k=x.png"]).fails(5, &["E0507", "a record of numbers cannot be written as PNG"]);
    run(&["k=vertices:x.csv"]).fails(5, &["E0507", "`k=number:FILE`"]);
    run(&["X=number:x.csv"]).fails(5, &["E0507", "for integers and Booleans"]);
    let mixed = run(&["k=number, X=vertices:x.csv"]);
    assert!(mixed.code != 0 && mixed.stderr.contains("all forms must be `number`"), "{mixed:#?}");
    folder
        .star(&["run", "c.star", "T=10 01", "--view", "k"])
        .fails(5, &["E0507", "k.svg: a result that is an integer cannot be drawn"]);
    assert!(!folder.path("x.csv").exists() && !folder.path("x.png").exists());
}

#[test]
fn names_are_tables_of_the_object() {
    let text =
        "procedure R(n: integer; S: slice; var D: table(n,3); var T: slice(S); var k: integer);
         var w: word(3);
         begin T := S; T(1) := 0; w := '101'; ROW(1,D) := w; k := n end;";
    let folder = Folder::new(&[("r.star", text), ("g.csv", "from,to,km\nA,B,3\nB,C,4\n")]);
    let run = ["run", "r.star", "--graph", "g.csv", "--format", "json", "--names"];
    let ran = folder.star(&run);
    let run = object(&ran);
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(run["table"], json!({ "vertex": ["A", "B", "C"], "value": [5, 0, 0] }));
    assert_eq!(run["arcs"], json!({ "T": { "from": ["B"], "to": ["C"], "weight": [4] } }));
}

#[test]
fn printed_lines_do_not_mix_with_data() {
    let folder = Folder::new(&[("c.star", COUNT)]);
    let run = ["run", "c.star", "T=10 01 10", "--out", "k=csv:-"];
    let ran = folder.star(&run);
    ran.prints("k\n2\n");
    assert_eq!(ran.stderr, "2\n");
    let ran = folder.star(&[&["--error-format", "json"], &run[..]].concat());
    ran.prints("k\n2\n");
    assert_eq!(ran.stderr, "{\"printed\":\"2\"}\n");
}

#[test]
fn results_that_fail_name_the_others() {
    let folder = Folder::new(&[("c.star", COUNT)]);
    let outs = ["--out", "X=x.mtx", "--view", "w=w.svg", "--view", "X=records a=3:y.svg"];
    let ran = folder.star(&[&["run", "c.star", "T=10 01 10"], &outs[..]].concat());
    ran.fails(5, &["error[E0507]: y.svg", "written: `x.mtx`, `w.svg`"]);
    assert_eq!(folder.names(), ["c.star", "w.svg", "x.mtx"]);
}

#[test]
fn missing_numbers_are_kept_on_the_way_out() {
    let same = "procedure SAME(R: table; var T: table(R)); begin T:=R end;";
    let files = [("s.star", same), ("r.csv", "a,b\n5,1\n,2\nNaN,3\n")];
    let folder = Folder::new(&files);
    let run = |setting: &str, out: &str| {
        let like = format!("T=like R:{out}");
        folder.star(&["run", "s.star", "R=records:r.csv", setting, "--out", &like])
    };
    run("nodata=-1", "t.csv").fails(5, &["E0502", "an empty field"]);
    assert_eq!(run("nodata=nan", "t.csv").code, 0);
    let text = std::fs::read_to_string(folder.path("t.csv")).unwrap();
    assert_eq!(text, "a,b\n5,1\n,2\n,3\n");
    // Scaled numbers are divided again in all formats.
    folder.write("p.csv", b"k,p\n5,1.25\n6,0.5\n");
    for out in ["T=like R:p.npy", "T=like R:q.csv"] {
        let ran = folder.star(&["run", "s.star", "R=records:p.csv", "scale=100", "--out", out]);
        assert!(ran.code == 0 && !ran.stderr.contains("multiplied"), "{ran:#?}");
    }
    let back = ["run", "s.star", "R=records:p.npy", "scale=100", "--out", "T=like R:back.csv"];
    assert_eq!(folder.star(&back).code, 0);
    let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!((text("q.csv"), text("back.csv")), (text("p.csv"), text("p.csv")));
    assert_eq!(run("nodata=nan", "t.npy").code, 0);
    let array = ["run", "s.star", "R=records:t.npy", "nodata=nan", "--out", "T=like R:u.csv"];
    assert_eq!(folder.star(&array).code, 0);
    let text = std::fs::read_to_string(folder.path("u.csv")).unwrap();
    assert!(text.contains("\n,2\n,3\n"), "{text}");
}

#[test]
fn lines_are_geojson_in_the_coordinates_of_a_map() {
    let line = "procedure LINE(T: table; var N: table(T)); begin N:=T end;";
    let folder = Folder::new(&[("l.star", line)]);
    let rows = "T=0000000100000001 0000001100000010";
    let run = |more: &[&str], file: &str| {
        let out = format!("N=records x=8 y=8:{file}");
        folder.star(&[&["run", "l.star", rows, "--out", &out], more].concat())
    };
    let coordinates = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.path(name)).unwrap();
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["type"], "FeatureCollection");
        let geometry = &object["features"][0]["geometry"];
        assert_eq!(geometry["type"], "LineString");
        geometry["coordinates"].clone()
    };
    assert_eq!(run(&[], "p.geojson").code, 0);
    assert_eq!(coordinates("p.geojson"), json!([[1, 1], [3, 2]]));
    assert_eq!(run(&["transform=30,0,0,-30,500015,5999985"], "m.geojson").code, 0);
    assert_eq!(coordinates("m.geojson"), json!([[500015.0, 5999985.0], [500075.0, 5999955.0]]));
    run(&["transform=30,0"], "x.geojson").fails(2, &["E0605", "six numbers"]);
    let line = ["transform=30,60,1,2,0,0"];
    run(&line, "x.geojson").fails(2, &["E0605", "place all pixels on a line"]);
    run(&["transform=1,0,0,1,0,0"], "x.csv").fails(0, &["`transform=` is unused"]);
    let far = ["transform=1e308,0,0,1e308,1e308,0"];
    run(&far, "x.geojson").fails(5, &["error[E0509]", "pixel (3,2) has no finite coordinates"]);
    let bits = ["run", "l.star", rows, "--out", "N=x.geojson"];
    folder.star(&bits).fails(5, &["E0507", "GeoJSON"]);
    folder.star(&["view", "m.geojson"]).fails(5, &["cannot read GeoJSON"]);
    assert!(!folder.path("x.geojson").exists());
}

#[test]
fn fields_that_a_file_cannot_hold_are_refused_before_the_run() {
    let list = "procedure L(R: table; var T: table(R); var X: slice(R));
                begin print(\"running\"); T:=R; SET(X) end;";
    let files = [
        ("l.star", list),
        ("xy.csv", "x,y\n1,2\n3,4\n"),
        ("ab.csv", "a,b\n1,2\n3,4\n"),
        ("g.gr", "p sp 2 1\na 1 2 1\n"),
        ("p.pgm", "P2\n2 2\n3\n0 1\n2 3\n"),
    ];
    let folder = Folder::new(&files);
    let run = |input: &str, option: &str, output: &str| {
        folder.star(&["run", "l.star", &format!("R={input}"), option, output])
    };
    let rows = "the rows of `R` are neither records of a list nor arcs";
    for (input, option, output, message) in [
        ("records:ab.csv", "--out", "T=like R:o.geojson", "the fields `x` and `y`"),
        ("records:ab.csv", "--out", "X=rows of R:o.geojson", "the fields `x` and `y`"),
        ("records:xy.csv", "--out", "X=rows of R:o.gr", "cannot be written as DIMACS"),
        ("arcs:g.gr", "--out", "T=like R:o.csv", "are arcs, not records"),
        ("records:p.pgm", "--out", "T=like R:o.csv", rows),
        ("records:p.pgm", "--out", "X=rows of R:o.csv", rows),
        ("records:ab.csv", "--view", "T=like R:o.svg", "a list of records cannot be drawn"),
        ("records:ab.csv", "--view", "X=rows of R:o.svg", "a list of records cannot be drawn"),
        ("records:p.pgm", "--view", "T=like R:o.svg", rows),
    ] {
        let ran = run(input, option, output);
        ran.fails(5, &["E0507", message]);
        assert_eq!(ran.stdout, "", "{output}");
    }
    assert_eq!(folder.names(), ["ab.csv", "g.gr", "l.star", "p.pgm", "xy.csv"]);
    assert_eq!(run("records:xy.csv", "--out", "T=like R:o.geojson").code, 0);
    let text = std::fs::read_to_string(folder.path("o.geojson")).unwrap();
    assert!(text.contains("\"coordinates\":[[1,2],[3,4]]"), "{text}");
    assert_eq!(run("records:xy.csv", "--view", "T=like R:o.svg").code, 0);
}
