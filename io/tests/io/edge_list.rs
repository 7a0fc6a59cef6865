//! Edge lists.

use star_base::Code::{BadFormat, HeaderLies, OutOfRange, Truncated};
use star_io::Format::{Dimacs, EdgeList, Metis};
use star_io::{
    Data, Decimal, Direction, EdgeFields, FieldRules, FileError, Graph, Layout, LoadedFile,
    OutputRef, ReadOptions, VertexNames, Widths, lay_out, read, write,
};

use crate::support::{arcs, graph, load, refuses};

#[test]
fn vertices_from_1_are_used_directly_and_from_0_keep_their_numbers() {
    let (from_0, warnings) = graph(EdgeList, "0 1\n2 0\n");
    assert_eq!((from_0.n_vertices, arcs(&from_0)), (3, vec![(0, 1, 1), (2, 0, 1)]));
    assert_eq!(from_0.names, Some(VertexNames::Numbers(vec![0, 1, 2])));
    assert!(!from_0.weighted && warnings.is_empty());
    let (from_1, warnings) = graph(EdgeList, "1 2\n3 1\n");
    assert!(from_1.names.is_none() && warnings.is_empty());
    assert_eq!(arcs(&from_1), arcs(&from_0));
}

#[test]
fn numbers_of_vertices_are_written_as_they_were_read() {
    for text in ["0 1 2\n1 2 5\n", "5 9 2\n9 70 5\n"] {
        let (mut graph, _) = graph(EdgeList, text);
        let written = |graph: &Graph| {
            let mut written = Vec::new();
            write(EdgeList, OutputRef::Graph(graph), &mut written).unwrap();
            let written = String::from_utf8(written).unwrap();
            written.split_once('\n').unwrap().1.to_owned() // without the comment
        };
        assert_eq!(written(&graph), text);
        // A vertex without an edge does not change the others.
        graph.arcs.remove(0);
        assert_eq!(written(&graph), text.split_once('\n').unwrap().1);
    }
}

#[test]
fn comments_and_columns_say_that_edges_have_no_direction() {
    let comment = "# Undirected graph: web.txt\n# FromNodeId ToNodeId\n1 2\n2 3\n3 2\n";
    let (edges, notes) = graph(EdgeList, comment);
    // A file may have both arcs of an edge.
    assert_eq!((arcs(&edges), edges.symmetric), (vec![(0, 1, 1), (1, 2, 1)], true));
    assert_eq!(notes, ["the comment `# Undirected graph` says that the edges have no direction"]);
    for other in ["# Directed graph: web.txt", "# The undirected graph", "% Undirected graph"] {
        assert!(!graph(EdgeList, &format!("{other}\n1 2\n2 3\n")).0.symmetric, "{other}");
    }
    let gephi = |kinds: [&str; 2], third: &str| {
        let [first, second] = kinds;
        let text = format!("Source,Target,Type,Weight\na,b,{first},1\nb,c,{second},2\n{third}");
        load(EdgeList, text.as_bytes())
    };
    let read = |kinds: [&str; 2]| match gephi(kinds, "").unwrap() {
        LoadedFile { data: Data::Graph(graph), notes, assumes_arcs, .. } => {
            assert!(!assumes_arcs && !notes[0].contains("Type"), "{notes:?}");
            (arcs(&graph), graph.symmetric, notes)
        }
        other => panic!("{other:?}"),
    };
    let (edges, symmetric, notes) = read(["Undirected", "undirected"]);
    assert_eq!((edges, symmetric), (vec![(0, 1, 1), (1, 2, 2)], true));
    assert_eq!(notes[1], "the column `Type` says that the edges have no direction");
    assert_eq!(read(["Directed", "Directed"]).0, [(0, 1, 1), (1, 2, 2)]);
    let (mixed, symmetric, notes) = read(["Directed", "Undirected"]);
    assert_eq!((mixed, symmetric), (vec![(0, 1, 1), (1, 2, 2), (2, 1, 2)], false));
    assert_eq!(notes[1], "1 edge without direction became two arcs each");
    let error = gephi(["Directed", "Directed"], "c,d,east,1\n").unwrap_err();
    assert_eq!((error.line, error.column), (Some(4), Some(5)), "{error}");
    // Other columns of this name have no such meaning.
    let roads = "Source,Target,Type,Weight\na,b,motorway,1\n";
    assert!(load(EdgeList, roads.as_bytes()).unwrap().notes[0].contains("not read: `Type`"));
}

#[test]
fn numbers_of_vertices_may_be_in_quotes() {
    for text in [
        "\"2\",\"4\",\"5\"\n\"4\",\"5\",\"1\"\n",
        "\"from\",\"to\",\"w\"\n\"2\",\"4\",\"5\"\n\"4\",\"5\",\"1\"\n",
        "2,4,\"5\"\n4,5,\"1\"\n",
        "\"2\" \"4\" 5\n4 5 \"1\"\n",
        "\"from\",\"to\",\"w\"\n2,4,5\n4,5,1\n",
    ] {
        let (found, _) = graph(EdgeList, text);
        assert_eq!(arcs(&found), [(0, 1, 5), (1, 2, 1)], "{text}");
        assert_eq!(found.names, Some(VertexNames::Numbers(vec![2, 4, 5])));
    }
    // Our own comment counts from 1, also with columns of the user.
    let text = "# vertices 4, arcs 1, numbered from 1\n3;2\n";
    assert_eq!(arcs(&graph(EdgeList, text).0), [(2, 1, 1)]);
    assert!(load(EdgeList, text.replace('3', "5").as_bytes()).is_err());
}

#[test]
fn names_that_begin_with_a_brace_are_read_again() {
    let (named, _) = graph(EdgeList, "from,to,w\n\"{a\",zz,5\nzz,\"{b c}\",2\n");
    assert_eq!(named.find("{b c}"), Some(2));
    let mut written = Vec::new();
    write(EdgeList, OutputRef::Graph(&named), &mut written).unwrap();
    assert_eq!(graph(EdgeList, &String::from_utf8(written).unwrap()).0, named);
}

#[test]
fn lost_zeros_of_vertices_are_noted() {
    let note = |columns: &str| {
        format!(
            "the vertices are numbers without their leading zeros; `texts={columns}` keeps these"
        )
    };
    let last = |text: &str| graph(EdgeList, text).1.pop().unwrap();
    assert_eq!(last("1001 2 5\n2 01001 5\n"), note("1,2"));
    assert_eq!(last("from;to\n01001;2\n"), note("from,to"));
    assert!(graph(EdgeList, "0 1 0\n1 10 05\n").1.iter().all(|it| !it.contains("zeros")));
}

#[test]
fn konect_comments_give_the_kind_of_graph() {
    let edges = "% 2 3 3\n1 2 3\n2 3 4\n";
    let (symmetric, notes) = graph(EdgeList, &format!("% sym positive\n{edges}"));
    assert!(symmetric.symmetric && symmetric.weighted);
    assert_eq!(notes, ["the comment `% sym` says that the edges have no direction"]);
    for other in ["% asym positive", "% symbols positive", "% sym of edges", "# sym positive"] {
        let (directed, notes) = graph(EdgeList, &format!("{other}\n{edges}"));
        assert!(!directed.symmetric && notes.is_empty(), "{other}");
    }
    let (sides, notes) = graph(EdgeList, "% bip unweighted\n1 1\n3 1\n");
    assert_eq!((arcs(&sides), sides.symmetric), (vec![(0, 2, 1), (1, 2, 1)], true));
    assert_eq!([0, 1, 2].map(|vertex| sides.name(vertex).to_string()), ["L1", "L3", "R1"]);
    assert!(notes[0].contains("`% bip`"), "{notes:?}");
    let sides_of = |text: &str| load(EdgeList, text.as_bytes());
    let error = sides_of("% bip unweighted\nann bob\nbob cy\n").unwrap_err();
    assert!(error.message.contains("`bob` occurs on both of them"), "{error}");
    assert!(sides_of("% bip unweighted\nann book\nbob cup\n").is_ok());
}

#[test]
fn times_after_weights_are_skipped_on_request() {
    let text = "# list\n1 2 7 1082008561\n2 3 8 1082008562\n";
    let mut options = ReadOptions::new("f", 1 << 20);
    let error = read(EdgeList, &mut text.as_bytes(), &mut options).unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(7)));
    assert!(error.help[0].contains("`times=skip`"), "{error:?}");
    let mut options = ReadOptions { skip_times: true, ..ReadOptions::new("f", 1 << 20) };
    let loaded = read(EdgeList, &mut text.as_bytes(), &mut options).unwrap();
    assert_eq!(loaded.notes, ["the times after the weights are skipped"]);
    let Data::Graph(graph) = loaded.data else { panic!("a graph") };
    assert_eq!(arcs(&graph), [(0, 1, 7), (1, 2, 8)]);
    let (konect, notes) = self::graph(EdgeList, "% asym weighted\n1 2 7 1082008561\n");
    assert_eq!((arcs(&konect), notes.len()), (vec![(0, 1, 7)], 1));
}

/// Reads an edge list with options that `change` sets.
fn with(
    text: &[u8],
    change: impl FnOnce(&mut ReadOptions<'_>),
) -> Result<(Graph, LoadedFile), FileError> {
    let mut options = ReadOptions { as_graph: true, ..ReadOptions::new("f", 1 << 20) };
    change(&mut options);
    let loaded = read(star_io::Format::Csv, &mut &text[..], &mut options)?;
    let Data::Graph(graph) = loaded.data.clone() else { panic!("a graph") };
    Ok((graph, loaded))
}

/// The arcs with the names of their ends.
fn named(graph: &Graph) -> Vec<String> {
    let show = |arc: &star_io::Arc| {
        let (tail, head) = (graph.name(arc.tail as usize), graph.name(arc.head as usize));
        format!("{tail} {head} {}", arc.weight)
    };
    graph.arcs.iter().map(show).collect()
}

#[test]
fn columns_have_usual_names_and_vertices_may_be_texts() {
    let expected = ["London Paris 344", "Paris \"Old\" Rome 1106"];
    for text in [
        "from,to,distance\nLondon,Paris,344\nParis,\"\"\"Old\"\" Rome\",1106\n",
        "\u{feff}Weight;SOURCE;Target;open\r\n344;London;Paris;yes\r\n1106;Paris;\"\"\"Old\"\" Rome\";\r\n",
        "u\tv\tcost\nLondon\tParis\t344.0\nParis\t\"\"\"Old\"\" Rome\"\t1106\n",
        "London Paris 344\n# a comment\n\nParis \"\"\"Old\"\" Rome\" 1106",
        "London Paris {'weight': 344}\nParis \"\"\"Old\"\" Rome\" {'name': 'A1', 'weight': 1106.0}",
    ] {
        let (graph, loaded) = with(text.as_bytes(), |_| {}).unwrap();
        assert_eq!(named(&graph), expected, "{text}");
        assert!(graph.weighted && loaded.assumes_arcs && loaded.notes.len() == 1, "{text}");
        assert_eq!((graph.find("Paris"), graph.find("Oslo")), (Some(1), None));
    }
    let (graph, loaded) = with(b"src,dst\n10,7\n7,0\n", |_| {}).unwrap();
    assert_eq!(named(&graph), ["10 7 1", "7 0 1"]);
    assert_eq!(graph.names, Some(VertexNames::Numbers(vec![0, 7, 10])));
    let expected = "the arcs go from column `src` to `dst`, there are no weights";
    assert_eq!(loaded.notes[0], expected);
}

#[test]
fn columns_are_chosen_by_name_or_number() {
    let text = b"id,a,b,km,toll\n1,Oslo,Bergen,463,2.5\n2,Bergen,Oslo,463,3\n";
    let error = with(text, |_| {}).unwrap_err();
    assert_eq!((error.line, error.column), (Some(1), Some(1)));
    assert!(error.message.contains("cannot tell which columns"), "{error}");
    assert_eq!(error.excerpt.unwrap().0, "id,a,b,km,toll");
    let fields = |from, to, weight| EdgeFields { from: Some(from), to: Some(to), weight };
    for edges in [fields("a", "b", Some("km")), fields("2", "3", Some("4"))] {
        let (graph, loaded) = with(text, |options| options.edges = edges).unwrap();
        assert_eq!(named(&graph), ["Oslo Bergen 463", "Bergen Oslo 463"]);
        assert!(loaded.notes[0].ends_with("in `km`; not read: `id`, `toll`"), "{:?}", loaded.notes);
    }
    let (graph, _) = with(text, |options| options.edges = fields("b", "a", None)).unwrap();
    assert_eq!((named(&graph)[0].as_str(), graph.weighted), ("Bergen Oslo 463", true));
    let none = EdgeFields::default();
    for (edges, part) in [
        (fields("a", "c", None), "no column `c` for `to=`"),
        (EdgeFields { from: Some("c"), ..none }, "no column `c` for `from=`"),
        (EdgeFields { to: Some("c"), ..none }, "no column `c` for `to=`"),
        (EdgeFields { to: Some("b"), ..none }, "cannot tell which column is the other vertex"),
        (fields("a", "a", None), "same column"),
        (fields("a", "b", Some("9")), "no column `9` for `weight=`"),
        (fields("a", "b", Some("2")), "`weight=` chooses a column of vertices"),
        (fields("a", "b", Some("a")), "`weight=` chooses a column of vertices"),
    ] {
        let error = with(text, |options| options.edges = edges).unwrap_err();
        assert!(error.message.contains(part), "{error}");
    }
    // The help keeps the column that is given.
    for (edges, help) in [
        (none, "choose them: `from=id to=a`"),
        (EdgeFields { from: Some("id"), ..none }, "choose it: `to=a`"),
        (EdgeFields { from: Some("a"), ..none }, "choose it: `to=id`"),
        (EdgeFields { to: Some("1"), ..none }, "choose it: `from=a`"),
    ] {
        let error = with(text, |options| options.edges = edges).unwrap_err();
        assert_eq!(error.help[0], help);
    }
    let none = EdgeFields { weight: Some("none"), ..none };
    let (graph, _) = with(b"1 2 7\n2 3 x\n", |options| options.edges = none).unwrap();
    assert!(!graph.weighted);
}

#[test]
fn headers_declare_texts_and_widths() {
    let (graph, loaded) = with(b"from:text,to:text,weight:8\n01,2,3\n1,2,4\n", |_| {}).unwrap();
    assert_eq!(named(&graph), ["01 2 3", "1 2 4"]);
    assert!(loaded.notes[0].contains("from column `from` to `to`"), "{:?}", loaded.notes);
    let (graph, _) = with(b"nr,via,to:text,from:text\na,a,1,01\n", |_| {}).unwrap();
    assert_eq!(named(&graph), ["01 1 1"]);
    let scale = Decimal::parse("10");
    let (graph, _) = with(b"from;to;weight\na;b;3,5\n", |options| options.scale = scale).unwrap();
    assert_eq!(named(&graph), ["a b 35"]);
}

#[test]
fn numbers_and_dates_of_edges_are_weights_only_on_request() {
    let text = b"id,from,to\n7,a,b\n8,b,c\n";
    let (graph, loaded) = with(text, |_| {}).unwrap();
    assert!(!graph.weighted);
    assert!(loaded.notes[0].ends_with("`weight=` chooses one of `id`"), "{:?}", loaded.notes);
    let (graph, _) = with(text, |options| options.edges.weight = Some("id")).unwrap();
    assert_eq!(named(&graph), ["a b 7", "b c 8"]);
    for name in ["Year", "edge_id", "time-stamp"] {
        let text = format!("from,to,{name}\na,b,1999\n");
        assert!(!with(text.as_bytes(), |_| {}).unwrap().0.weighted, "{name}");
    }
    let (graph, loaded) = with(b"from,to,miles\na,b,7\n", |_| {}).unwrap();
    assert_eq!(named(&graph), ["a b 7"]);
    assert!(loaded.notes[0].ends_with("the weights are in `miles`"), "{:?}", loaded.notes);
}

#[test]
fn comments_like_edges_are_reported() {
    let text = b"name,from,to\n#7,a,b\n%8,c,d\n# a comment\n\"#9\",c,a\n";
    let (graph, loaded) = with(text, |_| {}).unwrap();
    assert_eq!(named(&graph), ["c a 1"]);
    assert!(loaded.warnings[0].starts_with("2 lines beginning with"), "{:?}", loaded.warnings);
    let (graph, loaded) = with(b"from,to\n\"#h\",a\n\"%p\",\"{q\"\n", |_| {}).unwrap();
    assert_eq!(named(&graph), ["#h a 1", "%p {q 1"]);
    assert!(loaded.warnings.is_empty());
    let mut written = Vec::new();
    star_io::write(star_io::Format::Csv, star_io::OutputRef::Graph(&graph), &mut written).unwrap();
    assert_eq!(named(&with(&written, |_| {}).unwrap().0), named(&graph));
}

#[test]
fn scales_of_the_column_of_weights_are_used() {
    let scaled = |header: &str, row: &str, name: &str, edges: EdgeFields<'_>| {
        let scales = [(name.to_owned(), Decimal::parse("10").unwrap())];
        let mut options = ReadOptions { as_graph: true, ..ReadOptions::new("f", 1 << 20) };
        options.fields = FieldRules { scales: &scales, ..FieldRules::default() };
        options.edges = edges;
        let text = format!("{header}{row}\n");
        let loaded = read(star_io::Format::Csv, &mut text.as_bytes(), &mut options).unwrap();
        let Data::Graph(graph) = loaded.data else { panic!("a graph") };
        graph.weighted && named(&graph) == ["1 2 15"]
    };
    let usual = EdgeFields::default();
    for (header, row, name) in [
        ("from,to,km\n", "1,2,1.5", "km"),
        ("from;to;km\n", "1;2;1.5", "km"),
        ("from\tto\tLength\n", "1\t2\t1.5", "Length"),
        ("from,to,km:8\n", "1,2,1.5", "km"),
        ("from to km\n", "1 2 1.5", "km"),
        ("dist,from,to\n", "1.5,1,2", "dist"),
        ("from,to,colour,km\n", "1,2,7,1.5", "km"),
        ("from,to,toll\n", "1,2,1.5", "toll"),
        ("", "1,2,1.5", "3"),
    ] {
        assert!(scaled(header, row, name, usual), "{header}{row}");
    }
    for (header, row, name) in [
        ("from,to,km\n", "1,2,1.5", "to"),
        ("from,to,km,cost\n", "1,2,1.5,1.5", "km"),
        ("from,to,km\n", "1,2,1.5", "price"),
        ("from,to,year\n", "1,2,1.5", "year"),
        ("", "1,2", "3"),
    ] {
        assert!(!scaled(header, row, name, usual), "{header}{row}");
    }
    let edges = |from, to, weight| EdgeFields { from: Some(from), to: Some(to), weight };
    let toll = ("a,b,\"toll, paid\"\n", "1,2,1.5");
    assert!(scaled(toll.0, toll.1, "toll, paid", edges("a", "b", Some("3"))));
    let columns = ("a,b,c,d\n", "1,1.5,2,9");
    assert!(scaled(columns.0, columns.1, "b", edges("a", "c", Some("b"))));
    assert!(scaled(columns.0, columns.1, "b", edges("a", "c", Some("2"))));
    assert!(!scaled(columns.0, columns.1, "d", edges("a", "c", Some("b"))));
    assert!(scaled("km,w,to\n", "1,1.5,2", "w", edges("km", "to", None)));
}

#[test]
fn numbers_may_be_texts_and_texts_sorted() {
    let texts = ["1".to_owned(), "2".to_owned()];
    let text = b"007 8\n8 7\n";
    let set = |options: &mut ReadOptions<'_>| {
        options.fields = FieldRules { texts: &[], sorted: true, ..FieldRules::default() };
    };
    assert_eq!(named(&with(text, set).unwrap().0), ["7 8 1", "8 7 1"]);
    let mut options = ReadOptions { as_graph: true, ..ReadOptions::new("f", 1 << 20) };
    options.fields = FieldRules { texts: &texts, sorted: true, ..FieldRules::default() };
    let loaded = read(EdgeList, &mut &text[..], &mut options).unwrap();
    let Data::Graph(graph) = loaded.data else { panic!("a graph") };
    assert_eq!(named(&graph), ["007 8 1", "8 7 1"]);
    assert_eq!(graph.find("7"), Some(1)); // 007, 7, 8
}

#[test]
fn every_weight_follows_one_rule() {
    let (graph, loaded) = with(b"a b 1.5\nb c 2\n", |_| {}).unwrap();
    assert!(!graph.weighted && graph.no_weights.is_some());
    assert!(loaded.warnings[0].contains("`scale=100`"), "{:?}", loaded.warnings);
    let scale = Decimal::parse("10");
    let (graph, _) = with(b"a b 1.5\nb c -2\n", |options| options.scale = scale).unwrap();
    assert_eq!(named(&graph), ["a b 15", "b c -20"]);
    let missing = b"from,to,weight\na,b,3\nb,c,\nc,d\n";
    let error = with(missing, |_| {}).unwrap_err();
    assert_eq!((error.line, error.column), (Some(3), Some(5)));
    assert_eq!(error.notes, ["2 of 3 arcs have no weight"]);
    let empty = FieldRules { empty: Some("7"), ..FieldRules::default() };
    let (graph, _) = with(missing, |options| options.fields = empty).unwrap();
    assert_eq!(named(&graph), ["a b 3", "b c 7", "c d 7"]);
    let (graph, _) = with(b"from,to,weight\na,b,\nb,c,\n", |_| {}).unwrap();
    assert!(!graph.weighted && graph.no_weights.is_none());
}

#[test]
fn damaged_lines_are_shown_with_advice() {
    for (text, line, column, message, help) in [
        ("1 2\n2 A5\n", 2, 3, "`A5` is not a whole number", "`texts=1,2`"),
        ("from,to,x\n1,2,a\n2,A5,b\n", 3, 3, "expected the number of a vertex", "`texts=from,to`"),
        ("a,b,1\nb,c,far\n", 2, 5, "expected a number as the weight, found `far`", ""),
        ("a,b\n,c\n", 2, 1, "found an empty field", ""),
        ("a,b\nc\n", 2, 2, "expected two vertices", ""),
        ("a,b\n\"c,d\n", 2, 1, "without its closing quote", "is written twice"),
        ("a,b\n\"c\"x,d\n", 2, 4, "after the closing quote", "is written twice"),
        ("a,b\nc,d,e\n", 2, 5, "after 2 fields", ""),
        ("alone\n", 1, 1, "an edge needs two vertices", ""),
        ("sep=;\nfrom;to\na;b\n", 1, 1, "the separator for Excel", "delete the first line"),
    ] {
        let error = with(text.as_bytes(), |_| {}).unwrap_err();
        assert_eq!((error.line, error.column), (Some(line), Some(column)), "{text:?}: {error}");
        assert!(error.message.contains(message), "{text:?}: {error}");
        assert!(error.help.join(" ").contains(help), "{text:?}: {error:?}");
        let shown = text.lines().nth(line as usize - 1).unwrap();
        assert_eq!(error.excerpt.unwrap().0, shown, "{text:?}");
    }
}

#[test]
fn names_take_memory_of_the_budget() {
    let lines: String = (0..200).map(|i| format!("name{i} other{i}\n")).collect();
    let small = |options: &mut ReadOptions<'_>| options.max_bytes = 20_000;
    let error = with(lines.as_bytes(), small).unwrap_err();
    assert_eq!(error.code, star_base::Code::DoesNotFit);
    assert!(with(lines.as_bytes(), |_| {}).is_ok());
}

#[test]
fn arcs_are_joined_or_reversed_on_request() {
    let text = b"a b 1\nb a 1\nb c 2\nc b 3\na a 4\n";
    let undirected = Direction { undirected: true, reverse: false };
    let (graph, loaded) = with(text, |options| options.direction = undirected).unwrap();
    assert!(graph.symmetric && !loaded.assumes_arcs);
    assert_eq!(named(&graph), ["a b 1", "b c 2", "c b 3", "a a 4"]);
    let reverse = Direction { undirected: false, reverse: true };
    let (graph, _) = with(text, |options| options.direction = reverse).unwrap();
    assert_eq!(named(&graph)[2..4], ["c b 2", "b c 3"]);
    // A file that states it is believed.
    let (graph, loaded) =
        with(b"% sym\n1 2\n2 1\n", |options| options.direction = reverse).unwrap();
    assert_eq!((named(&graph).len(), loaded.assumes_arcs), (2, false));
}

#[test]
fn other_numbers_are_compacted_and_kept_as_labels() {
    let huge = u64::MAX;
    for (text, labels) in [
        ("7 5\n9 7\n".to_owned(), vec![5, 7, 9]),
        ("6 5\n7 6\n".to_owned(), vec![5, 6, 7]),
        ("2 0\n3 2\n".to_owned(), vec![0, 2, 3]),
        (format!("7 5\n{huge} 7\n"), vec![5, 7, huge]),
    ] {
        let (graph, warnings) = graph(EdgeList, &text);
        assert_eq!(arcs(&graph), [(1, 0, 1), (2, 1, 1)], "{text}");
        assert_eq!((graph.n_vertices, graph.names), (3, Some(VertexNames::Numbers(labels))));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("the 3 distinct numbers"), "{warnings:?}");
    }
}

#[test]
fn separators_are_blanks_tabs_or_one_comma() {
    let plain = graph(EdgeList, "0 1 -7\n1 0 8\n");
    assert!(plain.0.weighted);
    for text in ["0\t1\t-7\r\n1\t0\t8", "0,1,-7\n1,0,8\n", "# c\n 0 , 1 ,\t-7 \n% c\n\n1 0,+8"] {
        assert_eq!(graph(EdgeList, text), plain, "{text:?}");
    }
}

#[test]
fn comments_may_follow_the_fields() {
    for (text, weighted) in [
        ("1 2 5 # a b c\n2 3 6#\n", false),
        ("1 2 5 # a b c\n2 3 6 #x\n3 1 7\n", true),
        ("1 2 5\n2\t3\t6\t# x\r\n3,1,7 # a, b\n", true),
        ("# c\n1 2 #\n2 3 # 5\n3 1", false),
        ("a b 5\nb c 6 # one two three\nc a 7 #", true),
        ("from to weight # comment\na b 5 # c\nb c 6\nc a 7\n", true),
    ] {
        let found = load(EdgeList, text.as_bytes());
        if text.contains("6#") {
            assert!(found.unwrap_err().message.contains("`6#` is not a whole number"));
            continue;
        }
        let Data::Graph(graph) = found.unwrap().data else { panic!("a graph") };
        let weights = if weighted { [5, 6, 7] } else { [1, 1, 1] };
        let expected: Vec<_> = [(0, 1), (1, 2), (2, 0)].into_iter().zip(weights).collect();
        let found: Vec<_> = arcs(&graph).into_iter().map(|(t, h, w)| ((t, h), w)).collect();
        assert_eq!((found, graph.weighted), (expected, weighted), "{text:?}");
    }
    let error = load(EdgeList, b"1 2 5\n2 3 6 7 # c\n").unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(7)), "{error}");
    assert_eq!(load(EdgeList, b"a b #c\n").unwrap().data, load(EdgeList, b"a b\n").unwrap().data);
}

#[test]
fn snap_counts_are_checked_with_a_warning() {
    let comment = "# Nodes: 2 Edges: 1\n# FromNodeId\tToNodeId\n";
    assert!(graph(EdgeList, &format!("{comment}0\t1\n")).1.is_empty());
    let (_, warnings) = graph(EdgeList, &format!("{comment}0\t1\n1\t2\n"));
    assert_eq!(warnings, ["a comment announces 2 nodes and 1 edge, the file has 3 and 2"]);
}

#[test]
fn own_comment_fixes_the_number_of_vertices() {
    let (graph, warnings) = graph(EdgeList, "# vertices 5, arcs 1, numbered from 1\n2 3\n");
    assert_eq!((graph.n_vertices, arcs(&graph)), (5, vec![(1, 2, 1)]));
    assert!(graph.names.is_none() && warnings.is_empty());
    let (empty, _) = crate::support::graph(EdgeList, "# vertices 0, arcs 0, numbered from 1\n");
    assert_eq!(empty.n_vertices, 0);
}

#[test]
fn repeated_edges_and_loops_are_reported() {
    let (graph, warnings) = graph(EdgeList, "1 0\n0 1\n0 1\n1 1\n0 0\n");
    assert_eq!(graph.n_edges(), 5);
    assert_eq!(warnings, ["1 parallel arc: stored as one bit in a table", "2 loops are kept"]);
}

#[test]
fn bad_inputs_are_rejected_at_their_place() {
    let own = |rest: &str| format!("# vertices 2, arcs 1, numbered from 1\n{rest}").into_bytes();
    let long = [&b"0 1\n0 "[..], &[b'7'; 1000]].concat();
    refuses(
        EdgeList,
        &[
            (b"", Truncated, 1, 1, "no edge"),
            (b"# only\n# comments\n", Truncated, 3, 1, "no edge"),
            (b"from,to\n", Truncated, 2, 1, "no edge"),
            (b"0\n", BadFormat, 1, 2, "the second vertex"),
            (b"0,\n", BadFormat, 1, 3, "the second vertex"),
            (b"0 1\n2", Truncated, 2, 2, "the second vertex"),
            (b"0 1 2\n0 1 ,", Truncated, 2, 6, "the weight"),
            (b"0 1,", Truncated, 1, 5, "the weight"),
            (b"0,,1\n", BadFormat, 1, 3, "`,1` is not a whole number"),
            (b"0;1;x\n", BadFormat, 1, 5, "expected a number as the weight"),
            (b"-1 2\n", OutOfRange, 1, 1, "`-1` is negative"),
            (b"0 1\n0 -2\n", OutOfRange, 2, 3, "`-2` is negative"),
            (b"0 18446744073709551616\n", OutOfRange, 1, 3, "exceeds 64 bits"),
            (b"0 1 0.5x\n", BadFormat, 1, 5, "`0.5x` is not a whole number"),
            (b"0 1 0.5\n1 0 2.x\n", BadFormat, 2, 5, "`2.x` is not a number"),
            (b"0 1\n0 1 2\n", BadFormat, 2, 5, "3 fields in a line, expected 2 as in"),
            (b"0 1 2\n0 1\n", BadFormat, 2, 4, "2 fields in a line, expected 3 as in"),
            (b"0 1 2 3\n", BadFormat, 1, 7, "expected the end of the line, found `3`"),
            (b"0 1 9223372036854775808\n", OutOfRange, 1, 5, "exceeds 63 bits"),
            (b"0 \0\n", BadFormat, 1, 3, "a zero byte"),
            (b"\xff 1\n", BadFormat, 1, 1, "not UTF-8"),
            (b"1 2\n\xff 3\n", BadFormat, 2, 1, "`\u{fffd}` is not UTF-8"),
            (b"1 2 5\n2 3 6\xc3\n", BadFormat, 2, 5, "is not UTF-8"),
            (b"1 2 5\n2 3 6\xc3x\n", BadFormat, 2, 5, "is not UTF-8"),
            (b"1 2\n2 3\0\n", BadFormat, 2, 3, "contains a zero byte"),
            (b"0 1\r2 3\n", BadFormat, 1, 4, "carriage return inside a line"),
            (&own("0 1\n"), OutOfRange, 2, 1, "the first vertex is 0"),
            (&own("1 3\n"), OutOfRange, 2, 3, "`3` exceeds the 2 vertices"),
            (&own(""), Truncated, 2, 1, "after 0 of the 1 entry"),
            (&own("1 2\n2 1\n"), HeaderLies, 3, 1, "an entry after the 1"),
            (&long, OutOfRange, 2, 3, "7777777777…`"),
        ],
    );
}

#[test]
fn arcs_are_usable_without_non_integer_weights() {
    for (format, text, line) in [
        (EdgeList, "0 1 3\n1 2 1.261404\n2 0 -4e-3\n", 2),
        (Dimacs, "p sp 3 3\na 1 2 3\na 2 3 1.261404\na 3 1 7\n", 3),
        (Metis, "3 2 1\n2 1.261404\n1 1.261404 3 5\n2 5\n", 2),
    ] {
        let (graph, warnings) = graph(format, text);
        assert!(!graph.weighted && graph.arcs.iter().all(|arc| arc.weight == 1), "{graph:?}");
        let told = format!("`1.261404` is not a whole number in line {line}; `scale=100`");
        assert!(warnings[0].starts_with("the weights cannot be used: "), "{warnings:?}");
        assert!(warnings[0].contains(&told), "{warnings:?}");
        for layout in [Layout::Adjacency, Layout::Left, Layout::Incidence, Layout::Edges] {
            let widths = layout.least_widths(&graph).unwrap();
            lay_out(layout, &graph, widths, 1 << 20, "f").unwrap();
        }
        for layout in [Layout::WeightsOut, Layout::SignedOut, Layout::Weight, Layout::Arcs] {
            let refused =
                lay_out(layout, &graph, Widths { h: 30, b: 3 }, 1 << 20, "f").unwrap_err();
            assert_eq!((refused.code, refused.line), (BadFormat, Some(line)), "{refused}");
            assert_eq!(layout.least_widths(&graph).unwrap_err(), refused);
        }
        let mut options = ReadOptions::new("f", 1 << 20);
        options.scale = Decimal::parse_positive("1000000");
        let scaled = read(format, &mut text.as_bytes(), &mut options).unwrap();
        let Data::Graph(scaled) = scaled.data else { panic!("no graph") };
        assert!(scaled.weighted && scaled.no_weights.is_none());
        assert!(scaled.arcs.iter().any(|arc| arc.weight == 1_261_404), "{scaled:?}");
    }
}
