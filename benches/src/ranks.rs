//! Programs on several ranks over MPI: `star-ranks` as processes of `mpirun`.

use crate::commands::Folder;
use crate::plain_loop::Streams;
use crate::results::Figure;

/// Repetitions of a search in a run.
const TIMES: usize = 20;

/// Repetitions of a search on graphics cards.
const TIMES_ON_CARDS: usize = 4000;

/// The maximum number of rows of a table on a graphics card.
const MOST_ON_CARD: usize = i32::MAX as usize;

/// The columns of a table of random numbers.
const COLUMNS: usize = 32;

const CLOSE: &str = "import \"star:closure\";
program CLOSE(n: integer; P: table); begin WARSHALL(n,P); print(NUMB(COL(1,P))) end.";

const MATCHES: &str = "program MATCHES(times: integer; T: table(n,k));
var X,Z: slice(n); v: word(k); t,c: integer;
begin
  SET(X); c:=0;
  for t:=1 to times do begin v:=ROW(t,T); MATCH(T,X,v,Z); c:=c+NUMB(Z) end;
  print(c)
end.";

const THREE: &str = "program THREE(times: integer; T: table(n,k));
var X,Y,Z: slice(n); u,v: word(k); t,c: integer;
begin
  SET(X); c:=0;
  for t:=1 to times do
  begin
    u:=ROW(t,T); v:=ROW(t+1,T);
    LESS(T,X,u,Y); GREAT(T,Y,v,Z); LESS(T,Z,u,Y);
    c:=c+NUMB(Y)
  end;
  print(c)
end.";

/// Searches of a random graph, from the tails of some arcs.
const GRAPHS: &str = "import \"star:arcs\";
procedure LEVELS(n,times: integer; left,right: table(m,b));
var S: slice(m); Dist: table; t: integer;
begin
  SET(S);
  for t:=1 to times do BFS(INT(ROW(t,left)),n,true,left,right,S,Dist);
  print(NUMB(COL(1,Dist)))
end;
procedure PATHS(n,times: integer; left,right: table(m,b); weight: table(m));
var S: slice(m); Dist: table; t: integer;
begin
  SET(S);
  for t:=1 to times do SSSP(INT(ROW(t,left)),n,40,true,left,right,weight,S,Dist);
  print(NUMB(COL(1,Dist)))
end;
procedure LABELS(n,times: integer; left,right: table(m,b));
var S: slice(m); Label: table; t: integer;
begin
  SET(S);
  for t:=1 to times do COMPONENTS(n,left,right,S,Label);
  print(NUMB(COL(1,Label)))
end;
procedure PARTS(left,right,weight: table; var L,R,W: table);
begin L:=left; R:=right; W:=weight end;";

/// Repetitions of a search in a graph, of which the first groups the arcs.
const SEARCHES: usize = 8;

const COUNTS: &str = "program COUNTS(times: integer; T: table);
var X: slice(T); t,c: integer;
begin
  X:=COL(1,T); c:=0;
  for t:=1 to times do begin X(t):=1; c:=c+NUMB(X) end;
  print(c)
end.";

const ROWS: &str = "program ROWS(times: integer; T: table);
var t,c: integer;
begin
  c:=0;
  for t:=1 to times do c:=c+NUMB(ROW(t,T));
  print(c)
end.";

/// Returns 1, 2, 4 and so on, up to the number of cores.
fn numbers_of_ranks() -> Vec<usize> {
    numbers_up_to(std::thread::available_parallelism().map_or(1, usize::from)).collect()
}

/// Returns 1, 2, 4 and so on, up to a number.
fn numbers_up_to(most: usize) -> impl Iterator<Item = usize> {
    (0..).map(|exponent| 1 << exponent).take_while(move |n| *n <= most)
}

/// Measures `WARSHALL` as written, on a random graph with `n` vertices and arc density ½; `each`
/// takes every figure as soon as it is measured.
///
/// # Errors
/// If there is no `mpirun` or `star-ranks`, or one of them fails.
pub(crate) fn closure(n: usize, each: &mut dyn FnMut(Figure)) -> Result<(), String> {
    let folder = Folder::new()?;
    folder.write("close.star", CLOSE)?;
    folder.run(&format!("gen table --rows {n} --widths {} --seed 1 -o p.stb", widths(n)))?;
    let arguments = format!("close.star n={n} P=p.stb --no-intrinsics");
    of_ranks(&folder, "WARSHALL", ("n", n), (1, None), &arguments, each)
}

/// Measures `WARSHALL` as written on 1, 2, 4, … ranks with a graphics card each, as [`closure`]
/// does.
///
/// # Errors
/// As for [`closure`], or if there is no card.
pub(crate) fn closure_on_cards(n: usize, each: &mut dyn FnMut(Figure)) -> Result<(), String> {
    let card = crate::gpu::card()?;
    let ranks: Vec<usize> = numbers_up_to(n_cards()).collect();
    let folder = Folder::new()?;
    let each = &mut |figure| each(Figure { note: card.clone(), ..figure });
    folder.write("close.star", CLOSE)?;
    folder.run(&format!("gen table --rows {n} --widths {} --seed 1 -o p.stb", widths(n)))?;
    let arguments = format!("close.star n={n} P=p.stb --no-intrinsics --backend gpu");
    measured(&folder, "WARSHALL", ("n", n), (1, None), &arguments, &ranks, each)
}

/// Measures MATCH on 1, 2, 4, … ranks with a graphics card each, as [`closure`] does.
///
/// # Errors
/// As for [`closure`], or if there is no card.
pub(crate) fn searches_on_cards(
    rows: &[usize],
    each: &mut dyn FnMut(Figure),
) -> Result<(), String> {
    let card = crate::gpu::card()?;
    let ranks: Vec<usize> = numbers_up_to(n_cards()).collect();
    let folder = Folder::new()?;
    let each = &mut |figure| each(Figure { note: card.clone(), ..figure });
    folder.write("search.star", MATCHES)?;
    for &n_rows in rows {
        folder.run(&format!("gen table --rows {n_rows} --widths {COLUMNS} --seed 1 -o t.stb"))?;
        let arguments = |times| format!("search.star times={times} T=t.stb --backend gpu");
        let mut one = None;
        for &n in ranks.iter().filter(|n| n_rows.div_ceil(**n) < MOST_ON_CARD) {
            // The start of a card, and the way of the table to it, are no part of a search. The
            // first run translates the kernels.
            folder.run_of_ranks(n, &arguments(1))?;
            let once = folder.run_of_ranks(n, &arguments(1))?;
            let all = folder.run_of_ranks(n, &arguments(1 + TIMES_ON_CARDS))?;
            let seconds = (all - once) / TIMES_ON_CARDS as f64;
            each(compared("MATCH", ("rows", n_rows), (n, seconds), &mut one, None));
        }
    }
    Ok(())
}

/// Returns the number of graphics cards of this host that the driver of NVIDIA lists, at least 1.
fn n_cards() -> usize {
    let devices = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let names = devices.map(|device| device.file_name().to_string_lossy().into_owned());
    let is_card = |name: &String| {
        let number = name.strip_prefix("nvidia");
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    names.filter(is_card).count().max(1)
}

/// Returns widths of fields that make `n` columns.
fn widths(n: usize) -> String {
    vec!["32"; n / 32].join(",")
}

/// Measures MATCH, and three predicates, on random numbers, as [`closure`] does.
///
/// # Errors
/// As for [`closure`].
pub(crate) fn searches(n_rows: usize, each: &mut dyn FnMut(Figure)) -> Result<(), String> {
    let folder = Folder::new()?;
    folder.run(&format!("gen table --rows {n_rows} --widths {COLUMNS} --seed 1 -o t.stb"))?;
    for (name, text, passes) in [("MATCH", MATCHES, 1), ("three predicates", THREE, 3)] {
        folder.write("search.star", text)?;
        let streams = Streams { read: passes * COLUMNS + 1, written: 1 };
        let arguments = format!("search.star times={TIMES} T=t.stb");
        let size = ("rows", n_rows);
        of_ranks(&folder, name, size, (TIMES, Some(streams)), &arguments, each)?;
    }
    Ok(())
}

/// Measures some searches in an R-MAT graph with 2^`scale` vertices and 16 edges for each, as
/// [`closure`] does. Each rank reads its rows of the tables of arcs.
///
/// # Errors
/// As for [`closure`].
pub(crate) fn graphs(
    scale: u32,
    searches: &[&str],
    each: &mut dyn FnMut(Figure),
) -> Result<(), String> {
    let folder = Folder::new()?;
    folder.write("graphs.star", GRAPHS)?;
    let options = "--keep-repeats --shuffle --max-weight 1000 --seed 1 -q -o graph.gr";
    folder.run(&format!("gen rmat --scale {scale} {options}"))?;
    let outputs = "--out L=left.stb --out R=right.stb --out W=weight.stb";
    folder.run(&format!("run graphs.star --proc PARTS --graph graph.gr {outputs}"))?;
    let n = 1_usize << scale;
    for name in searches {
        let (proc, weight) = match *name {
            "BFS" => ("LEVELS", ""),
            "SSSP" => ("PATHS", "weight=weight.stb"),
            _ => ("LABELS", ""),
        };
        let tables = format!("left=left.stb right=right.stb {weight}");
        let arguments = format!("graphs.star --proc {proc} n={n} times={SEARCHES} {tables}");
        of_ranks(&folder, name, ("n", n), (SEARCHES, None), &arguments, each)?;
    }
    Ok(())
}

/// Measures iterations with one exchange: the reduction of a count, and the broadcast of a row of
/// 640 bytes. With one rank, there is no exchange.
///
/// # Errors
/// As for [`closure`].
pub(crate) fn exchanges(each: &mut dyn FnMut(Figure)) -> Result<(), String> {
    let (folder, n_rows, times) = (Folder::new()?, 1 << 16, 20_000);
    folder
        .run(&format!("gen table --rows {n_rows} --widths {} --seed 1 -o t.stb", widths(5120)))?;
    for (name, text) in [("NUMB and its exchange", COUNTS), ("ROW and its exchange", ROWS)] {
        folder.write("exchanges.star", text)?;
        for n in numbers_of_ranks() {
            let arguments = format!("exchanges.star times={times} T=t.stb");
            let seconds = folder.run_of_ranks(n, &arguments)? / f64::from(times);
            each(Figure { threads: n, ..Figure::new(name, ("rows", n_rows), seconds, &[]) });
        }
    }
    Ok(())
}

/// Measures a program on 1, 2, 4, … ranks: the time of one of its repetitions, compared with that
/// of one rank divided by their number, and, for a search, with a plain loop over its columns.
fn of_ranks(
    folder: &Folder,
    name: &str,
    (unit, size): (&str, usize),
    (times, streams): (usize, Option<Streams>),
    arguments: &str,
    each: &mut dyn FnMut(Figure),
) -> Result<(), String> {
    measured(folder, name, (unit, size), (times, streams), arguments, &numbers_of_ranks(), each)
}

/// Does the same on these numbers of ranks.
fn measured(
    folder: &Folder,
    name: &str,
    (unit, size): (&str, usize),
    (times, streams): (usize, Option<Streams>),
    arguments: &str,
    ranks: &[usize],
    each: &mut dyn FnMut(Figure),
) -> Result<(), String> {
    let mut one = None;
    for &n in ranks {
        let seconds = folder.run_of_ranks(n, arguments)? / times as f64;
        each(compared(name, (unit, size), (n, seconds), &mut one, streams));
    }
    Ok(())
}

/// Compares the time of a repetition on `n` ranks with that of one rank, which comes first if there
/// is one.
fn compared(
    name: &str,
    (unit, size): (&str, usize),
    (n, seconds): (usize, f64),
    one: &mut Option<f64>,
    streams: Option<Streams>,
) -> Figure {
    if n == 1 {
        *one = Some(seconds);
    }
    let ideal = one.map(|one| one / n as f64);
    let ideal = ideal.map(|seconds| ("one rank, divided by their number", seconds));
    let mut peers: Vec<_> = ideal.into_iter().collect();
    if let Some(streams) = streams {
        let bytes = (streams.read + streams.written) as f64 * size as f64 / 8.0;
        peers.push(("a plain loop on as many threads", bytes / streams.speed(size, n) / 1e9));
    }
    let ratio = ideal.map(|(_, ideal)| ideal / seconds);
    Figure { threads: n, ratio, ..Figure::new(name, (unit, size), seconds, &peers) }
}
