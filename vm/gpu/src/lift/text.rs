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
/// Most turns of a dispatch: a multiple of four.
pub(crate) const TURNS: u32 = 8;

/// Stands for the number of the column of a thread in names.
const COLUMN: &str = "#";

/// A kernel that is being written.
pub(super) struct Text<'n> {
    nodes: &'n [Node],
    target: VarId,
    line: Line,
    ports: Vec<Port>,
    /// Does a turn look at its column of the target, and at its row?
    pivots: [bool; 2],
    /// The names of values along these lines.
    values: HashMap<(usize, Line), String>,
    /// Where they are made.
    lets: String,
    form: Form,
}

/// What a function of the kernel makes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A limb of a column.
    Limb,
    /// Its components from any place on: those of the rows that the turns look at.
    Rows,
}

/// In front of every kernel: its memory, what it is given, a bit for every limb.
const HEAD: &str = "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
fn everywhere(limb: u32, place: u32) -> u32 { return 0u - ((limb >> (place & 31u)) & 1u); }
fn bit(at: u32, place: u32) -> u32 { return everywhere(load(at + (place >> 5u)), place); }
fn rows_from(at: u32, place: u32) -> u32 {
  let by = place & 31u; let low = load(at + (place >> 5u));
  if (by == 0u) { return low; }
  return (low >> by) | (load(at + (place >> 5u) + 1u) << (32u - by));
}
fn below(n: u32, place: u32) -> u32 {
  if (n >= place + 32u) { return 0xffffffffu; }
  if (n <= place) { return 0u; }
  return (1u << (n - place)) - 1u;
}
";

impl<'n> Text<'n> {
    pub(super) fn new(nodes: &'n [Node], target: VarId, line: Line) -> Self {
        Text {
            nodes,
            target,
            line,
            ports: Vec::new(),
            pivots: [false; 2],
            values: HashMap::new(),
            lets: String::new(),
            form: Form::Limb,
        }
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

    /// What a value begins with along a column that lies there.
    fn of_column(&self, at: &str) -> String {
        match self.form {
            Form::Limb => format!("load({at} + x)"),
            Form::Rows => format!("rows_from({at}, x)"),
        }
    }

    /// The name of a limb of a value that runs along rows or columns: components of a row stand for columns. `None` if it
    /// runs the other way.
    fn limb(&mut self, node: usize, along: Line) -> Option<String> {
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
                    self.of_column(&format!("{at} + j * {stride}"))
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
                        Line::Column => self.of_column(&format!("{at} + k * {stride}")),
                        Line::Row => format!("bit({at} + j * {stride}, k)"),
                    }
                }
            }
            Node::Outer(var) => {
                let [at, _] = self.port(Port::Bits(var, along));
                match along {
                    Line::Column => self.of_column(&at),
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

    /// The iterations of a range.
    fn range(&self) -> &'static str {
        match (self.line, self.form) {
            (Line::Row, Form::Limb) => "(below(upto, 32u * x) & ~below(start, 32u * x))",
            (Line::Row, Form::Rows) => "(below(upto, x) & ~below(start, x))",
            (Line::Column, _) => "select(0u, 0xffffffffu, j >= start && j < upto)",
        }
    }

    /// A function of what a turn makes of a part of column `j`, and where. Iterations are where `some` has ones, all if there is none, and their
    /// lines become `made`.
    fn turn(&mut self, form: Form, some: Option<usize>, made: usize) -> Option<String> {
        self.form = form;
        self.values.clear();
        self.lets.clear();
        let some = match some {
            Some(some) => self.limb(some, self.line.other())?,
            None => self.range().to_owned(),
        };
        let made = self.limb(made, self.line)?;
        let name = match form {
            Form::Limb => "turn",
            Form::Rows => "turn_of_rows",
        };
        Some(format!(
            "fn {name}(before: u32, x: u32, j: u32, k: u32, column: u32, row: u32, live: u32) -> vec2<u32> {{
  let start = given[3].y; let upto = given[3].z;
{}  let some = {some} & live;
  return vec2<u32>(({made} & some) | (before & ~some), some);
}}
",
            self.lets
        ))
    }

    /// The whole text, for so many turns a dispatch, and its ports. `None` if something runs the other way than it should.
    pub(super) fn kernel(
        mut self,
        some: Option<usize>,
        made: usize,
        turns: u32,
    ) -> Option<(Shader, Vec<Port>)> {
        let functions = self.turn(Form::Limb, some, made)? + &self.turn(Form::Rows, some, made)?;
        let pivots = Pivots { turns, looked_at: self.pivots };
        let loads = format!(
            "  let j# = thread.y * {SHARE}u + #u; let at# = table + j# * stride + x;
  let before# = load(at#);
"
        );
        let rows = pivots.read(Line::Row, "r#_", &format!("{SHARE}u * local.y + #u"));
        let turns_of = |t: u32| {
            let (column, row) = (pivots.of("c", t), pivots.of("r#_", t));
            let before = if t == 0 { "before#".to_owned() } else { format!("made#_{}.x", t - 1) };
            format!("  let made#_{t} = turn({before}, x, j#, k{t}, {column}, {row}, live{t});\n")
        };
        let makes: String = (0..turns).map(turns_of).collect();
        let stores = format!(
            "  if (j# < columns) {{
    if (made#_{last}.x != before#) {{ store(at#, made#_{last}.x); }}
{}  }}
",
            pivots.kept(&format!("made#_{}.x", turns - 1)),
            last = turns - 1
        );
        let sum = |part: &str| {
            let counts = (0..turns).map(|t| format!("countOneBits(made#_{t}.y{part})"));
            counts.collect::<Vec<_>>().join(" + ")
        };
        let count = match self.line {
            Line::Row => {
                let sum = sum("").replace(COLUMN, "0");
                format!("  if (j0 == 0u) {{ store(counts + x, load(counts + x) + {sum}); }}\n")
            }
            Line::Column => format!(
                "  if (x == 0u && j# < columns) {{ store(counts + j#, load(counts + j#) + {}); }}\n",
                sum(" & 1u")
            ),
        };
        let all = |text: &str| -> String {
            if !text.contains(COLUMN) {
                return text.to_owned();
            }
            (0..SHARE).map(|column| text.replace(COLUMN, &column.to_string())).collect()
        };
        let ks: String = (0..turns)
            .map(|t| {
                format!(
                    "  let k{t} = given[1].x + step * min({t}u, max(turns, 1u) - 1u);
  let live{t} = select(0u, below(given[0].z, 32u * x), {t}u < turns);
"
                )
            })
            .collect();
        let body = format!(
            "{HEAD}{}{functions}@compute @workgroup_size({ACROSS}, {DOWN})
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {{
  let table = given[0].x; let stride = given[0].y; let columns = given[0].w; let limbs = (given[0].z + 31u) >> 5u;
  let step = given[1].y; let turns = given[1].z; let next = given[1].w; let n_next = given[3].w;
  let column_in = given[2].x; let column_out = given[2].y; let row_in = given[2].z; let row_out = given[2].w;
  let counts = given[3].x; let x = thread.x;
{ks}{}{}{}  if (x < limbs) {{
{}{}{}{}{}  }}
}}
",
            pivots.declared(),
            all(&loads),
            pivots.made(),
            pivots.read(Line::Column, "c", "local.x"),
            all(&rows),
            all(&makes),
            pivots.keeps(),
            all(&stores),
            all(&count),
        );
        Some((Shader { limb: Limb::Word, body }, self.ports))
    }
}

/// Note [Several turns a dispatch]. What the turns of a dispatch look at of the table, a column and a row each, lies beside it as it was before
/// the first of them. A workgroup makes of it what the earlier turns leave there, for its own limbs and columns: a thread each makes limb `x` of
/// column `k_t` of what turn `s` has of limb `x` of column `k_s` and of row `k_s` in column `k_t`, and likewise the rows in column `j` of what
/// they have of these rows in column `k_s`. So all that takes is these lines themselves, and where they cross: their rows in their columns. No
/// workgroup waits for another one.
struct Pivots {
    turns: u32,
    /// Is the column of a turn looked at, and its row?
    looked_at: [bool; 2],
}

impl Pivots {
    fn looks_at(&self, line: Line) -> bool {
        self.looked_at[usize::from(line == Line::Row)]
    }

    /// The value of a turn of those with this name.
    fn of(&self, name: &str, turn: u32) -> String {
        let line = if name == "c" { Line::Column } else { Line::Row };
        let part = ["x", "y", "z", "w"][turn as usize % 4];
        if self.looks_at(line) { format!("{name}{}.{part}", turn / 4) } else { "0u".to_owned() }
    }

    /// Limbs of the columns, and bits of the rows, as the turns find them.
    fn declared(&self) -> String {
        let mut text = String::new();
        for (line, name, n) in
            [(Line::Column, "pivot_columns", ACROSS), (Line::Row, "pivot_rows", DOWN * SHARE)]
        {
            if self.looks_at(line) {
                let n = n * self.turns / 4;
                let _ = writeln!(text, "var<workgroup> {name}: array<vec4<u32>, {n}>;");
            }
        }
        text
    }

    /// Four turns each, by their names.
    fn read(&self, line: Line, name: &str, place: &str) -> String {
        let (from, n) = match line {
            Line::Column => ("pivot_columns", ACROSS),
            Line::Row => ("pivot_rows", DOWN * SHARE),
        };
        if !self.looks_at(line) {
            return String::new();
        }
        let four = |four: u32| format!("  let {name}{four} = {from}[{}u + {place}];\n", four * n);
        (0..self.turns / 4).map(four).collect()
    }

    /// Makes what is looked at: a limb of columns in each of the first threads, a bit of rows in each of the next ones.
    fn made(&self) -> String {
        let [columns, rows] = self.looked_at;
        if !(columns || rows) {
            return String::new();
        }
        let (turns, crosses) = (self.turns, columns && rows);
        let threads = 1 + (DOWN * SHARE).div_ceil(ACROSS);
        let mut text = format!("  if (local.y < {threads}u) {{\n");
        let mut line = |line: &str| {
            text.push_str("    ");
            text.push_str(line);
            text.push('\n');
        };
        let pairs = || (0..turns).flat_map(|s| (s + 1..turns).map(move |t| (s, t)));
        // Turn t looks at bit k_t - low of rows. What it finds of its column there is p_t, and bit s of q_t what turn s finds of its row in that column.
        line(&format!("let low = min(k0, k{});", turns - 1));
        if crosses {
            for t in 0..turns {
                line(&format!(
                    "var p{t} = rows_from(column_in + {t}u * limbs, low); var q{t} = 0u;"
                ));
            }
            for (s, t) in pairs() {
                line(&format!(
                    "let q{s}_{t} = everywhere(p{t}, k{s} - low); q{t} |= q{s}_{t} & {}u;",
                    1 << s
                ));
                line(&format!(
                    "p{t} = turn_of_rows(p{t}, low, k{t}, k{s}, p{s}, q{s}_{t}, 0xffffffffu).x;"
                ));
            }
        }
        let fours = |name: &str, place: &str, n: u32| -> Vec<String> {
            let of = |four: u32| {
                let part = |t: u32| format!("{}{}", &name[..1], 4 * four + t);
                let parts: Vec<String> = (0..4).map(part).collect();
                format!(
                    "  pivot_{name}[{}u + {place}] = vec4<u32>({});",
                    four * n,
                    parts.join(", ")
                )
            };
            (0..turns / 4).map(of).collect()
        };
        if columns {
            line("if (local.y == 0u) {");
            for t in 0..turns {
                line(&format!("  var c{t} = load(column_in + {t}u * limbs + x);"));
            }
            for (s, t) in pairs() {
                let row = if crosses { format!("everywhere(q{t}, {s}u)") } else { "0u".to_owned() };
                line(&format!("  c{t} = turn(c{t}, x, k{t}, k{s}, c{s}, {row}, 0xffffffffu).x;"));
            }
            fours("columns", "local.x", ACROSS).iter().for_each(|four| line(four));
            line("}");
        }
        if rows {
            line("if (local.y != 0u) {");
            line(&format!(
                "  let place = {ACROSS}u * (local.y - 1u) + local.x; let j = (thread.y - local.y) * {SHARE}u + place;"
            ));
            line("  var all = 0u;");
            for t in 0..turns {
                line(&format!(
                    "  all |= load(row_in + {t}u * columns + j) & (1u << (k{t} - low));"
                ));
            }
            for t in 0..turns {
                let column = if crosses { format!("p{t}") } else { "0u".to_owned() };
                line(&format!("  let r{t} = everywhere(all, k{t} - low);"));
                line(&format!(
                    "  all = turn_of_rows(all, low, j, k{t}, {column}, r{t}, 0xffffffffu).x;"
                ));
            }
            fours("rows", "place", DOWN * SHARE).iter().for_each(|four| line(four));
            line("}");
        }
        text + "  }\n  workgroupBarrier();\n"
    }

    /// Does the thread have a limb of rows that the next turns look at?
    fn keeps(&self) -> &'static str {
        match self.looks_at(Line::Row) {
            true => {
                "  let last = next + step * (n_next - 1u);
  let keeps_rows = n_next != 0u && x >= min(next, last) >> 5u && x <= max(next, last) >> 5u;
"
            }
            false => "",
        }
    }

    /// Keeps what the turns of the next dispatch look at.
    fn kept(&self, made: &str) -> String {
        let mut text = String::new();
        if self.looks_at(Line::Column) {
            let _ = writeln!(
                text,
                "    let turn# = (j# - next) * step;
    if (turn# < n_next) {{ store(column_out + turn# * limbs + x, {made}); }}"
            );
        }
        if self.looks_at(Line::Row) {
            let _ = writeln!(
                text,
                "    for (var t = 0u; keeps_rows && t < n_next; t++) {{
      let k = next + step * t;
      if (k >> 5u == x) {{ store(row_out + t * columns + j#, everywhere({made}, k)); }}
    }}"
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
