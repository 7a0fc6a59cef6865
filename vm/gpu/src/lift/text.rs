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

/// Stands for the number of the column of a thread in names.
const COLUMN: &str = "#";

/// A kernel that is being written.
pub(super) struct Text<'n> {
    nodes: &'n [Node],
    target: VarId,
    line: Line,
    ports: Vec<Port>,
    /// Values along these lines.
    values: HashMap<(usize, Line), Value>,
    /// What is the same for all columns of a thread; what belongs to a column; what needs the limb that is changed.
    lets: [String; 3],
}

/// A value that has a name.
#[derive(Clone)]
struct Value {
    name: String,
    stage: Stage,
}

/// When a value can be made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Once = 0,
    Column = 1,
    Loaded = 2,
}

/// In front of every kernel: its memory, what it is given, a bit for every limb.
const HEAD: &str = "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
fn bit(at: u32, place: u32) -> u32 { return 0u - ((load(at + (place >> 5u)) >> (place & 31u)) & 1u); }
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
        Text { nodes, target, line, ports, values, lets: Default::default() }
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
        self.value(node, along).map(|value| value.name)
    }

    fn value(&mut self, node: usize, along: Line) -> Option<Value> {
        if let Some(known) = self.values.get(&(node, along)) {
            return Some(known.clone());
        }
        let stage_of = |line: Line| match line {
            Line::Column => Stage::Once,
            Line::Row => Stage::Column,
        };
        let (expression, stage) = match self.nodes[node] {
            Node::Own(table) => {
                (along == self.line).then_some(())?;
                if table == self.target {
                    (format!("before{COLUMN}"), Stage::Loaded)
                } else {
                    let [at, stride] = self.port(Port::Table(table));
                    (format!("load({at} + j{COLUMN} * {stride} + x)"), Stage::Column)
                }
            }
            Node::Pivot(line, table) => {
                (line == along).then_some(())?;
                let text = if table == self.target {
                    match line {
                        Line::Column => "load(column_in + x)".to_owned(),
                        Line::Row => format!("load(row_in + j{COLUMN})"),
                    }
                } else {
                    let [at, stride] = self.port(Port::Table(table));
                    match line {
                        Line::Column => format!("load({at} + k * {stride} + x)"),
                        Line::Row => format!("bit({at} + j{COLUMN} * {stride}, k)"),
                    }
                };
                (text, stage_of(line))
            }
            Node::Outer(var) => {
                let [at, _] = self.port(Port::Bits(var, along));
                let text = match along {
                    Line::Column => format!("load({at} + x)"),
                    Line::Row => format!("bit({at}, j{COLUMN})"),
                };
                (text, stage_of(along))
            }
            Node::Constant(bit) => {
                let limb = if bit { "0xffffffffu" } else { "0u" };
                (limb.to_owned(), Stage::Once)
            }
            Node::Not(of) => {
                let of = self.value(of, along)?;
                (format!("~{}", of.name), of.stage)
            }
            Node::Logic(op, left, right) => {
                let (left, right) = (self.value(left, along)?, self.value(right, along)?);
                let sign = match op {
                    LogicOp::And => "&",
                    LogicOp::Or => "|",
                    LogicOp::Xor => "^",
                };
                (format!("{} {sign} {}", left.name, right.name), left.stage.max(right.stage))
            }
        };
        let way = if along == Line::Row { "r" } else { "c" };
        let name = match stage {
            Stage::Once => format!("v{node}{way}"),
            Stage::Column | Stage::Loaded => format!("v{node}{way}_{COLUMN}"),
        };
        let _ = writeln!(self.lets[stage as usize], "  let {name} = {expression};");
        let value = Value { name, stage };
        self.values.insert((node, along), value.clone());
        Some(value)
    }

    /// The iterations of a range, as a limb.
    pub(super) fn range(&self) -> String {
        match self.line {
            Line::Row => "(below(upto, x) & ~below(start, x))".to_owned(),
            Line::Column => {
                format!("select(0u, 0xffffffffu, j{COLUMN} >= start && j{COLUMN} < upto)")
            }
        }
    }

    /// Where a line that becomes `made` may change at all, as far as that can be told without loading it.
    pub(super) fn changes(&mut self, made: usize) -> Option<String> {
        let Node::Logic(op, left, right) = self.nodes[made] else { return None };
        let own = Node::Own(self.target);
        let other = match (self.nodes[left] == own, self.nodes[right] == own) {
            (true, false) => right,
            (false, true) => left,
            (true, true) | (false, false) => return None,
        };
        let other = self.value(other, self.line).filter(|other| other.stage != Stage::Loaded)?;
        Some(match op {
            LogicOp::Or | LogicOp::Xor => other.name,
            LogicOp::And => format!("~{}", other.name),
        })
    }

    /// The whole text, and its ports. Iterations are where `some` has ones, and their lines become `made`, which
    /// differs from what they were only where `changes` has ones.
    pub(super) fn kernel(
        self,
        some: &str,
        made: &str,
        changes: Option<String>,
        has_turns: bool,
    ) -> (Shader, Vec<Port>) {
        let Text { ports, lets: [once, column, loaded], line, .. } = self;
        let changes = changes.unwrap_or_else(|| "0xffffffffu".to_owned());
        let count = match line {
            Line::Row => {
                "  if (acts != 0u && j# == 0u) { store(counts + x, load(counts + x) + countOneBits(some#)); }\n"
            }
            Line::Column => {
                "  if (acts != 0u && x == 0u && in#) { store(counts + j#, load(counts + j#) + (some# & 1u)); }\n"
            }
        };
        let keeps = if has_turns { "in# && (next >> 5u == x || next == j#)" } else { "false" };
        let kept = match has_turns {
            false => "",
            true => {
                "    if (next == j#) { store(column_out + x, after#); }
    if (next >> 5u == x) { store(row_out + j#, 0u - ((after# >> (next & 31u)) & 1u)); }
"
            }
        };
        let loads = format!(
            "  let j# = thread.y * {SHARE}u + #u; let in# = j# < columns;
{column}  let some# = select(0u, {some} & is_row, in#);
  let touched# = some# & {changes}; let keeps# = {keeps};
  let at# = table + j# * stride + x;
  let before# = load(at#);
"
        );
        let stores = format!(
            "{loaded}  let after# = ({made} & touched#) | (before# & ~touched#);
  if (touched# != 0u || keeps#) {{
    if (after# != before#) {{ store(at#, after#); }}
{kept}  }}
{count}"
        );
        let all = |text: &str| -> String {
            (0..SHARE).map(|column| text.replace(COLUMN, &column.to_string())).collect()
        };
        let (loads, stores) = (all(&loads), all(&stores));
        let body = format!(
            "{HEAD}
@compute @workgroup_size({ACROSS}, {DOWN})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {{
  let table = given[0].x; let stride = given[0].y; let rows = given[0].z; let columns = given[0].w;
  let k = given[1].x; let next = given[1].y; let acts = given[1].z;
  let column_in = given[2].x; let column_out = given[2].y; let row_in = given[2].z; let row_out = given[2].w;
  let counts = given[3].x; let start = given[3].y; let upto = given[3].z;
  let x = thread.x;
  if (x >= (rows + 31u) >> 5u) {{ return; }}
  let is_row = below(rows, x) & acts;
{once}{loads}{stores}}}
"
        );
        (Shader { limb: Limb::Word, body }, ports)
    }
}

/// A word of what a kernel is given.
fn word(at: usize) -> String {
    let part = ["x", "y", "z", "w"][at % 4];
    format!("given[{}].{part}", at / 4)
}
