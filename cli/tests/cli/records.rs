//! Lists of texts, dates and numbers: searched by content, and written as records again.

use crate::support::{Folder, Ran};

const PEOPLE: &str = "name,city,born,temp\n\
    Ann,Paris,1990-05-01,-3\n\
    Bob,,1969-12-31,12\n\
    \"Eve, of X\",Paris,2001-01-01,0\n";

const FIND: &str = "\
procedure FIND(T: table; v: word; var X: slice(T));
var Y: slice(T);
begin
  SET(Y);
  MATCH(T,Y,v,X)
end;
procedure SAME(T: table; var R: table);
begin
  R:=T
end;
";

fn find(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.star(&[&["run", "find.star", "--proc", "FIND"], arguments].concat())
}

fn folder() -> Folder {
    Folder::new(&[("find.star", FIND), ("people.csv", PEOPLE)])
}

#[test]
fn records_are_found_by_text_and_written_unchanged() {
    let folder = folder();
    let paris = ["T=field:city:people.csv", "v=code:city=Paris:people.csv"];
    let ran = find(&folder, &[&paris[..], &["--out", "X=rows of T:csv:-"]].concat());
    ran.prints("name,city,born,temp\nAnn,Paris,1990-05-01,-3\n\"Eve, of X\",Paris,2001-01-01,0\n");
    assert!(
        ran.stderr.contains("note: people.csv: field `city` contains the text `Paris` as 1"),
        "{ran:?}"
    );
    for (field, value, found) in [
        ("city", "", "010"),
        ("city", "Oslo", "000"),
        ("born", "1969-12-31", "010"),
        ("temp", "-3", "100"),
        ("name", "Eve, of X", "001"),
    ] {
        let table = format!("T=field:{field}:people.csv");
        let code = format!("v=code:{field}={value}:people.csv");
        find(&folder, &[&table, &code]).prints(&format!("X = {found}\n"));
    }
}

#[test]
fn numbers_may_denote_missing_values() {
    let folder = folder();
    folder.write("gap.csv", b"a\n5\n-9\n7\n");
    let gap = ["T=field:a:gap.csv", "v=code:a=-9:gap.csv", "nodata=-9"];
    let ran = find(&folder, &gap);
    ran.prints("X = 010\n");
    assert!(ran.stderr.contains("1 of 3 numbers of field `a` are missing"), "{ran:?}");
    let ran = find(&folder, &[&gap[..], &["--out", "X=rows of T:csv:-"]].concat());
    assert!(ran.stdout.ends_with("\n-9\n"), "{ran:?}");
    // The bits of a missing number are no number of the field.
    let ones = ["T=field:a:gap.csv", "v=code:a=15:gap.csv"];
    let refused = ["E0508", "hold 0 to 14", "all ones are missing numbers"];
    find(&folder, &[&ones[..], &["nodata=-9"]].concat()).fails(5, &refused);
    find(&folder, &[&ones[..], &["nodata=-9", "codes=shared"]].concat()).fails(5, &refused);
    find(&folder, &[&gap[..2], &["nodata=none"]].concat()).fails(2, &["E0605", "`nodata`"]);
    find(&folder, &[&gap[..2], &["palette=2"]].concat()).fails(2, &["E0605", "`palette=index`"]);
    find(&folder, &[&gap[..2], &["nodta=1"]].concat()).fails(2, &["did you mean `nodata=…`?"]);
}

#[test]
fn absent_texts_are_refused_where_texts_have_an_order() {
    let folder = folder();
    let absent = ["T=field:city:people.csv", "v=code:city=Oslo:people.csv"];
    find(&folder, &absent).prints("X = 000\n");
    let ran = find(&folder, &[&absent[..], &["order=sorted"]].concat());
    ran.fails(5, &["E0504", "no record has the text `Oslo`", "precede the first text, `Paris`"]);
}

#[test]
fn tables_can_be_written_with_the_fields_of_another() {
    let folder = folder();
    let same = ["run", "find.star", "--proc", "SAME", "T=people.csv"];
    let ran = folder.star(&[&same[..], &["--out", "R=like T:csv:-"]].concat());
    ran.prints(PEOPLE);
    let ran = folder.star(&[&same[..], &["order=sorted", "--out", "R=like T:r.csv"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(std::fs::read_to_string(folder.path("r.csv")).unwrap(), PEOPLE);
    assert!(ran.stderr.contains("contains texts, from `Ann` as 1 to `Eve, of X` as 3"), "{ran:?}");
}

#[test]
fn codes_without_a_text_are_noted() {
    let text = "procedure INVERT(T: table; var R: table);\nvar i: integer;\nbegin\n  R:=T;\n  \
        for i:=1 to rows(T) do ROW(i,R):=not ROW(i,T)\nend;";
    let folder = Folder::new(&[("not.star", text), ("t.csv", "t\na\nb\nc\n")]);
    let ran = folder.star(&["run", "not.star", "T=t.csv", "--out", "R=like T:csv:-"]);
    ran.prints("t:text\n6\n5\n4\n");
    let note = "3 numbers that are codes of no text, written as numbers";
    assert!(ran.stderr.contains(note), "{ran:?}");
}

#[test]
fn advice_for_fields_can_be_followed() {
    let folder = folder();
    folder.write("colon.csv", b"c:d,a=b\nx,1\ny,2\n");
    let word = "v=code:1=y:colon.csv";
    let ran = find(&folder, &["T=field:c:d:colon.csv", word]);
    ran.fails(5, &["E0501", "chosen by its number: `field:1:FILE`"]);
    find(&folder, &["T=field:1:colon.csv", "v=code:a=b=5:colon.csv"])
        .fails(5, &["E0507", "`a=b` is field `2`, by its number"]);
    find(&folder, &["T=field:1:colon.csv", word]).prints("X = 01\n");
    folder.write("gaps.csv", b"day,time\n2024-05-01,12:30\n,\n");
    let gaps = ["T=records:gaps.csv", "v=0"];
    find(&folder, &gaps).fails(5, &["`empty=2024-05-01` sets the value"]);
    find(&folder, &[&gaps[..], &["empty=2024-05-01"]].concat()).fails(5, &["`texts=time` reads"]);
    let both = ["empty=2024-05-01", "texts=time", "widths=20,2", "v=0000000000000000000000"];
    assert_eq!(find(&folder, &[&gaps[..1], &both].concat()).code, 0);
}

#[test]
fn formulas_are_quoted_on_request() {
    let folder = folder();
    let names = "=name,@city,temp\n=1+1,+49,-3\nAnn,-x,5\n\"\t=2\",Paris,7\n";
    folder.write("f.csv", names.as_bytes());
    let same = ["run", "find.star", "--proc", "SAME", "T=f.csv", "texts=@city"];
    let written = |options: &[&str]| folder.star(&[&same[..], options].concat());
    let quoted = "'=name,'@city,temp\n'=1+1,'+49,-3\nAnn,'-x,5\n'\t=2,Paris,7\n";
    written(&["--csv-safe", "--out", "R=like T:csv:-"]).prints(quoted);
    let ran = written(&["--csv-safe", "--out", "R=like T:r.csv"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(std::fs::read_to_string(folder.path("r.csv")).unwrap(), quoted);
    let plain = written(&["--out", "R=like T:csv:-"]);
    assert!(plain.stdout.contains("=1+1,") && !plain.stdout.contains('\''), "{plain:?}");
}

#[test]
fn missing_numbers_are_written_as_in_the_file() {
    let folder = folder();
    folder.write("nd.csv", b"a,b\n-32768,-7\n5,-32768\n-6,0\n");
    folder.write("nd.npy", &npy_list(&[-32768, 5, 0]));
    let written = |file: &str, settings: &[&str]| {
        let values = format!("T={file}");
        let same = ["run", "find.star", "--proc", "SAME", &values, "nodata=-32768"];
        folder.star(&[&same[..], settings].concat())
    };
    let text = "a,b\n-32768,-7\n5,-32768\n-6,0\n";
    written("nd.csv", &["--out", "R=like T:csv:-"]).prints(text);
    written("nd.csv", &["scale=10", "--out", "R=like T:csv:-"]).prints(text);
    written("nd.csv", &["widths=20,63", "--out", "R=like T:csv:-"]).prints(text);
    written("nd.npy", &["--out", "R=like T:csv:-"]).prints("value\n-32768\n5\n0\n");
    let shown = written("nd.csv", &[]);
    let table = "     a       b\n-32768      -7\n     5  -32768\n    -6       0\n";
    assert!(shown.stdout.ends_with(table), "{shown:?}");
}

/// A NumPy list of 64-bit integers.
fn npy_list(numbers: &[i64]) -> Vec<u8> {
    let header =
        format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({},), }}\n", numbers.len());
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes
}

#[test]
fn numbers_without_sign_have_at_most_63_bits() {
    let folder = folder();
    let mut bytes = npy_list(&[1, 2, i64::MAX]);
    let at = bytes.windows(3).position(|three| three == b"<i8").unwrap();
    bytes[at + 1] = b'u';
    folder.write("u.npy", &bytes);
    let same = ["run", "find.star", "--proc", "SAME", "T=u.npy", "--out", "R=like T:csv:-"];
    folder.star(&same).prints("value:63\n1\n2\n9223372036854775807\n");
    folder.write("u.csv", b"value:64\n1\n2\n");
    let csv = ["run", "find.star", "--proc", "SAME", "T=u.csv", "--out", "R=like T:csv:-"];
    folder.star(&csv).fails(5, &["a field of 64 bits", "`widths=` chooses narrower fields"]);
    folder.star(&[&csv[..], &["widths=10"]].concat()).prints("value:10\n1\n2\n");
    folder
        .star(&[&csv[..4], &["T=u.csv", "--out", "R=records v=64:csv:-"]].concat())
        .fails(5, &["`v=64` is not the name and width of a field", "1 to 63 bits"]);
}

#[test]
fn unknown_forms_of_results_are_refused() {
    let folder = folder();
    let same = ["run", "find.star", "--proc", "SAME", "T=people.csv"];
    for (option, out, help) in [
        ("--out", "R=distance:d.csv", "did you mean `distances`?"),
        ("--out", "R=row of T:d.csv", "did you mean `rows of T`?"),
        ("--out", "R=rows:d.csv", "write `rows of NAME:d.csv`"),
        ("--out", "R=like:d.csv", "write `like NAME:d.csv`"),
        ("--view", "R=plane h=3:d.png", "did you mean `planes h=3`?"),
        ("--out", "R=csv:d.csv", "a colon as `./csv:d.csv`"),
    ] {
        let ran = folder.star(&[&same[..], &[option, out]].concat());
        ran.fails(5, &["error[E0507]: unknown form `", help]);
    }
    assert_eq!(folder.names(), ["find.star", "people.csv"]);
    let ran = folder.star(&[&same[..], &["--out", "R=./like:d.csv"]].concat());
    assert_eq!((ran.code, folder.path("like:d.csv").exists()), (0, true), "{ran:?}");
    folder.write("w.star", b"program W(T: table); begin write(T,\"plane h=3:d.png\") end.");
    folder.star(&["run", "w.star", "T='01'"]).fails(3, &["E0507", "did you mean `planes h=3`?"]);
}

#[test]
fn marked_arcs_are_a_graph() {
    let town = "p sp 3 3\na 1 2 7\na 2 3 5\na 1 3 4\n";
    let folder = Folder::new(&[("town.gr", town)]);
    let kruskal = ["run", "star:mst", "--proc", "KRUSKAL", "--graph", "town.gr", "--out"];
    for rows in ["T=rows of graph:gr:-", "T=rows of left:gr:-"] {
        let ran = folder.star(&[&kruskal[..], &[rows]].concat());
        ran.prints("p sp 3 2\na 2 3 5\na 1 3 4\n");
    }
}

#[test]
fn programs_read_codes() {
    let program = "program P; var T: table; v: word; X,Y: slice(T);
begin
  read(T,\"people.csv\",\"field:city\"); read(v,\"people.csv\",\"code:city=Paris\");
  SET(Y); MATCH(T,Y,v,X); print(NUMB(X))
end.";
    let folder = Folder::new(&[("p.star", program), ("people.csv", PEOPLE)]);
    folder.star(&["run", "p.star"]).prints("2\n");
}

#[test]
fn settings_of_read_follow_the_layout() {
    let run = |layout: &str| {
        let program = format!(
            "program P; var T: table;\nbegin read(T,\"people.csv\",\"{layout}\"); print(rows(T)) end."
        );
        let folder = Folder::new(&[("p.star", &program), ("people.csv", PEOPLE)]);
        folder.star(&["run", "p.star"])
    };
    for layout in ["records codes=shared", "codes=own", "field:city codes=shared order=sorted"] {
        run(layout).fails(
            3,
            &[
                "p.star:2:7",
                "is not a setting of `read`",
                "`star run FILE T=a.csv V=b.csv codes=shared`",
            ],
        );
    }
    run("records sorted=yes")
        .fails(3, &["unknown setting `sorted`", "available settings: `scale`"]);
    run("records scal=10").fails(3, &["unknown setting `scal`", "did you mean `scale=…`?"]);
    run("scale=10 records").fails(3, &["`scale=10` precedes the layout", "`records scale=10`"]);
    run("records h=3").fails(3, &["`h=3` needs the layout of a graph", "`weights-out h=3`"]);
    run("adjacency scale=10 h=3")
        .fails(3, &["`scale=10` precedes a width", "`adjacency h=20 b=6 scale=10`"]);
    run("adjacency codes=shared h=3").fails(3, &["`codes=shared` is not a setting of `read`"]);
    // The files of a program have separate codes, whatever the command line says.
    let program = "program P; var T: table;\nbegin read(T,\"n.csv\"); print(T) end.";
    let folder = Folder::new(&[("p.star", program), ("n.csv", "x,y\n-3,1\n0,-9\n")]);
    let ran = folder.star(&["run", "p.star", "codes=shared"]);
    assert!(ran.stderr.contains("field `x` is stored with offset -3 (its minimum)"), "{ran:?}");
    assert!(ran.stderr.contains("warning: `codes=` is unused: it is for parameters"), "{ran:?}");
    let ran = folder.star(&["run", "p.star", "texts=z"]);
    assert!(ran.stderr.contains("warning: unknown field `z` in `texts=`"), "{ran:?}");
}

#[test]
fn invalid_records_are_reported() {
    let folder = folder();
    let (city, bits) = ("T=field:city:people.csv", "v=01");
    find(&folder, &[city, "v=Paris"])
        .fails(5, &["E0501", "Paris: cannot open", "`v=code:FIELD=Paris:people.csv`"]);
    find(&folder, &["T='01 10'", "v=Paris"]).fails(5, &["`v=code:FIELD=Paris:FILE`"]);
    find(&folder, &[city, "v=code:town=Ulm:people.csv"])
        .fails(5, &["E0507", "unknown field `town`", "`name`, `city`, `born`, `temp`"]);
    find(&folder, &[city, "v=code:city:people.csv"])
        .fails(2, &["E0605", "`v=code:FIELD=VALUE:FILE`"]);
    find(&folder, &[city, "v=code:temp=99:people.csv"]).fails(5, &["E0508", "hold -3 to 12"]);
    find(&folder, &[city, "v=code:born=May:people.csv"]).fails(5, &["E0504", "is not a date"]);
    find(&folder, &[city, bits, "--out", "X=rows of t:o.csv"])
        .fails(2, &["E0603", "did you mean `T`?"]);
    find(&folder, &["T='01 10'", bits, "--out", "X=rows of T:o.csv"])
        .fails(5, &["E0507", "the rows of `T` are neither records of a list nor arcs"]);
    find(&folder, &[city, bits, "--out", "X=like T:o.csv"])
        .fails(5, &["`like T` requires a table"]);
    find(&folder, &[city, bits, "--out", "X=rows of T:o.png"]).fails(5, &["E0507", "PNG"]);
    find(&folder, &[city, bits, "order=up"])
        .fails(2, &["E0605", "`order=sorted` or `order=first`"]);
    for (setting, unknown) in
        [("texts=zip", "`zip` in `texts=`"), ("scale=temp:2,tmp:10", "`tmp` in `scale=`")]
    {
        find(&folder, &[city, bits, setting]).fails(
            2,
            &[
                &format!("error[E0605]: people.csv: unknown field {unknown}"),
                "the fields are `name`, `city`, `born`, `temp`",
            ],
        );
    }
    for setting in ["empty=x", "empty=", "empty=1;2", "texts=", "texts=name,", "scale=:10"] {
        let (name, value) = setting.split_once('=').unwrap();
        let message = match value {
            "" => format!("no value after the setting `{name}=`"),
            _ => format!("`{value}` is not a valid value of the setting `{name}`"),
        };
        find(&folder, &[city, bits, setting]).fails(2, &["error[E0605]", &message]);
    }
    find(&folder, &[city, bits, "scale=temp:2,born:3,temp:4"])
        .fails(2, &["error[E0605]: two scales for `temp` in `scale=`"]);
    for empty in ["0", "-1.5", "0,5", "2024-05-01", "12:30", "2024-05-01 12:30"] {
        let ran = find(&folder, &[city, bits, &format!("empty={empty}")]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert!(!folder.names().contains(&"o.csv".to_owned()), "no half of a file");
    folder.write("head.csv", b"city,temp\n");
    for value in ["city=Oslo", "temp=99", "temp=2"] {
        let field = value.split('=').next().unwrap();
        let table = format!("T=field:{field}:head.csv");
        find(&folder, &[&table, &format!("v=code:{value}:head.csv")])
            .prints("X = (0 bits, 0 ones)\n");
    }
    for (first, filler) in
        [("2024-05-02", "2024-05-01"), ("09:30", "12:30"), ("2024-05-02 09:30", "2024-05-01T12:30")]
    {
        folder.write("gap.csv", format!("a,b\n1,{first}\n2,\n").as_bytes());
        let gap = ["T=field:a:gap.csv", "v=code:a=1:gap.csv"];
        let help = format!("`empty={filler}` sets the value");
        find(&folder, &gap).fails(5, &["E0502", "gap.csv:3:3: an empty field", &help]);
        assert_eq!(find(&folder, &[&gap[..], &[&format!("empty={filler}")]].concat()).code, 0);
    }
    folder.write("gap.csv", b"a,b\n1,\n,2\n");
    let gap = ["T=field:a:gap.csv", "v=code:b=2:gap.csv"];
    find(&folder, &gap).fails(5, &["E0502", "gap.csv:3:1: an empty field", "`empty=0` sets"]);
    find(&folder, &[&gap[..], &["empty=3"]].concat()).prints("X = 00\n");
}

#[test]
fn settings_that_no_file_uses_are_reported() {
    let folder = folder();
    folder.write("town.txt", b"1 2\n2 3\n");
    folder.write("map.pgm", b"P2 2 1 9\n3 9\n");
    let run = |file: &str, setting: &str| {
        let values = format!("T={file}");
        folder.star(&["run", "find.star", "--proc", "SAME", &values, setting])
    };
    let all = [
        "nodata=1",
        "texts=a",
        "order=sorted",
        "header=no",
        "empty=0",
        "widths=1",
        "palette=index",
        "times=skip",
        "codes=own",
        "scale=a:10",
    ];
    let used: [(&str, &[&str]); 4] = [
        ("town.txt", &["times=skip", "texts=1", "order=sorted", "header=no", "codes=own"]),
        ("people.csv", &["nodata=1", "texts=name", "order=sorted", "header=yes", "empty=0"]),
        ("map.pgm", &["nodata=9", "codes=own", "widths=4"]),
        ("'01 10'", &[]),
    ];
    for (file, used) in used {
        for setting in all {
            let (name, _) = setting.split_once('=').unwrap();
            let of_name = |other: &&&str| other.split_once('=').is_some_and(|(own, _)| own == name);
            let is_list = file == "people.csv" && matches!(name, "widths" | "codes" | "scale")
                || file == "town.txt" && name == "scale";
            match used.iter().find(of_name) {
                Some(setting) => {
                    let ran = run(file, setting);
                    assert!(ran.code == 0 && !ran.stderr.contains("is unused"), "{ran:?}");
                }
                None if is_list => {}
                None => {
                    let ran = run(file, setting);
                    let warning = format!("warning: `{name}=` is unused: it is for ");
                    assert!(ran.code == 0 && ran.stderr.contains(&warning), "{setting} {ran:?}");
                }
            }
        }
    }
    // The readers of files note that a general scale has no effect.
    let ran = run("'01 10'", "scale=2");
    assert!(ran.stderr.contains("`scale=` is unused: it is for the values of files"), "{ran:?}");
    assert!(!run("map.pgm", "scale=2").stderr.contains("is unused"));
    // A missing weight of an edge list uses it, too.
    folder.write("roads.csv", b"a,b,3\nb,c,\n");
    let ran =
        folder.star(&["run", "find.star", "--proc", "SAME", "T=adjacency:roads.csv", "empty=7"]);
    assert!(ran.code == 0 && !ran.stderr.contains("is unused"), "{ran:?}");
    // Another file of the run may use it.
    let ran = find(&folder, &["T=field:city:people.csv", "v='1'", "texts=city", "X="]);
    assert!(!ran.stderr.contains("is unused"), "{ran:?}");
    let ran = folder.star(&["view", "town.txt", "nodata=1"]);
    assert!(ran.stderr.contains("`nodata=` is unused"), "{ran:?}");
}

#[test]
fn notes_about_many_fields_are_short() {
    let line = |cell: &dyn Fn(usize) -> String| {
        (1..=2000).map(cell).collect::<Vec<String>>().join(",") + "\n"
    };
    let (names, cells) = (line(&|i| format!("f{i}")), line(&|_| "-01".to_owned()));
    let zeros = line(&|_| "01".to_owned());
    let program = "procedure P(T: table; var n: integer); begin n := rows(T) end;\n";
    let folder = Folder::new(&[
        ("p.star", program),
        ("w.csv", &(names.clone() + &cells)),
        ("z.csv", &(names + &zeros)),
    ]);
    let ran = folder.star(&["run", "p.star", "T=w.csv"]);
    ran.prints("n = 1\n");
    assert!(ran.stderr.len() < 20_000, "{}", ran.stderr.len());
    for part in ["w.csv: 1900 such notes about other fields are omitted", " and 1900 more"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    let ran = folder.star(&["run", "p.star", "T=z.csv"]);
    assert!(ran.stderr.contains("`texts=f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,f11,f12,…`"));
    let last = "`f12` and 1988 more\n";
    folder.star(&["run", "p.star", "T=field:x:z.csv"]).fails(5, &["E0507", last]);
    folder.star(&["run", "p.star", "T=z.csv", "texts=x"]).fails(2, &["E0605", last]);
}

const TRIPS: &str = "\
type Trip(s,t) = record from \"start station\", to: uint(s); minutes: uint(t); delay: int(4) end;
type Arc(b,h) = record tail,head: uint(b); w \"weight\": uint(h) end;
procedure LONG(R: table(m) of Trip(s,t); least: integer);
begin
  print(count(R.minutes >= least),\" of \",m,\", \",s,\" and \",t,\" columns, delay \",sum(R.delay))
end;
procedure BOTH(R: table(m) of Trip(s,t); Q: table(n) of Trip(s,t));
begin
  print(s,\" \",t,\" \",max(R.to),\" \",max(Q.from))
end;
procedure ARCS(E: table(m) of Arc(b,h));
begin
  print(m,\" arcs, \",b,\" \",h,\", \",E[2].tail,\"-\",E[2].head,\": \",E[2].w)
end;
type Place(k) = record city: uint(k) end;
procedure CITIES(R: table(m) of Place(k); Q: table(n) of Place(k));
begin
  print(R[1].city = Q[2].city)
end;
";

/// Rule 7 of stage 2.
#[test]
fn tables_of_records_take_columns_by_name() {
    let rows = "to,minutes,start station,note,delay\n7,12,4,a,-3\n4,33,7,b,7\n4,90,4,c,0\n";
    let folder = Folder::new(&[
        ("trips.star", TRIPS),
        ("trips.csv", rows),
        ("more.tsv", "start station\tto\tminutes\tdelay\n20\t1\t5\t0\n"),
        ("short.csv", "start station,minutes,delay\n1,1,1\n"),
        ("late.csv", "start station,to,minutes,delay\n1,1,1,9\n"),
        ("below.csv", "start station,to,minutes,delay\n1,-1,1,0\n"),
        ("none.csv", "start station,to,minutes,delay\n"),
        ("one.csv", "start station,to,minutes,delay\n1,1,2,-8\n"),
        ("a.csv", "city\nOslo\nRome\n"),
        ("b.csv", "city\nRome\nOslo\n"),
        ("road.gr", "p sp 3 2\na 1 2 70\na 2 3 50\n"),
    ]);
    let run =
        |arguments: &[&str]| folder.star(&[&["run", "trips.star", "--proc"], arguments].concat());
    run(&["LONG", "R=trips.csv", "least=30"]).prints("2 of 3, 3 and 7 columns, delay 4\n");
    run(&["LONG", "R=trips.csv", "least=30", "s=5"]).prints("2 of 3, 5 and 7 columns, delay 4\n");
    run(&["BOTH", "R=trips.csv", "Q=more.tsv"]).prints("5 7 7 20\n");
    run(&["ARCS", "E=road.gr"]).prints("2 arcs, 2 7, 2-3: 50\n");
    let fails = |arguments: &[&str], wanted: &[&str]| {
        run(arguments).fails(5, wanted);
    };
    let lacks = ["error[E0507]", "there is no column `to`", "`start station`, `minutes`, `delay`"];
    fails(&["LONG", "R=short.csv", "least=1"], &lacks);
    let narrow = ["error[E0508]", "90 in record 3 does not fit", "`t=7`"];
    fails(&["LONG", "R=trips.csv", "least=1", "t=6"], &narrow);
    fails(&["LONG", "R=late.csv", "least=1"], &["error[E0508]", "9 in record 1 does not fit"]);
    fails(&["LONG", "R=below.csv", "least=1"], &["E0508", "-1 in record 1", "`int(k)`"]);
    fails(&["LONG", "R=road.gr", "least=1"], &["`start station`", "`tail`, `head`, `weight`"]);
    run(&["LONG", "least=1"]).fails(2, &["error[E0604]"]);
    // No record, and one.
    run(&["LONG", "R=none.csv", "least=1"]).prints("0 of 0, 1 and 1 columns, delay 0\n");
    run(&["LONG", "R=one.csv", "least=1"]).prints("1 of 1, 1 and 2 columns, delay -8\n");
    // Texts of two files have different codes.
    let cities = ["CITIES", "R=a.csv", "Q=b.csv"];
    fails(&cities, &["error[E0507]", "different codes of texts", "`codes=shared`"]);
    run(&[&cities[..], &["codes=shared"]].concat()).prints("true\n");
}

const ROWS: &str = "\
type Row(k,h) = record from \"start\", to: uint(k); d: int(h); on: bit end;
type Many(n,h) = record w: array[1..n] of uint(h) end;
procedure LATE(var R: table(m) of Row(k,h); var X: slice(R));
begin
  X:=R.d < 0;
  R.d:=min(R.d,0)
end;
procedure MAKE(k,h: integer; var R: table(2) of Row(k,h));
begin
  R.from:=1; R.to:=2; R.d:=-3; R[2].on:=1
end;
procedure MANY(n,h: integer; R: table(m) of Many(n,h));
begin
  print(R[1].w[2])
end;
";

/// Results that are tables of records are written with the fields of their type.
#[test]
fn tables_of_records_are_written_with_their_fields() {
    let folder = Folder::new(&[
        ("rows.star", ROWS),
        ("in.csv", "to,start,d,on,why\nb,a,-3,1,x\nc,b,2,0,y\n"),
        ("w.csv", "w1,w2\n1,2\n3,4\n"),
        ("road.gr", "p sp 3 2\na 1 2 70\na 2 3 50\n"),
    ]);
    let run =
        |arguments: &[&str]| folder.star(&[&["run", "rows.star", "--proc"], arguments].concat());
    let late = ["LATE", "R=in.csv", "texts=start,to", "codes=own"];
    run(&[&late[..], &["--out", "R=csv:-"]].concat()).prints("start,to,d,on\na,b,-3,1\nb,c,0,0\n");
    run(&[&late[..], &["--out", "X=rows of R:csv:-"]].concat())
        .prints("to,start,d,on,why\nb,a,-3,1,x\n");
    let shown = run(&late);
    assert!(shown.stdout.contains("as records\nstart  to   d  on\n"), "{shown:?}");
    run(&["MAKE", "k=2", "h=3", "--out", "R=csv:-"]).prints("start,to,d,on\n1,2,-3,0\n1,2,-3,1\n");
    // Elements of arrays have no names.
    let many = ["MANY", "n=2", "h=3"];
    run(&[&many[..], &["R=w.csv"]].concat()).fails(5, &["E0507", "`R=records:w.csv`"]);
    run(&[&many[..], &["R=records:w.csv", "widths=3,3"]].concat()).prints("2\n");
}

/// Rule 7 of stage 2: a text is compared as its code in the file of the table.
#[test]
fn fields_are_compared_with_texts() {
    let text = "\
type Person(k,h) = record city: uint(k); born: int(h) end;
program P(R: table(m) of Person(k,h); Q: table(n) of Person(k,h));
begin
  print(count(R.city = \"Paris\"),\" \",count(\"Oslo\" = R.city),\" \",count(R.city <> \"Oslo\"));
  print(count((R.city = \"\") or (R.born = \"1990-05-01\")),\" \",count(Q.city = \"Paris\"))
end.
";
    let folder = folder();
    folder.write("p.star", text.as_bytes());
    folder.write("q.csv", b"born,city\n2001-01-01,Rome\n2002-02-02,Paris\n");
    let ran = folder.star(&["run", "p.star", "R=people.csv", "Q=q.csv", "codes=own"]);
    ran.prints("2 0 3\n2 1\n");
    let note = "note: no record of `R` has the text `Oslo` in `city`";
    assert_eq!(ran.stderr.matches(note).count(), 1, "{ran:?}");
    // Without columns there are no texts, and the names of the vertices of a graph are some.
    let ran = folder.star(&["run", "p.star", "R='01 10'", "Q='01 10'", "k=1", "h=1"]);
    ran.fails(5, &["E0507", "`Paris` has no code: `R` has no column `city` of a file"]);
    folder.star(&["run", "p.star", "Q=q.csv"]).fails(2, &["E0604", "needs a value for `R`"]);
    folder.write("day.csv", b"city,born\nOslo,3\n");
    let ran = folder.star(&["run", "p.star", "R=day.csv", "Q=q.csv", "codes=own"]);
    ran.fails(5, &["E0504", "`1990-05-01` for field `born` of `R` is not"]);
    let arcs = "type Arc(b) = record tail,head: uint(b) end;
procedure FROM(E: table(m) of Arc(b));
begin print(count(E.tail = \"Ulm\")) end;
";
    folder.write("arcs.star", arcs.as_bytes());
    folder.write("roads.txt", b"Ulm Bonn\nUlm Kiel\nKiel Ulm\n");
    folder.star(&["run", "arcs.star", "E=roads.txt"]).prints("2\n");
    for (line, wanted) in [
        ("print(count(E.tail < \"Ulm\"))", ["error[E0313]", "with `=` and `<>`"]),
        ("print(count(E.tail + 1 = \"Ulm\"))", ["error[E0301]", "compared with a field, not"]),
        ("print(count(F.tail = \"Ulm\"))", ["error[E0301]", "a field of a parameter, whose file"]),
        ("FROM(E)", ["error[E0301]", "`FROM` compares a field with a text"]),
    ] {
        let text = format!(
            "{arcs}procedure WRONG(E: table(m) of Arc(b));\nvar F: table(m) of Arc(b);\n\
             begin F:=E; {line} end;\n"
        );
        folder.write("wrong.star", text.as_bytes());
        folder.star(&["check", "wrong.star"]).fails(1, &wanted);
    }
}
