//! The kernel of a loop, as WGSL.

use std::collections::HashMap;
use std::fmt::Write as _;

use star_ir::{LogicOp, VarId};

use super::{Line, Node, Port};

/// Most ports of a kernel: their words fit behind those that every kernel is given.
pub(super) const MOST_PORTS: usize = 8;
/// The first word of what a kernel is given that belongs to a port.
pub(crate) const FIRST_PORT: usize = 16;
/// Threads of a workgroup along a column, and over columns.
pub(crate) const ACROSS: u32 = 32;
pub(crate) const DOWN: u32 = 8;

/// A kernel that is being written.
pub(super) struct Text<'n> {
    nodes: &'n [Node],
    target: VarId,
    line: Line,
    ports: Vec<Port>,
    /// Names of values along these lines.
    names: HashMap<(usize, Line), String>,
    /// What does not need the limb that is changed.
    lets: String,
    /// Behind its load.
    behind: String,
}

/// In front of every kernel: its memory, what it is given, a bit for every limb.
const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> mem: array<u32>;
@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
fn bit(at: u32, place: u32) -> u32 { return 0u - ((mem[at + (place >> 5u)] >> (place & 31u)) & 1u); }
fn below(n: u32, x: u32) -> u32 {
  let start = 32u * x;
  if (n >= start + 32u) { return 0xffffffffu; }
  if (n <= start) { return 0u; }
  return (1u << (n - start)) - 1u;
}
";

impl<'n> Text<'n> {
    pub(super) fn new(nodes: &'n [Node], target: VarId, line: Line) -> Self {
        let names = HashMap::new();
        let (lets, behind) = (String::new(), String::new());
        Text { nodes, target, line, ports: Vec::new(), names, lets, behind }
    }

    /// The word that a port begins with.
    fn port(&mut self, port: Port) -> String {
        let mut at = FIRST_PORT;
        for known in &self.ports {
            if *known == port {
                return word(at);
            }
            at += known.words();
        }
        self.ports.push(port);
        word(at)
    }

    /// A limb of a value that runs along rows or columns: components of a row stand for columns. `None` if it runs the other
    /// way.
    pub(super) fn limb(&mut self, node: usize, along: Line) -> Option<String> {
        if let Some(name) = self.names.get(&(node, along)) {
            return Some(name.clone());
        }
        let own = format!("v{node}{}", if along == Line::Row { "r" } else { "c" });
        let (expression, needs_load) = match self.nodes[node] {
            Node::Own(table) => {
                (along == self.line).then_some(())?;
                if table == self.target {
                    ("before".to_owned(), true)
                } else {
                    let at = self.port(Port::Table(table));
                    let stride = self.stride(table);
                    (format!("mem[{at} + j * {stride} + x]"), false)
                }
            }
            Node::Pivot(line, table) => {
                (line == along).then_some(())?;
                let text = match (line, table == self.target) {
                    (Line::Column, true) => "mem[column_in + x]".to_owned(),
                    (Line::Row, true) => "mem[row_in + j]".to_owned(),
                    (Line::Column, false) => {
                        let at = self.port(Port::Table(table));
                        format!("mem[{at} + k * {} + x]", self.stride(table))
                    }
                    (Line::Row, false) => {
                        let at = self.port(Port::Table(table));
                        format!("bit({at} + j * {}, k)", self.stride(table))
                    }
                };
                (text, false)
            }
            Node::Outer(var) => {
                let at = self.port(Port::Bits(var, along));
                let text = match along {
                    Line::Column => format!("mem[{at} + x]"),
                    Line::Row => format!("bit({at}, j)"),
                };
                (text, false)
            }
            Node::Not(of) => {
                let of = self.limb(of, along)?;
                let late = self.is_late(&of);
                (format!("~{of}"), late)
            }
            Node::Logic(op, left, right) => {
                let (left, right) = (self.limb(left, along)?, self.limb(right, along)?);
                let sign = match op {
                    LogicOp::And => "&",
                    LogicOp::Or => "|",
                    LogicOp::Xor => "^",
                };
                let late = self.is_late(&left) || self.is_late(&right);
                (format!("{left} {sign} {right}"), late)
            }
        };
        let name = if expression == "before" {
            expression
        } else {
            let to = if needs_load { &mut self.behind } else { &mut self.lets };
            let _ = writeln!(to, "    let {own} = {expression};");
            own
        };
        self.names.insert((node, along), name.clone());
        Some(name)
    }

    /// Is the value made behind the load of the limb that changes?
    fn is_late(&self, name: &str) -> bool {
        name == "before" || self.behind.contains(&format!("let {name} ="))
    }

    fn stride(&mut self, table: VarId) -> String {
        let mut at = FIRST_PORT;
        for known in &self.ports {
            if *known == Port::Table(table) {
                break;
            }
            at += known.words();
        }
        word(at + 1)
    }

    /// The iterations of a range, as a limb.
    pub(super) fn range(&mut self) -> String {
        match self.line {
            Line::Row => "(below(upto, x) & ~below(start, x))".to_owned(),
            Line::Column => "select(0u, 0xffffffffu, j >= start && j < upto)".to_owned(),
        }
    }

    /// The whole text, and its ports. Iterations are where `some` has ones, and their lines become `made`.
    pub(super) fn kernel(self, some: &str, made: &str, has_turns: bool) -> (String, Vec<Port>) {
        let Text { ports, lets, behind, line, .. } = self;
        let count = match line {
            Line::Row => "if (j == 0u) { mem[counts + x] += countOneBits(some); }",
            Line::Column => "if (x == 0u) { mem[counts + j] += some & 1u; }",
        };
        let (keeps, kept) = match has_turns {
            false => ("false", ""),
            true => (
                "next >> 5u == x || next == j",
                "      if (next == j) { mem[column_out + x] = after; }
      if (next >> 5u == x) { mem[row_out + j] = 0u - ((after >> (next & 31u)) & 1u); }
",
            ),
        };
        let text = format!(
            "{HEAD}
@compute @workgroup_size({ACROSS}, {DOWN})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {{
  let table = given[0].x; let stride = given[0].y; let rows = given[0].z; let columns = given[0].w;
  let k = given[1].x; let next = given[1].y; let acts = given[1].z; let share = given[1].w;
  let column_in = given[2].x; let column_out = given[2].y; let row_in = given[2].z; let row_out = given[2].w;
  let counts = given[3].x; let start = given[3].y; let upto = given[3].z;
  let x = thread.x;
  if (x >= (rows + 31u) >> 5u) {{ return; }}
  let is_row = below(rows, x) & acts;
  for (var j = thread.y * share; j < min(columns, (thread.y + 1u) * share); j++) {{
{lets}    let some = {some} & is_row;
    let keeps = {keeps};
    if (some != 0u || keeps) {{
      let at = table + j * stride + x;
      let before = mem[at];
{behind}      let after = ({made} & some) | (before & ~some);
      if (after != before) {{ mem[at] = after; }}
{kept}    }}
    if (acts != 0u) {{ {count} }}
  }}
}}
"
        );
        (text, ports)
    }
}

/// A word of what a kernel is given.
fn word(at: usize) -> String {
    let part = ["x", "y", "z", "w"][at % 4];
    format!("given[{}].{part}", at / 4)
}
