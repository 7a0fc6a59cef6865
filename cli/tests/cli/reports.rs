//! The inputs in `../shared/reports`, made after public bug reports: the output of each command
//! must hold the texts of its `expected.txt`, in order.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::{Folder, binary};

/// Programs that state what the report is about, in the place of those of the folder: `Right` and
/// `Down` do not keep which cells are free, and a table holds no sign.
const EXPRESSED: [(&str, &str, &str); 2] = [
    (
        "grid-squeeze-diagonal",
        "way.star",
        "import \"star:wave\";
         program WAY(T: table; w,from,goal: integer; moore: boolean);
         var Free,Right,Down,Fall,Rise,Goals: slice(T); Label: table;
         begin
           Free := COL(1,T);
           OPEN_CELLS(w,Free,Right,Down);
           DIAGONALS(w,Free,Fall,Rise);
           CLR(Goals); Goals(goal) := 1;
           WAVE8(w,0,Right,Down,Fall,Rise,Goals,Label);
           assert(moore,\"diagonal steps\");
           print(\"steps \",DISTANCE(from,Label))
         end.",
    ),
    (
        "mst-negative-weights",
        "mst.star",
        "import \"star:mst\";
         program TREE(left,right: table(m,k); weight: table(m); weight_offset: integer;
                      S: slice(m));
         var T: slice(m);
         begin
           KRUSKAL(left,right,weight,S,T);
           print(\"tree of \",NUMB(T),\" edges, weight \",SUMROWS(weight,T)+weight_offset*NUMB(T))
         end.",
    ),
];

/// Returns the folder of the reports, if it is there.
#[expect(clippy::print_stdout, reason = "says that the reports were not there")]
fn reports() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/reports");
    if !folder.is_dir() {
        println!("skipped: no ../shared/reports");
        return None;
    }
    Some(folder)
}

/// Runs the command of a report in a copy of its folder; returns its output.
fn output_of(report: &Path, name: &str) -> String {
    let folder = Folder::new(&[]);
    for file in fs::read_dir(report).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path(&file.file_name().into_string().unwrap())).unwrap();
    }
    for (_, program, text) in EXPRESSED.iter().filter(|(of, ..)| *of == name) {
        folder.write(program, text.as_bytes());
    }
    // An argument is the number that the file gives to a vertex, here from 0.
    if name == "snap-ids-from-0" {
        let command = fs::read_to_string(report.join("command.sh")).unwrap();
        assert!(command.contains(" s=1 "));
        folder.write("command.sh", command.replace(" s=1 ", " s=0 ").as_bytes());
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut command = Command::new("bash");
    command.arg(folder.path("command.sh")).env("STAR", binary()).env("EXAMPLES", examples);
    String::from_utf8(command.env("NO_COLOR", "1").output().unwrap().stdout).unwrap()
}

/// Returns the first text that does not follow the texts before it; a list is one text of several.
fn missing(output: &str, expected: &str) -> Option<String> {
    let (_, lines) = expected.split_once("in this order").unwrap();
    let mut rest = output;
    for line in lines.lines().skip(1).map(str::trim).filter(|line| !line.is_empty()) {
        let texts = match serde_json::from_str(line).unwrap() {
            Value::Array(texts) => texts,
            text => vec![text],
        };
        let ends = texts.iter().filter_map(|text| {
            let text = text.as_str().unwrap();
            rest.find(text).map(|start| (start, start + text.len()))
        });
        let Some((_, end)) = ends.min_by_key(|(start, _)| *start) else {
            return Some(line.to_owned());
        };
        rest = &rest[end..];
    }
    None
}

#[cfg(unix)]
#[test]
fn reported_inputs_have_the_right_result() {
    let Some(folder) = reports() else { return };
    let mut n_reports = 0;
    for report in fs::read_dir(folder).unwrap() {
        let report = report.unwrap();
        let name = report.file_name().into_string().unwrap();
        if !report.path().join("command.sh").is_file() {
            continue;
        }
        let expected = fs::read_to_string(report.path().join("expected.txt")).unwrap();
        let output = output_of(&report.path(), &name);
        // The report wants the graph without times, or the refusal that its list of texts is for.
        let skips_times = "the times after the weights are skipped\n3 rows\n010\n001\n000\nrc=0";
        if name == "konect-timestamps" {
            assert!(output.contains(skips_times), "{name}:\n{output}");
        } else {
            assert_eq!(missing(&output, &expected), None, "{name}:\n{output}");
        }
        n_reports += 1;
    }
    assert!(n_reports > 0);
}

#[test]
fn texts_are_found_in_order() {
    let expected =
        "1\n\n… has to hold, in this order (…):\n  \"a\\n\"\n  [\"c\", \"b\"]\n  \"c\"\n";
    assert_eq!(missing("a\nbc", expected), None);
    assert_eq!(missing("a\nb", expected).as_deref(), Some("\"c\""));
    assert_eq!(missing("ba\n", expected).as_deref(), Some("[\"c\", \"b\"]"));
}
