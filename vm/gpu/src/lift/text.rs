//! The kernel of a loop, as WGSL.

use std::collections::HashMap;
use std::fmt::Write as _;

use star_ir::kernel::Line;
use star_ir::{LogicOp, VarId};
use star_shaders::{Limb, Shader};

use super::{Node, Port};

/// The first word of the ports among the parameters of a kernel.
pub(crate) const FIRST_PORT: usize = 22;
/// Maximum number of their words.
pub(super) const MOST_PORT_WORDS: usize = 32 - FIRST_PORT;
/// Threads of a workgroup along a column, and over columns.
pub(crate) const ACROSS: u32 = 32;
pub(crate) const DOWN: u32 = 8;
/// Columns of a thread, whose loads do not wait for each other.
pub(crate) const SHARE: u32 = 4;
/// Maximum number of pivots of a dispatch.
pub(crate) const PIVOTS_AT_ONCE: u32 = 8;

/// A kernel that is being written.
pub(super) struct Text<'n> {
    nodes: &'n [Node],
    target: VarId,
    line: Line,
    ports: Vec<Port>,
    /// Whether an iteration reads the column or row of its pivot from the target.
    has_pivots: bool,
    /// The names of values along these lines.
    values: HashMap<(usize, Line), String>,
    /// The statements that compute them.
    lets: String,
    form: Form,
}

/// The result of a function of the kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A limb of a column.
    Limb,
    /// Its components from any place on: those in the rows of the pivots.
    Rows,
}

/// The beginning of every kernel: its parameters, and functions that select bits.
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
            has_pivots: false,
            values: HashMap::new(),
            lets: String::new(),
            form: Form::Limb,
        }
    }

    /// The words that a port begins with: of a table where it lies, and from one column to the
    /// next.
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

    /// The first words of a value along a column at this place.
    fn of_column(&self, at: &str) -> String {
        match self.form {
            Form::Limb => format!("load({at} + x)"),
            Form::Rows => format!("rows_from({at}, x)"),
        }
    }

    /// The name of a limb of a value that runs along rows or columns: components of a row stand for
    /// columns. `None` if it runs the other way.
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
                    self.has_pivots = true;
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

    /// Returns a function that applies a pivot to a part of column `j`: the new bits, and a mask of
    /// the iterations. These are the ones of `some`, or all, and their lines become `made`.
    fn function(&mut self, form: Form, some: Option<usize>, made: usize) -> Option<String> {
        self.form = form;
        self.values.clear();
        self.lets.clear();
        let some = match some {
            Some(some) => self.limb(some, self.line.other())?,
            None => self.range().to_owned(),
        };
        let made = self.limb(made, self.line)?;
        let name = match form {
            Form::Limb => "apply",
            Form::Rows => "apply_to_rows",
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

    /// The whole text, and its ports. `None` if something runs the other way than it should.
    pub(super) fn kernel(
        mut self,
        some: Option<usize>,
        made: usize,
    ) -> Option<(Shader, Vec<Port>)> {
        let functions =
            self.function(Form::Limb, some, made)? + &self.function(Form::Rows, some, made)?;
        let (shared, finds, column, row) = match self.has_pivots {
            true => (
                SHARED,
                PIVOTS,
                "pivot_columns[t * ACROSS + local.x]",
                "pivot_rows[t * DOWN + local.y]",
            ),
            false => ("", "", "0u", "vec4<u32>(0u)"),
        };
        let (keeps, kept) = if self.has_pivots { (KEEPS, KEPT) } else { ("", "") };
        let (counts, count) = match self.line {
            Line::Row => (
                "    if (thread.y == 0u) { n0 += countOneBits(made0.y); }\n",
                "    if (thread.y == 0u) { store(counts + x, load(counts + x) + n0); }\n",
            ),
            Line::Column => (
                "    if (x == 0u) { n# += made#.y & 1u; }\n",
                "    if (x == 0u && j# < columns) { store(counts + j#, load(counts + j#) + n#); }\n",
            ),
        };
        // For each column of a thread.
        let each = |text: &str| -> String {
            if !text.contains('#') {
                return text.to_owned();
            }
            let parts = ["x", "y", "z", "w"].iter().enumerate();
            let one = |(column, part): (usize, &&str)| {
                text.replace("#.part", part).replace('#', &column.to_string())
            };
            parts.map(one).collect()
        };
        let body = format!(
            "{HEAD}const ACROSS = {ACROSS}u; const DOWN = {DOWN}u; const SHARE = {SHARE}u; const PIVOTS_AT_ONCE = {PIVOTS_AT_ONCE}u;
{shared}{functions}@compute @workgroup_size({ACROSS}, {DOWN})
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {{
  let table = given[0].x; let stride = given[0].y; let columns = given[0].w; let limbs = (given[0].z + 31u) >> 5u;
  let first = given[1].x; let step = given[1].y; let n_pivots = given[1].z; let next = given[1].w; let n_next = given[3].w;
  let column_in = given[2].x; let column_out = given[2].y; let row_in = given[2].z; let row_out = given[2].w;
  let row_in_stride = given[4].x; let row_in_first = given[4].y; let row_out_stride = given[4].z; let row_out_first = given[4].w;
  let counts = given[3].x; let x = thread.x; let live = below(given[0].z, 32u * x);
{}{finds}{}  for (var t = 0u; t < n_pivots; t++) {{
    let k = first + step * t; let column = {column}; let row = {row};
{}{}  }}
  if (x < limbs) {{
{}{keeps}{kept}{}  }}
}}
",
            each("  let j# = thread.y * SHARE + #u; let at# = table + j# * stride + x; let before# = load(at#);\n"),
            each("  var after# = before#; var n# = 0u;\n"),
            each("    let made# = apply(after#, x, j#, k, column, row.#.part, live); after# = made#.x;\n"),
            each(counts),
            each("    if (j# < columns && after# != before#) { store(at#, after#); }\n"),
            each(count),
            kept = each(kept),
        );
        Some((Shader { limb: Limb::Word, body }, self.ports))
    }
}

/// The lines of the pivots of a dispatch (Note [Several pivots in a dispatch]): limbs of their
/// columns, bits of their rows in the columns of each thread, and the bits of their columns in
/// their rows.
const SHARED: &str = "var<workgroup> pivot_columns: array<u32, PIVOTS_AT_ONCE * ACROSS>;
var<workgroup> pivot_rows: array<vec4<u32>, PIVOTS_AT_ONCE * DOWN>;
var<workgroup> crossing: array<u32, PIVOTS_AT_ONCE>;
";

/// Note [Several pivots in a dispatch]. The column and the row of each pivot are copied next to the
/// table as they are before the first pivot of the dispatch, the rows as a table that begins with
/// row `row_in_first`. A workgroup applies the earlier pivots to these copies, for its own limbs
/// and columns: the threads with number t along columns have a limb each of the column of pivot t,
/// and all of them its components in the rows of all pivots, from row `low` on; those with number 0
/// have these rows, in a column of the workgroup each. Pivot s changes all later ones. No workgroup
/// waits for another one.
const PIVOTS: &str = "  let own = first + step * local.y; let low = min(first, first + step * (max(n_pivots, 1u) - 1u));
  let of_rows = (thread.y - local.y) * SHARE + local.x;
  var limb = load(column_in + local.y * limbs + x);
  var crossed = rows_from(row_in + min(own, columns - 1u) * row_in_stride, low - row_in_first);
  var rows = 0u;
  if (local.y == 0u) { rows = rows_from(row_in + min(of_rows, columns - 1u) * row_in_stride, low - row_in_first); }
  for (var s = 0u; s < n_pivots; s++) {
    let k = first + step * s;
    if (local.y == s) {
      pivot_columns[s * ACROSS + local.x] = limb;
      if (local.x == 0u) { crossing[s] = crossed; }
    }
    workgroupBarrier();
    if (local.y == 0u) {
      let row = everywhere(rows, k - low);
      pivot_rows[s * DOWN + (local.x >> 2u)][local.x & 3u] = row;
      rows = apply_to_rows(rows, low, of_rows, k, crossing[s], row, 0xffffffffu).x;
    }
    if (local.y > s) {
      let row = everywhere(crossed, k - low);
      limb = apply(limb, x, own, k, pivot_columns[s * ACROSS + local.x], row, 0xffffffffu).x;
      crossed = apply_to_rows(crossed, low, own, k, crossing[s], row, 0xffffffffu).x;
    }
  }
  workgroupBarrier();
";

/// Stores the columns of the pivots of the next dispatch, and the rows that are to be copied; few
/// threads have any of these rows.
const KEEPS: &str = "    let kept = below(given[5].y, 32u * x) & ~below(given[5].x, 32u * x);
    let row_to = row_out + x - (row_out_first >> 5u);
";
const KEPT: &str = "    let pivot# = (j# - next) * step;
    if (j# < columns && pivot# < n_next) { store(column_out + pivot# * limbs + x, after#); }
    if (j# < columns && kept != 0u) {
      let to = row_to + j# * row_out_stride;
      store(to, (load(to) & ~kept) | (after# & kept));
    }
";

const _: () = assert!(PIVOTS_AT_ONCE == DOWN && ACROSS == DOWN * SHARE && SHARE == 4);

/// A word of the parameters of a kernel.
fn word(at: usize) -> String {
    let part = ["x", "y", "z", "w"][at % 4];
    format!("given[{}].{part}", at / 4)
}
