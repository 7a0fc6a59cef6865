//! Graphs with named vertices: node-link JSON, GraphML, GML, Pajek, sparse matrices of SciPy. The
//! files in `tests/networks` are written by networkx 3.6 and SciPy 1.17.

use std::fs;

use star_base::Code::{BadFormat, DoesNotFit, HeaderLies, Truncated};
use star_io::Format::{Csv, EdgeList, Gml, GraphMl, MatrixMarket, NodeLink, Npz, Pajek};
use star_io::{
    Arc, Data, Decimal, Direction, EdgeFields, FieldRules, FileError, Format, Graph, LoadedFile,
    OutputRef, ReadOptions, Texts, VertexNames, read, write,
};

use crate::support::{BUDGET, arcs, graph, refuses};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/networks/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn load_as(
    format: Format,
    bytes: &[u8],
    change: impl FnOnce(&mut ReadOptions<'_>),
) -> Result<(Graph, LoadedFile), FileError> {
    let mut options = ReadOptions { as_graph: true, ..ReadOptions::new("f", BUDGET) };
    change(&mut options);
    let loaded = read(format, &mut &bytes[..], &mut options)?;
    let Data::Graph(graph) = loaded.data.clone() else { panic!("a graph") };
    Ok((graph, loaded))
}

/// The names of the vertices, and the arcs in the order of their ends.
fn named(graph: &Graph) -> (Vec<String>, Vec<String>) {
    let name = |vertex: u32| graph.name(vertex as usize).to_string();
    let vertices = (0..graph.n_vertices as u32).map(name).collect();
    let show = |arc: &Arc| format!("{} {} {}", name(arc.tail), name(arc.head), arc.weight);
    let mut arcs: Vec<String> = graph.arcs.iter().map(show).collect();
    arcs.sort();
    (vertices, arcs)
}

#[test]
fn files_of_networkx_keep_names_weights_and_directions() {
    for name in
        ["directed.json", "directed-links.json", "directed.graphml", "directed.gml", "directed.net"]
    {
        let format = Format::of_path(name).unwrap();
        let bytes = fixture(name);
        assert_eq!(Format::detect(&bytes), Some(format), "{name}");
        let (graph, loaded) = load_as(format, &bytes, |_| {}).unwrap();
        let (vertices, arcs) = named(&graph);
        let last = vertices.iter().position(|vertex| vertex == "Alta \"north\"");
        assert_eq!((vertices.len(), last), (5, Some(4)), "{name}: {vertices:?}");
        let expected =
            ["Bergen Oslo 465", "Oslo Bergen 463", "Oslo Trondheim 494", "Trondheim Bodø & co 713"];
        assert_eq!(arcs, expected, "{name}");
        assert!(graph.weighted && !graph.symmetric && !loaded.assumes_arcs, "{name}");
        assert!(loaded.warnings.is_empty(), "{name}: {:?}", loaded.warnings);
    }
    for name in ["undirected.json", "undirected.graphml", "undirected.gml", "undirected.net"] {
        let (graph, _) = load_as(Format::of_path(name).unwrap(), &fixture(name), |_| {}).unwrap();
        assert_eq!(graph.names, Some(VertexNames::Numbers(vec![0, 3, 7, 12])), "{name}");
        assert_eq!(named(&graph).1, ["0 3 2", "0 7 9", "3 7 5"], "{name}");
        assert!(graph.symmetric && graph.weighted, "{name}");
    }
    for name in ["undirected.edgelist", "undirected.el"] {
        let undirected = Direction { undirected: true, reverse: false };
        let (graph, _) =
            load_as(EdgeList, &fixture(name), |options| options.direction = undirected).unwrap();
        assert_eq!(graph.names, Some(VertexNames::Numbers(vec![0, 3, 7])), "{name}");
        assert_eq!((graph.symmetric, graph.arcs.len()), (true, 3), "{name}");
    }
}

#[test]
fn sparse_matrices_have_arcs_from_row_to_column() {
    for name in ["m-csr.npz", "m-csc.npz", "m-coo.npz"] {
        let (graph, loaded) = load_as(Npz, &fixture(name), |_| {}).unwrap();
        assert_eq!(named(&graph).1, ["0 1 3", "1 2 5", "2 0 2"], "{name}");
        assert!(graph.weighted && loaded.assumes_arcs, "{name}");
        assert!(loaded.notes.contains(&"the vertices are counted from 0".to_owned()), "{name}");
    }
    let (bits, _) = load_as(Npz, &fixture("m-bool.npz"), |_| {}).unwrap();
    assert_eq!((arcs(&bits), bits.weighted), (vec![(0, 1, 1)], false));
    let (float, loaded) = load_as(Npz, &fixture("m-float.npz"), |_| {}).unwrap();
    assert!(!float.weighted && float.no_weights.is_some());
    assert!(loaded.warnings[0].contains("`scale=100`"), "{:?}", loaded.warnings);
    let ten = |options: &mut ReadOptions<'_>| options.scale = Decimal::parse("10");
    assert_eq!(arcs(&load_as(Npz, &fixture("m-float.npz"), ten).unwrap().0), [(0, 1, 35)]);
    for (name, part) in [("m-bsr.npz", "form `bsr`"), ("m-rect.npz", "2 × 3 is no graph")] {
        let error = load_as(Npz, &fixture(name), |_| {}).unwrap_err();
        assert!(error.message.contains(part), "{error}");
    }
    let small = |options: &mut ReadOptions<'_>| options.max_bytes = 1000;
    assert_eq!(load_as(Npz, &fixture("m-csr.npz"), small).unwrap_err().code, DoesNotFit);
}

#[test]
fn links_by_place_and_two_lists_of_links_are_refused() {
    let nodes = r#""nodes": [{"id": "Myriel"}, {"id": "Napoleon"}]"#;
    let read = |nodes: &str, links: &str| {
        load_as(NodeLink, format!("{{{nodes}, {links}}}").as_bytes(), |_| {})
    };
    let error = read(nodes, r#""links": [{"source": 1, "target": 0}]"#).unwrap_err();
    assert_eq!(error.message, "the links refer to nodes by their places, from 0");
    // These numbers are no places, or are declared.
    assert!(read(nodes, r#""links": [{"source": 7, "target": "Myriel"}]"#).is_ok());
    let numbers = r#""nodes": [{"id": 0}, {"id": "Napoleon"}]"#;
    assert!(read(numbers, r#""links": [{"source": 1, "target": 0}]"#).is_ok());
    let both = r#""links": [{"source": 1, "target": 0}], "edges": []"#;
    let error = read(numbers, both).unwrap_err();
    assert!(error.message.contains("a second list"), "{error}");
}

#[test]
fn weights_follow_the_attribute_that_is_wanted() {
    let json = br#"{"nodes": [], "links": [
        {"source": "a", "target": "b", "Length": 2.0, "toll": 7},
        {"source": "b", "target": 3, "Length": null, "toll": "8"}]}"#;
    let wanted = |weight| {
        let edges = EdgeFields { weight: Some(weight), ..EdgeFields::default() };
        move |options: &mut ReadOptions<'_>| options.edges = edges
    };
    let error = load_as(NodeLink, json, |_| {}).unwrap_err();
    assert_eq!(error.message, "link 2: missing weight");
    let one = |options: &mut ReadOptions<'_>| {
        options.fields = FieldRules { empty: Some("1"), ..FieldRules::default() };
    };
    let (graph, loaded) = load_as(NodeLink, json, one).unwrap();
    assert_eq!(named(&graph).1, ["a b 2", "b 3 1"]);
    assert_eq!(loaded.notes, ["the weights are in the attribute `Length`"]);
    assert!(loaded.assumes_arcs);
    let (graph, _) = load_as(NodeLink, json, wanted("toll")).unwrap();
    assert_eq!(named(&graph).1, ["a b 7", "b 3 8"]);
    assert!(!load_as(NodeLink, json, wanted("none")).unwrap().0.weighted);
    let xml = b"<graphml><key id='k' for='edge' attr.name='toll'><default>4</default></key>\
        <graph edgedefault='directed'><node id='a'/><edge source='a' target='b' directed='false'/>\
        <edge source='b' target='a'><data key='k'>5</data></edge></graph></graphml>";
    let (graph, loaded) = load_as(GraphMl, xml, wanted("toll")).unwrap();
    assert_eq!(named(&graph).1, ["a b 4", "b a 4", "b a 5"]);
    assert!(loaded.notes.iter().any(|note| note.contains("two arcs each")), "{:?}", loaded.notes);
}

#[test]
fn weights_have_one_attribute_and_one_value() {
    let wanted = |options: &mut ReadOptions<'_>| options.edges.weight = Some("lenght");
    let links = |links: &str| format!("{{\"directed\": true, \"links\": [{links}]}}");
    let json = links(r#"{"source": "a", "target": "b", "km": 10}"#);
    let xml = "<graphml><key id='d' for='edge' attr.name='km'/><graph edgedefault='directed'>\
        <edge source='a' target='b'><data key='d'>10</data></edge></graph></graphml>";
    let gml = "graph [ directed 1 edge [ source a target b km 10 ] ]";
    for (format, text) in [(NodeLink, &*json), (GraphMl, xml), (Gml, gml)] {
        let error = load_as(format, text.as_bytes(), wanted).unwrap_err();
        assert!(error.message.contains("no arc has the weight `lenght`"), "{error}");
        assert_eq!(named(&load_as(format, text.as_bytes(), |_| {}).unwrap().0).1, ["a b 10"]);
    }
    let error = load_as(EdgeList, b"a b {'weight': 3}\n", wanted).unwrap_err();
    assert!(error.message.contains("no arc has the weight `lenght`"), "{error}");
    // The attribute of the first edge is that of all; no other replaces it.
    let mixed = links(
        r#"{"source": 1, "target": 2, "w": 1, "cost": 7}, {"source": 2, "target": 1, "cost": 2}"#,
    );
    let error = load_as(NodeLink, mixed.as_bytes(), |_| {}).unwrap_err();
    assert_eq!(error.message, "link 2: missing weight");
    let twice = links(r#"{"source": 1, "target": 2, "weight": 3, "weight": 4}"#);
    let xml = xml.replace("</data>", "</data><data key='d'>11</data>");
    let gml = gml.replace("km 10", "km 10 km 11");
    for (format, text) in [(NodeLink, twice), (GraphMl, xml), (Gml, gml)] {
        let error = load_as(format, text.as_bytes(), |_| {}).unwrap_err();
        assert!(error.message.contains("two values of"), "{error}");
    }
}

#[test]
fn texts_of_graphml_are_whole() {
    let edge = |data: &str| {
        format!(
            "<graphml><key id='d' for='edge' attr.name='weight'><default>{data}</default></key>\
             <graph edgedefault='directed'><edge source='a' target='b'><data key='d'>{data}</data>\
             </edge><edge source='b' target='a'/></graph></graphml>"
        )
    };
    for (data, weight) in [
        ("<![CDATA[40]]>", 40),
        ("1&#48;0", 100),
        ("3<!-- x -->4", 34),
        (" 1<![CDATA[2]]>3\n", 123),
    ] {
        let (graph, _) = load_as(GraphMl, edge(data).as_bytes(), |_| {}).unwrap();
        let expected = [format!("a b {weight}"), format!("b a {weight}")];
        assert_eq!(named(&graph).1, expected, "{data}");
    }
}

#[test]
fn vertices_may_follow_their_edges() {
    let gml = "graph [ edge [ source 1 target 2 ] node [ id 2 label \"b\" ] \
        node [ id 1 label \"a\" ] directed 1 ]";
    let xml = "<graph edgedefault='directed'><edge source='a' target='b'/><node id='b'/>\
        <node id='a'/></graph>";
    let json = "{\"links\": [{\"source\": \"a\", \"target\": \"b\"}], \"directed\": true, \
        \"nodes\": [{\"id\": \"b\"}, {\"id\": \"a\"}]}";
    for (format, text) in [(Gml, gml), (GraphMl, xml), (NodeLink, json)] {
        let (graph, loaded) = load_as(format, text.as_bytes(), |_| {}).unwrap();
        assert_eq!(named(&graph).1, ["a b 1"], "{text}");
        assert!(!graph.symmetric && loaded.notes.is_empty(), "{:?}", loaded.notes);
        let without = text
            .replace("node [ id 1 label \"a\" ]", "")
            .replace("<node id='a'/>", "")
            .replace(", {\"id\": \"a\"}", "");
        let (graph, loaded) = load_as(format, without.as_bytes(), |_| {}).unwrap();
        assert_eq!(graph.n_vertices, 2);
        assert!(loaded.notes.concat().contains("only at the ends of edges"), "{:?}", loaded.notes);
    }
}

#[test]
fn labels_that_are_no_names_have_a_reason() {
    for (labels, reason) in [
        (["a", "a"], "2 vertices have 1 different labels"),
        (["a\tb", "c"], "a label is empty or has a control character"),
    ] {
        let [a, b] = labels;
        let gml = format!("graph [ node [ id 1 label \"{a}\" ] node [ id 2 label \"{b}\" ] ]");
        let pajek = format!("*Vertices 2\n1 \"{a}\"\n2 \"{b}\"\n*arcs :1\n1 2\n*arcs :2\n2 1\n");
        let (_, loaded) = load_as(Gml, gml.as_bytes(), |_| {}).unwrap();
        assert_eq!(loaded.notes, [format!("the names are the ids: {reason}")]);
        let (_, loaded) = load_as(Pajek, pajek.as_bytes(), |_| {}).unwrap();
        assert_eq!(loaded.notes[0], format!("the names are the numbers: {reason}"));
        assert_eq!(loaded.notes[1], "the arcs of 2 relations are read as one graph");
    }
}

#[test]
fn pajek_lists_and_unlabelled_vertices_are_read() {
    let text = "%c\n*Vertices 4\n1 \"a b\"\n2 x\n3 x\n*Arcslist\n1 2 3\n*edgeslist\n4 1\n";
    let (graph, notes) = graph(Pajek, text);
    assert_eq!(arcs(&graph), [(0, 1, 1), (0, 2, 1), (3, 0, 1), (0, 3, 1)]);
    assert!(graph.names.is_none() && !graph.weighted);
    assert!(notes.iter().any(|note| note.contains("3 of 4 vertices have a label")), "{notes:?}");
    let (edges, _) = crate::support::graph(Pajek, "*Vertices 2\n*Edges\n1 2 3.0\n");
    assert_eq!((arcs(&edges), edges.symmetric), (vec![(0, 1, 3)], true));
}

#[test]
fn numbers_in_json_are_exact() {
    let json = br#"{"nodes": [{"id": 18446744073709551616}, {"id": 25.50}, {"id": 1e3}], "links": [
        {"source": 25.5, "target": 1000, "weight": 9007199254740993.0},
        {"source": 1000.0, "target": 18446744073709551616, "weight": -9223372036854775808}]}"#;
    let (graph, _) = load_as(NodeLink, json, |_| {}).unwrap();
    let expected = ["1000 18446744073709551616 -9223372036854775808", "25.5 1000 9007199254740993"];
    assert_eq!(named(&graph).1, expected);
    let hundred = |options: &mut ReadOptions<'_>| options.scale = Decimal::parse("100");
    let json = br#"{"links": [{"source": 1, "target": 2, "weight": 90071992547409.93}]}"#;
    assert_eq!(named(&load_as(NodeLink, json, hundred).unwrap().0).1, ["1 2 9007199254740993"]);
}

#[test]
fn damaged_networks_are_rejected_at_their_place() {
    refuses(
        NodeLink,
        &[
            (b"", Truncated, 1, 1, "the file ends"),
            (b"[]", BadFormat, 1, 1, "expected an object"),
            (b"{}", BadFormat, 1, 1, "no member `links`"),
            (b"{\"links\": [{\"source\": 1}]}", BadFormat, 1, 24, "a link needs `target`"),
            (b"{\"nodes\": [{\"id\": 1},\n{\"id\": 1}]}", BadFormat, 2, 9, "a second vertex `1`"),
            (b"{\"nodes\": [{\"id\": []}]}", BadFormat, 1, 21, "a node needs an `id`"),
            (b"{\"nodes\": [{\"id\": 1e19}]}", BadFormat, 1, 23, "too large for a name"),
            (b"{\"nodes\": [{\"id\": \"\\ud800\"}]}", BadFormat, 1, 27, "hex escape"),
            (b"{\"links\": [}", BadFormat, 1, 12, "expected value"),
        ],
    );
    let deep = [b"{\"x\": ".to_vec(), vec![b'['; 100_000]].concat();
    assert_eq!(load_as(NodeLink, &deep, |_| {}).unwrap_err().code, BadFormat);
    refuses(
        GraphMl,
        &[
            (b"", Truncated, 1, 1, "no element `graph`"),
            (b"<graph>", Truncated, 1, 8, "inside of an element"),
            (b"<graph><node/></graph>", BadFormat, 1, 8, "needs the attribute `id`"),
            (
                b"<graph>\n <node id='a'/><node id='a'/></graph>",
                BadFormat,
                2,
                16,
                "second vertex `a`",
            ),
            (b"<graph><graph/></graph>", BadFormat, 1, 8, "a second graph"),
            (b"<graph><hyperedge/></graph>", BadFormat, 1, 8, "hyperedges"),
            (b"<graph></grap>", BadFormat, 1, 8, "grap"),
            (
                b"<graph><edge source='1' target='2'><data key='w'>&x;</data></edge></graph>",
                BadFormat,
                1,
                50,
                "unknown entity `x`",
            ),
            (b"<graph><node id='&x;'/></graph>", BadFormat, 1, 8, "unrecognized entity `x`"),
        ],
    );
    refuses(
        Gml,
        &[
            (b"", Truncated, 1, 1, "no list"),
            (b"graph [", Truncated, 1, 8, "inside of a list"),
            (b"graph [\n node [ label \"a\" ] ]", BadFormat, 2, 2, "a node needs an `id`"),
            (b"graph [ edge [ source 1 ] ]", BadFormat, 1, 9, "an edge needs"),
            (b"graph [ node [ id 1 ] node [ id 1 ] ]", BadFormat, 1, 35, "second vertex `1`"),
            (b"graph [ ] ]", BadFormat, 1, 11, "`]` without"),
            (b"graph [ label \"a ]", Truncated, 1, 15, "closing quote"),
            (b"graph [ directed 2 ]", BadFormat, 1, 9, "expected `directed 0`"),
            (b"graph [ directed \"1\" ]", BadFormat, 1, 9, "expected `directed 0`"),
        ],
    );
    let deep = [b"graph [ ".to_vec(), b"a [ ".repeat(10_000)].concat();
    assert!(load_as(Gml, &deep, |_| {}).unwrap_err().message.contains("nested too deeply"));
    refuses(
        Pajek,
        &[
            (b"", Truncated, 1, 1, "no line `*Vertices`"),
            (b"1 2\n", BadFormat, 1, 1, "before the first line"),
            (b"*Vertices 99999\n", HeaderLies, 1, 1, "more than the file can hold"),
            (b"*Vertices 2\n*Arcs\n1 3\n", BadFormat, 3, 3, "a vertex from 1 to 2, found `3`"),
            (b"*Vertices 2\n*Arcs\n1\n", BadFormat, 3, 2, "a second vertex"),
            (b"*Vertices 2\n*Arcs\n1 2 x\n", BadFormat, 3, 5, "as the weight, found `x`"),
            (b"*Vertices 2\n*Matrix\n", BadFormat, 2, 1, "unsupported section `*Matrix`"),
            (b"*Vertices 1\n1 \"a", BadFormat, 2, 3, "closing quote"),
            (b"*Vertices 2\n1 \"a\"\n 1 \"b\"\n", BadFormat, 3, 2, "a second vertex `1`"),
            (b"*Vertices 2\n2\n02\n", BadFormat, 3, 1, "a second vertex `2`"),
        ],
    );
}

#[test]
fn written_networks_are_read_again() {
    let texts = Texts::of(["Oslo", "a \"b\", c", "<&>", "x;y", "7"].map(str::to_owned));
    let arcs = vec![
        Arc { tail: 0, head: 1, weight: 5 },
        Arc { tail: 2, head: 1, weight: -6 },
        Arc { tail: 3, head: 4, weight: 0 },
        Arc { tail: 0, head: 1, weight: 5 },
    ];
    let names = Some(VertexNames::Texts(texts));
    let base = Graph { n_vertices: 5, arcs, weighted: true, names, ..Graph::default() };
    let numbers = Some(VertexNames::Numbers(vec![4, 8, 15, 16, 23]));
    // A reader takes the vertices for numbers if those of the first edge look like them.
    let like_numbers = Texts::of(["02", "2", "1.5", "-3", "b"].map(str::to_owned));
    for graph in [
        base.clone(),
        Graph { names: Some(VertexNames::Texts(like_numbers)), ..base.clone() },
        Graph { symmetric: true, ..base.clone() },
        Graph { names: None, ..base.clone() },
        Graph { names: numbers, ..base.clone() },
    ] {
        for format in [NodeLink, GraphMl, Csv, EdgeList] {
            let mut bytes = Vec::new();
            write(format, OutputRef::Graph(&graph), &mut bytes).unwrap();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let undirected = graph.symmetric && matches!(format, Csv | EdgeList);
            let direction = Direction { undirected, reverse: false };
            let read = load_as(format, &bytes, |options| options.direction = direction);
            let (found, _) = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
            if format == EdgeList && graph.symmetric {
                continue; // both directions are written
            }
            assert_eq!(named(&found).1, named(&graph).1, "{text}");
            assert_eq!((found.symmetric, found.weighted), (graph.symmetric, true), "{text}");
            if matches!(format, NodeLink | GraphMl) {
                assert_eq!(named(&found).0, named(&graph).0, "{text}");
                assert_eq!(found.names, graph.names, "{text}");
            }
        }
    }
    let plain = Graph { weighted: false, ..base };
    let mut bytes = Vec::new();
    write(Csv, OutputRef::Graph(&plain), &mut bytes).unwrap();
    assert!(bytes.starts_with(b"from,to\nOslo,\"a \"\"b\"\", c\"\n"), "{bytes:?}");
    for format in [Gml, Pajek] {
        assert!(write(format, OutputRef::Graph(&plain), &mut Vec::new()).is_err());
    }
    assert!(write(MatrixMarket, OutputRef::Graph(&plain), &mut Vec::new()).is_ok());
}

#[test]
fn networks_stay_within_their_budget() {
    for name in ["directed.json", "directed.graphml", "directed.gml", "directed.net"] {
        let (bytes, format) = (fixture(name), Format::of_path(name).unwrap());
        for max_bytes in [0, 100, bytes.len() as u64, bytes.len() as u64 + 500] {
            let error = load_as(format, &bytes, |options| options.max_bytes = max_bytes);
            assert_eq!(error.unwrap_err().code, DoesNotFit, "{name}");
        }
    }
}

#[test]
fn contradictory_declarations_are_refused() {
    let xml = |default: &str, directed: &str| {
        format!(
            "<graphml><graph edgedefault='{default}'><edge source='a' target='b' {directed}/>\
                </graph></graphml>"
        )
    };
    let json = |members: &str, link: &str| {
        format!("{{{members}\"links\": [{{{link}\"source\": 1, \"target\": 2}}]}}")
    };
    for (format, text, expected) in [
        (GraphMl, xml("Undirected", ""), "`directed` or `undirected` as `edgedefault`"),
        (GraphMl, xml("directed", "directed='False'"), "`true` or `false` as `directed`"),
        (NodeLink, json("", "\"source\": 3, "), "a link with two members `source`"),
        (
            NodeLink,
            json("\"directed\": true, \"directed\": false, ", ""),
            "a second member `directed`",
        ),
        (
            NodeLink,
            json("\"nodes\": [{\"id\": 1, \"id\": 2}], ", ""),
            "a node with two members `id`",
        ),
        (Pajek, "*Arcs\n1 2\n".to_owned(), "expected `*Vertices` before `*Arcs`"),
        (Pajek, "*Vertices 99999999999\n".to_owned(), "more than the file can hold"),
    ] {
        let error = load_as(format, text.as_bytes(), |_| {}).unwrap_err();
        assert!(error.message.contains(expected), "{text}: {error}");
    }
    assert!(load_as(GraphMl, xml("directed", "directed='false'").as_bytes(), |_| {}).is_ok());
    // An undirected loop among arcs has one direction.
    let mixed = b"*Vertices 2\n*Edges\n1 1\n1 2\n*Arcs\n2 1\n";
    let (graph, loaded) = load_as(Pajek, mixed, |_| {}).unwrap();
    let notes = loaded.notes;
    assert_eq!(arcs(&graph).len(), 4);
    assert!(notes.iter().any(|note| note.contains("1 edge without direction")), "{notes:?}");
}
