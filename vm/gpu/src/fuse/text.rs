//! The kernel of a run, as WGSL.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use star_ir::{
    ForallRange, IntOp, LogicOp, Op, Operand, Query, Relation, Routine, Simple, SizeOp,
    SizeOperand, Stmt, StmtKind, Ty, VarId,
};

use star_shaders::{Limb, Shader};

use super::needed::Needed;
use super::{FusedQuery, Given};

/// The number of threads of a workgroup.
pub(crate) const THREADS: u32 = 256;
/// The first word of the parameters that belongs to the run, and the number of words that fit
/// there; the others are in memory.
pub(crate) const FIRST_GIVEN: usize = 8;
pub(crate) const IN_GIVEN: usize = 24;

/// Placeholder for the number of words of a limb.
const WIDTH: &str = "#W";
/// Placeholder for the limb of ones up to the last row.
const ONES: &str = "#ONES";
/// Placeholder for zeros, one for each word of a limb.
const ZEROS: &str = "#ZEROS";
/// Placeholder for the expression that finds the position of the first one in `s`.
const FIRST: &str = "#FIRST";
/// Placeholder for the number of ones in `s`.
const COUNT: &str = "#COUNT";
/// Placeholder for the words of `s`, combined by or.
const ANY: &str = "#ANY";

/// The start of every kernel: its memory in limbs of a few words, its parameters, bits of words.
const HEAD: &str = "alias L = vec#W<u32>;
@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
fn word(at: u32) -> u32 { return load(at / #Wu)[at % #Wu]; }
fn bit(at: u32, first: u32, i: i32) -> i32 {
  let place = u32(i - 1);
  var limb = first;
  if (place >= 32u) { limb = word(at + (place >> 5u)); }
  return i32((limb >> (place & 31u)) & 1u);
}
fn below(n: u32, x: u32) -> u32 {
  let start = 32u * x;
  if (n <= start) { return 0u; }
  if (n - start >= 32u) { return 0xffffffffu; }
  return (1u << (n - start)) - 1u;
}
";

/// Returns the start of a kernel on limbs of a few words.
pub(super) fn head() -> &'static str {
    HEAD
}

/// The texts of the kernels of a run.
#[derive(Clone, Debug)]
pub(super) struct Texts {
    /// For limbs of two words.
    pub(super) narrow: Shader,
    /// For limbs of four words.
    pub(super) wide: Shader,
    /// The kernel that combines the results of queries, if there are any.
    pub(super) gather: Option<Shader>,
}

impl Texts {
    /// Creates the kernels of a run from a text for limbs of any width, and its queries.
    pub(super) fn new(text: &str, queries: &[FusedQuery]) -> Self {
        let gather = (!queries.is_empty()).then(|| gather(queries));
        Texts { narrow: of_width(text, Limb::Pair), wide: of_width(text, Limb::Four), gather }
    }
}

/// Returns the text for limbs of two words, or of four.
pub(super) fn of_width(text: &str, limb: Limb) -> Shader {
    let width = if limb == Limb::Four { 4 } else { 2 };
    let each = |sep: &str, of: &dyn Fn(u32) -> String| -> String {
        (0..width).map(of).collect::<Vec<_>>().join(sep)
    };
    let ones = each(", ", &|c| format!("below(rows, {width}u * x + {c}u)"));
    let first = (0..width).rev().fold("0u".to_owned(), |rest, c| {
        let here =
            format!("0xffffffffu - (32u * ({width}u * x + {c}u) + countTrailingZeros(s[{c}]))");
        format!("select({rest}, {here}, s[{c}] != 0u)")
    });
    let count = each(" + ", &|c| format!("countOneBits(s[{c}])"));
    let any = each(" | ", &|c| format!("s[{c}]"));
    let zeros = each(", ", &|_| "0u".to_owned());
    let body = text
        .replace(WIDTH, &width.to_string())
        .replace(ONES, &ones)
        .replace(ZEROS, &zeros)
        .replace(FIRST, &first)
        .replace(COUNT, &count)
        .replace(ANY, &any);
    Shader { limb, body }
}

/// Returns the kernel that combines the results of workgroups: their words, one for each query, and
/// one word for each query at the end.
fn gather(queries: &[FusedQuery]) -> Shader {
    let (mut slots, mut own, mut all) = <(String, String, String)>::default();
    for (idx, query) in queries.iter().enumerate() {
        let join = atomic(query.query);
        let _ = writeln!(slots, "var<workgroup> found{idx}: atomic<u32>;");
        let _ = writeln!(own, "    {join}(&found{idx}, load(at + {idx}u));");
        let into = joined(query.query);
        let _ = writeln!(all, "    {into}(all + {idx}u, atomicLoad(&found{idx}));");
    }
    let body = format!(
        "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
{slots}
@compute @workgroup_size({THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let words = given[0].x; let per = given[0].y; let groups = given[0].z; let all = given[0].w;
  let at = words + thread.x * per;
  if (thread.x < groups) {{
{own}  }}
  workgroupBarrier();
  if (lane == 0u) {{
{all}  }}
}}
"
    );
    Shader { limb: Limb::Joined, body }
}

/// Returns the atomic operation that combines results of a query.
fn atomic(query: Query) -> &'static str {
    if query == Query::Count { "atomicAdd" } else { "atomicMax" }
}

/// Returns the function that combines results of a query in memory.
fn joined(query: Query) -> &'static str {
    if query == Query::Count { "join_add" } else { "join_max" }
}

/// A kernel that is being written.
pub(super) struct Text<'r> {
    routine: &'r Routine,
    needed: Needed<'r>,
    /// Variables by the order in which they occur, so that equal runs have equal texts.
    names: HashMap<VarId, usize>,
    given: Vec<Given>,
    /// The variables that the run has definitely assigned so far.
    assigned: BTreeSet<VarId>,
    /// The variables that it may read before it assigns them.
    outer: BTreeSet<VarId>,
    body: String,
    /// The number of loops so far.
    loops: usize,
    queries: Vec<FusedQuery>,
}

impl<'r> Text<'r> {
    pub(super) fn new(routine: &'r Routine, needed: Needed<'r>) -> Self {
        Text {
            routine,
            needed,
            names: HashMap::new(),
            given: Vec::new(),
            assigned: BTreeSet::new(),
            outer: BTreeSet::new(),
            body: String::new(),
            loops: 0,
            queries: Vec::new(),
        }
    }

    pub(super) fn block(&mut self, block: &[Stmt]) -> Option<()> {
        block.iter().try_for_each(|stmt| self.statement(stmt))
    }

    /// Returns the name of a parameter of the kernel.
    fn given(&mut self, given: Given) -> String {
        let known = self.given.iter().position(|known| *known == given);
        let at = known.unwrap_or(self.given.len());
        if known.is_none() {
            self.given.push(given);
        }
        format!("g{at}")
    }

    fn is_number(&self, var: VarId) -> bool {
        matches!(self.routine.var(var).ty, Ty::Int | Ty::Bool)
    }

    fn name(&mut self, var: VarId) -> String {
        let next = self.names.len();
        let number = *self.names.entry(var).or_insert(next);
        let kind = if self.is_number(var) { 'n' } else { 's' };
        format!("{kind}{number}")
    }

    /// Returns the name of a variable that is read.
    fn read(&mut self, var: VarId) -> String {
        if !self.assigned.contains(&var) {
            self.outer.insert(var);
        }
        self.name(var)
    }

    fn number(&mut self, operand: &Operand) -> Option<String> {
        Some(match operand {
            Operand::Var(var) => self.read(*var),
            Operand::Int(number) => format!("({number}i)"),
            Operand::Bool(truth) => format!("{}i", u8::from(*truth)),
            Operand::Str(_) => return None,
        })
    }

    fn assign(&mut self, dst: VarId, value: &str) {
        let name = self.name(dst);
        let _ = writeln!(self.body, "    {name} = {value};");
        self.assigned.insert(dst);
    }

    /// Returns the position of a limb of a column.
    fn column(&mut self, table: VarId, index: &Operand) -> Option<String> {
        let (at, stride) = (self.given(Given::Table(table)), self.given(Given::Stride(table)));
        let index = self.number(index)?;
        Some(format!("{at} + u32({index} - 1i) * {stride} + x"))
    }

    fn statement(&mut self, stmt: &Stmt) -> Option<()> {
        if !self.needed.executes(stmt) {
            return Some(());
        }
        match &stmt.kind {
            StmtKind::Simple(Simple::Assign(dst, op)) => self.operation(*dst, op),
            StmtKind::Simple(Simple::PutColumn { table, index, value }) => {
                let value = self.read(*value);
                let column = self.column(*table, index)?;
                let _ = writeln!(self.body, "    store({column}, {value});");
                Some(())
            }
            StmtKind::Simple(Simple::Size(SizeOp::Latch { dst, size })) => {
                let size = self.given(Given::Size(*dst, size.clone()));
                self.assign(*dst, &format!("i32({size})"));
                Some(())
            }
            StmtKind::For { label: _, var, from, to, down, body } => {
                self.counted_loop(*var, (from, to), *down, body)
            }
            StmtKind::Forall { var, range: ForallRange::Range(from, to), body, .. } => {
                self.counted_loop(*var, (from, to), false, body)
            }
            StmtKind::Kernel(kernel) => self.block(&kernel.fallback),
            StmtKind::If { test, then, otherwise } => {
                let test = self.number(test)?;
                let before = self.assigned.clone();
                let _ = writeln!(self.body, "    if ({test} != 0i) {{");
                self.block(then)?;
                let then = std::mem::replace(&mut self.assigned, before);
                let _ = writeln!(self.body, "    }} else {{");
                self.block(otherwise)?;
                let _ = writeln!(self.body, "    }}");
                self.assigned.retain(|var| then.contains(var));
                Some(())
            }
            _ => None,
        }
    }

    fn counted_loop(
        &mut self,
        var: VarId,
        (from, to): (&Operand, &Operand),
        down: bool,
        body: &[Stmt],
    ) -> Option<()> {
        let (from, to) = (self.number(from)?, self.number(to)?);
        let before = self.assigned.clone();
        self.loops += 1;
        let own = self.loops;
        let (relation, step) = if down { (">=", "-") } else { ("<=", "+") };
        let _ = writeln!(
            self.body,
            "    let to{own} = {to};
    for (var i{own} = {from}; i{own} {relation} to{own}; i{own} = i{own} {step} 1i) {{"
        );
        self.assign(var, &format!("i{own}"));
        self.block(body)?;
        let _ = writeln!(self.body, "    }}");
        self.assigned = before;
        Some(())
    }

    fn operation(&mut self, dst: VarId, op: &Op) -> Option<()> {
        let value = match op {
            Op::Copy(Operand::Var(of)) => self.read(*of),
            Op::Copy(of) => self.number(of)?,
            Op::Fill(_, true) => "ones".to_owned(),
            Op::Fill(_, false) => format!("L({ZEROS})"),
            Op::BitsNot(of) => format!("ones & ~{}", self.read(*of)),
            Op::BitsLogic(op, left, right) => {
                let (left, right) = (self.read(*left), self.read(*right));
                format!("{left} {} {right}", sign(*op))
            }
            Op::Column(table, index) => format!("load({})", self.column(*table, index)?),
            Op::Int(op, left, right) => {
                let sign = match op {
                    IntOp::Add => "+",
                    IntOp::Sub => "-",
                    IntOp::Mul => "*",
                    IntOp::Div => "/",
                    IntOp::Mod => "%",
                };
                format!("{} {sign} {}", self.number(left)?, self.number(right)?)
            }
            Op::Compare(relation, left, right) => {
                let sign = match relation {
                    Relation::Eq => "==",
                    Relation::Ne => "!=",
                    Relation::Lt => "<",
                    Relation::Le => "<=",
                    Relation::Gt => ">",
                    Relation::Ge => ">=",
                };
                let (left, right) = (self.number(left)?, self.number(right)?);
                format!("select(0i, 1i, {left} {sign} {right})")
            }
            Op::Not(of) => format!("1i - {}", self.number(of)?),
            Op::Logic(op, left, right) => {
                format!("{} {} {}", self.number(left)?, sign(*op), self.number(right)?)
            }
            Op::Component(word, index) => {
                // The first limb of a word is loaded at the start: loading it for each bit would
                // take as long as loading a column.
                let word = self.given(Given::Word(*word));
                format!("bit({word}, first_{word}, {})", self.number(index)?)
            }
            Op::Length(of) => self.size(dst, SizeOperand::Length(*of)),
            Op::Rows(of) => self.size(dst, SizeOperand::Rows(*of)),
            Op::Columns(of) => self.size(dst, SizeOperand::Columns(*of)),
            Op::Query(query, of) => {
                let of = self.read(*of);
                let of = if *query == Query::All { format!("ones & ~{of}") } else { of };
                self.query(dst, *query, &of);
                return Some(());
            }
            Op::BitsEqual(left, right) => {
                let of = format!("{} ^ {}", self.read(*left), self.read(*right));
                self.query(dst, Query::None, &of);
                return Some(());
            }
            _ => return None,
        };
        self.assign(dst, &value);
        Some(())
    }

    fn size(&mut self, dst: VarId, size: SizeOperand) -> String {
        format!("i32({})", self.given(Given::Size(dst, size)))
    }

    fn query(&mut self, dst: VarId, query: Query, of: &str) {
        let found = match query {
            Query::Any | Query::None | Query::All => format!("min({ANY}, 1u)"),
            Query::First => FIRST.to_owned(),
            Query::Count => COUNT.to_owned(),
        };
        let _ = writeln!(
            self.body,
            "    {{ let s = {of}; let one = {found}; if (one != 0u) {{ {}(&found{}, one); }} }}",
            atomic(query),
            self.queries.len()
        );
        self.queries.push(FusedQuery { dst, query });
    }

    /// Returns the whole text, its parameters, and its queries; these slices are needed after it.
    pub(super) fn kernel(mut self, slices: &[VarId]) -> (String, Vec<Given>, Vec<FusedQuery>) {
        let mut stores = String::new();
        for &slice in slices {
            if !self.names.contains_key(&slice) {
                // Only its size changes.
                continue;
            }
            let (out, name) = (self.given(Given::Out(slice)), self.read(slice));
            let _ = writeln!(stores, "    if ({out} != 0u) {{ store({out} + x, {name}); }}");
        }
        let mut named: Vec<(VarId, usize)> = self.names.clone().into_iter().collect();
        named.sort_unstable_by_key(|(_, number)| *number);
        let mut vars = String::new();
        for (var, _) in named {
            let (name, is_outer) = (self.name(var), self.outer.contains(&var));
            let _ = match (self.is_number(var), is_outer) {
                (true, false) => writeln!(vars, "    var {name} = 0i;"),
                (true, true) => {
                    let first = self.given(Given::Number(var));
                    writeln!(vars, "    var {name} = i32({first});")
                }
                (false, false) => writeln!(vars, "    var {name} = L({ZEROS});"),
                (false, true) => {
                    let first = self.given(Given::In(var));
                    writeln!(
                        vars,
                        "    var {name} = L({ZEROS}); if ({first} != 0u) {{ {name} = load({first} + x); }}"
                    )
                }
            };
        }
        let mut lets = String::new();
        for (at, given) in self.given.iter().enumerate() {
            let word = match at.checked_sub(IN_GIVEN) {
                None => format!("given[{}][{}]", (FIRST_GIVEN + at) / 4, (FIRST_GIVEN + at) % 4),
                Some(beyond) => format!("word(given[1].z + {beyond}u)"),
            };
            let _ = writeln!(lets, "  let g{at} = {word};");
            if matches!(given, Given::Word(_)) {
                let _ = writeln!(lets, "  let first_g{at} = word(g{at});");
            }
        }
        let slots: String = (0..self.queries.len())
            .map(|idx| format!("var<workgroup> found{idx}: atomic<u32>;\n"))
            .collect();
        let mut leaves = String::new();
        if !self.queries.is_empty() {
            let n = self.queries.len();
            leaves = format!(
                "  workgroupBarrier();
  if (lane == 0u) {{
    let at = given[1].y + first / {THREADS}u * (({n}u + #Wu - 1u) / #Wu);
{}  }}
",
                (0..n)
                    .map(|idx| format!(
                        "    store_word(at + {idx}u / #Wu, {idx}u % #Wu, atomicLoad(&found{idx}));\n"
                    ))
                    .collect::<String>()
            );
        }
        let text = format!(
            "{HEAD}{slots}
@compute @workgroup_size({THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let first = given[0].x + (group.x + group.y * given[0].z) * {THREADS}u;
  let x = first + lane;
  let rows = given[1].x;
{lets}  if (x < given[0].y) {{
    let ones = L({ONES});
{vars}{body}{stores}  }}
{leaves}}}
",
            body = self.body
        );
        (text, self.given, self.queries)
    }
}

fn sign(op: LogicOp) -> &'static str {
    match op {
        LogicOp::And => "&",
        LogicOp::Or => "|",
        LogicOp::Xor => "^",
    }
}
