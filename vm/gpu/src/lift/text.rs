//! The kernel of a loop, as WGSL.

use std::collections::HashMap;
use std::fmt::Write as _;

use star_ir::{LogicOp, VarId};
use star_shaders::{Limb, Shader};

use super::{Line, Node, Port};

/// Most ports of a kernel: their words fit behind those that every kernel is given.
pub(super) const MOST_PORTS: usize = 8;
/// The first word of what a kernel is given that belongs to a port.
pub(crate) const FIRST_PORT: usize = 16;
/// Threads of a workgroup along a column, and over columns.
pub(crate) const ACROSS: u32 = 32;
pub(crate) const DOWN: u32 = 8;
/// Columns of a thread: what it reads of one does not wait for another.
pub(crate) const SHARE: u32 = 4;
/// Most turns of a dispatch.
pub(crate) const TURNS: u32 = 4;

/// Stands for the number of the column of a thread in names.
const COLUMN: &str = "#";

/// A kernel that is being written.
pub(super) struct Text<'n> {
    nodes: &'n [Node],
    target: VarId,
    line: Line,
    ports: Vec<Port>,
    /// The names of values along these lines.
    values: HashMap<(usize, Line), String>,
    /// Where they are made.
    lets: String,
    /// Does a turn look at its column of the target, and at its row?
    pivots: [bool; 2],
}

/// In front of every kernel: its memory, what it is given, a bit for every limb.
const HEAD: &str = "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
fn everywhere(limb: u32, place: u32) -> u32 { return 0u - ((limb >> (place & 31u)) & 1u); }
fn bit(at: u32, place: u32) -> u32 { return everywhere(load(at + (place >> 5u)), place); }
fn below(n: u32, x: u32) -> u32 {
  let start = 32u * x;
  if (n >= start + 32u) { return 0xffffffffu; }
  if (n <= start) { return 0u; }
  return (1u << (n - start)) - 1u;
}
";

impl<'n> Text<'n> {
    pub(super) fn new(nodes: &'n [Node], target: VarId, line: Line) -> Self {
        let (ports, values) = (Vec::new(), HashMap::new());
        Text { nodes, target, line, ports, values, lets: String::new(), pivots: [false; 2] }
    }

    /// The words that a port begins with: of a table where it lies, and from one column to the next.
    fn port(&mut self, port: Port) -> [String; 2] {
        let mut at = FIRST_PORT;
        for known in &self.ports {
            if *known == port {
                return [word(at), word(at + 1)];
            }
            at += known.words();
        }
        self.ports.push(port);
        [word(at), word(at + 1)]
    }

    /// The name of a limb of a value that runs along rows or columns: components of a row stand for columns. `None` if it
    /// runs the other way.
    pub(super) fn limb(&mut self, node: usize, along: Line) -> Option<String> {
        if let Some(known) = self.values.get(&(node, along)) {
            return Some(known.clone());
        }
        let expression = match self.nodes[node] {
            Node::Own(table) => {
                (along == self.line).then_some(())?;
                if table == self.target {
                    "before".to_owned()
                } else {
                    let [at, stride] = self.port(Port::Table(table));
                    format!("load({at} + j * {stride} + x)")
                }
            }
            Node::Pivot(line, table) => {
                (line == along).then_some(())?;
                if table == self.target {
                    self.pivots[usize::from(line == Line::Row)] = true;
                    match line {
                        Line::Column => "column".to_owned(),
                        Line::Row => "row".to_owned(),
                    }
                } else {
                    let [at, stride] = self.port(Port::Table(table));
                    match line {
                        Line::Column => format!("load({at} + k * {stride} + x)"),
                        Line::Row => format!("bit({at} + j * {stride}, k)"),
                    }
                }
            }
            Node::Outer(var) => {
                let [at, _] = self.port(Port::Bits(var, along));
                match along {
                    Line::Column => format!("load({at} + x)"),
                    Line::Row => format!("bit({at}, j)"),
                }
            }
            Node::Constant(bit) => {
                let limb = if bit { "0xffffffffu" } else { "0u" };
                limb.to_owned()
            }
            Node::Not(of) => format!("~{}", self.limb(of, along)?),
            Node::Logic(op, left, right) => {
                let (left, right) = (self.limb(left, along)?, self.limb(right, along)?);
                let sign = match op {
                    LogicOp::And => "&",
                    LogicOp::Or => "|",
                    LogicOp::Xor => "^",
                };
                format!("{left} {sign} {right}")
            }
        };
        let way = if along == Line::Row { "r" } else { "c" };
        let name = format!("v{node}{way}");
        let _ = writeln!(self.lets, "  let {name} = {expression};");
        self.values.insert((node, along), name.clone());
        Some(name)
    }

    /// The iterations of a range, as a limb.
    pub(super) fn range(&self) -> String {
        match self.line {
            Line::Row => "(below(upto, x) & ~below(start, x))".to_owned(),
            Line::Column => "select(0u, 0xffffffffu, j >= start && j < upto)".to_owned(),
        }
    }

    /// The whole text, for so many turns a dispatch, and its ports. Iterations are where `some` has ones, and their lines
    /// become `made`.
    pub(super) fn kernel(self, some: &str, made: &str, turns: u32) -> (Shader, Vec<Port>) {
        let Text { ports, lets, line, pivots, .. } = self;
        let pivots = Pivots { turns, looked_at: pivots };
        let (shared, of_column) = (pivots.shared(), pivots.of_column());
        let cells: String = (0..turns)
            .map(|t| {
                format!(
                    "  let made#_{t} = turn(after#, x, j#, k{t}, {}, {});
  if ({t}u < turns) {{ after# = made#_{t}.x; some# += countOneBits(made#_{t}.y{}); }}
",
                    pivots.column(t),
                    pivots.row(t),
                    if line == Line::Row { "" } else { " & 1u" }
                )
            })
            .collect();
        let count = match line {
            Line::Row => "  if (j# == 0u) { store(counts + x, load(counts + x) + some#); }\n",
            Line::Column => {
                "  if (x == 0u && j# < columns) { store(counts + j#, load(counts + j#) + some#); }\n"
            }
        };
        let loads = format!(
            "  let j# = thread.y * {SHARE}u + #u;
  let at# = table + j# * stride + x;
  let before# = load(at#);
{of_column}"
        );
        let makes = format!("  var after# = before#; var some# = 0u;\n{cells}");
        let kept = pivots.kept();
        let stores = format!(
            "  if (j# < columns) {{
    if (after# != before#) {{ store(at#, after#); }}
{kept}  }}
{count}"
        );
        let all = |text: &str| -> String {
            (0..SHARE).map(|column| text.replace(COLUMN, &column.to_string())).collect()
        };
        let (loads, makes, stores) = (all(&loads), all(&makes), all(&stores));
        let ks: String = (0..turns)
            .map(|t| format!("  let k{t} = given[1].x + step * min({t}u, max(turns, 1u) - 1u);\n"))
            .collect();
        let body = format!(
            "{HEAD}
fn turn(before: u32, x: u32, j: u32, k: u32, column: u32, row: u32) -> vec2<u32> {{
  let start = given[3].y; let upto = given[3].z;
{lets}  let some = {some} & below(given[0].z, x);
  return vec2<u32>(({made} & some) | (before & ~some), some);
}}
@compute @workgroup_size({ACROSS}, {DOWN})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {{
  let table = given[0].x; let stride = given[0].y; let columns = given[0].w; let limbs = (given[0].z + 31u) >> 5u;
  let step = given[1].y; let turns = given[1].z; let next = given[1].w; let n_next = given[3].w;
  let column_in = given[2].x; let column_out = given[2].y; let row_in = given[2].z; let row_out = given[2].w;
  let counts = given[3].x;
  let x = thread.x;
  if (x >= limbs) {{ return; }}
{ks}{shared}{loads}{makes}{stores}}}
"
        );
        (Shader { limb: Limb::Word, body }, ports)
    }
}

/// Note [Several turns a dispatch]. What each turn of a dispatch looks at of the table, its column and its row, lies beside it as it was before the first of them. A
/// thread makes of it what the earlier turns leave there: turn `s` makes column `k_t` of the column of turn `s` and of the bit of
/// row `k_s` in column `k_t`, and likewise row `k_t`. So all that takes is the lines themselves where they cross, and no thread waits for another one.
struct Pivots {
    turns: u32,
    /// Is the column of a turn looked at, and its row?
    looked_at: [bool; 2],
}

impl Pivots {
    /// The limb of the column of a turn in the thread.
    fn column(&self, turn: u32) -> String {
        if self.looked_at[0] { format!("c{turn}") } else { "0u".to_owned() }
    }

    /// The bit of the row of a turn in a column of the thread.
    fn row(&self, turn: u32) -> String {
        if self.looked_at[1] { format!("r{turn}_{COLUMN}") } else { "0u".to_owned() }
    }

    /// Where the column of turn `s` crosses row `k_t`, a limb, and the row of turn `s` column `k_t`, a bit everywhere.
    fn crossing(&self, s: u32, t: u32) -> [String; 2] {
        match self.looked_at {
            [true, true] => [format!("p{s}_{t}"), format!("q{s}_{t}")],
            _ => ["0u".to_owned(), "0u".to_owned()],
        }
    }

    /// What is the same for all columns of a thread.
    fn shared(&self) -> String {
        let mut lines = Vec::new();
        let pairs = || (0..self.turns).flat_map(|s| (s + 1..self.turns).map(move |t| (s, t)));
        let crosses = self.looked_at == [true, true];
        if crosses {
            for (s, t) in pairs() {
                lines
                    .push(format!("var p{s}_{t} = load(column_in + {s}u * limbs + (k{t} >> 5u));"));
                lines.push(format!("var q{s}_{t} = load(row_in + {s}u * columns + k{t});"));
            }
        }
        if self.looked_at[0] {
            for t in 0..self.turns {
                lines.push(format!("var c{t} = load(column_in + {t}u * limbs + x);"));
            }
        }
        if crosses {
            for (s, t) in pairs() {
                for u in 0..s {
                    let ([p_ut, q_ut], [p_us, q_us]) = (self.crossing(u, t), self.crossing(u, s));
                    lines.push(format!(
                        "p{s}_{t} = turn(p{s}_{t}, k{t} >> 5u, k{s}, k{u}, {p_ut}, {q_us}).x;"
                    ));
                    lines.push(format!(
                        "q{s}_{t} = everywhere(turn(q{s}_{t}, k{s} >> 5u, k{t}, k{u}, {p_us}, {q_ut}).x, k{s});"
                    ));
                }
            }
        }
        if self.looked_at[0] {
            for t in 0..self.turns {
                for s in 0..t {
                    let [_, q] = self.crossing(s, t);
                    lines.push(format!("c{t} = turn(c{t}, x, k{t}, k{s}, c{s}, {q}).x;"));
                }
            }
        }
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }

    /// What belongs to a column.
    fn of_column(&self) -> String {
        let mut text = String::new();
        if !self.looked_at[1] {
            return text;
        }
        for t in 0..self.turns {
            let _ = writeln!(text, "  var r{t}_# = load(row_in + {t}u * columns + j#);");
        }
        for t in 0..self.turns {
            for s in 0..t {
                let [p, _] = self.crossing(s, t);
                let _ = writeln!(
                    text,
                    "  r{t}_# = everywhere(turn(r{t}_#, k{t} >> 5u, j#, k{s}, {p}, r{s}_#).x, k{t});"
                );
            }
        }
        text
    }

    /// Keeps what the turns of the next dispatch look at.
    fn kept(&self) -> String {
        let mut text = String::new();
        let [columns, rows] = self.looked_at;
        if columns {
            text.push_str(
                "    let n# = (j# - next) * step;
    if (n# < n_next) { store(column_out + n# * limbs + x, after#); }
",
            );
        }
        if rows {
            text.push_str(
                "    for (var t = 0u; t < n_next; t++) {
      let line = next + step * t;
      if (line >> 5u == x) { store(row_out + t * columns + j#, everywhere(after#, line)); }
    }
",
            );
        }
        text
    }
}

/// A word of what a kernel is given.
fn word(at: usize) -> String {
    let part = ["x", "y", "z", "w"][at % 4];
    format!("given[{}].{part}", at / 4)
}
