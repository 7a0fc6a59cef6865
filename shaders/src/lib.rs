//! Shaders of the GPU backend as data.
//!
//! * [`op`]: the operations of the register code with their numbers, shared by the shader, the
//!   compiler and the emulator of the shader in Rust.
//! * [`layout`]: the memory layout shared by host and device: state, frames, descriptors.
//! * [`memory`]: loads and stores of a kernel, on any number of buffers.
//! * [`control_unit`]: the kernel that interprets register code, the same for every program with
//!   the same [`Variant`]; [`wide`]: the kernel that computes its longest lines.
//! * [`intrinsics`]: kernels over a grid that implement library routines.
//!
//! The constants for operations and layout in the shader are generated from the tables here, so
//! that nothing is kept consistent by hand.

pub mod intrinsics;
pub mod layout;
pub mod memory;
pub mod op;

pub use memory::{Banks, Limb, Shader};
pub use op::{Generator, Join, Op, Reduce, Then};

use std::fmt::Write;

/// Generators of the limbs of a line, and the computation of one limb. The latter is a text rather
/// than a function: as a function of a structure with a length test in all lines, it made DIJKSTRA
/// a tenth to a quarter slower on a graphics card.
const LIMBS: &str = include_str!("../wgsl/limbs.wgsl");
const MAKE_LIMB: &str = include_str!("../wgsl/limb.wgsl");
/// The write of a row, and four columns of an instruction over lines, for the same reason.
const PUT_ROW: &str = include_str!("../wgsl/put_row.wgsl");
const FOUR_COLUMNS: &str = include_str!("../wgsl/four_columns.wgsl");
/// The text of the control unit after its constants, and that of its longest instruction.
const CONTROL_UNIT: &str = include_str!("../wgsl/control_unit.wgsl");
const OVER_LINES: &str = include_str!("../wgsl/control_unit/lines.wgsl");
/// The part for lines that may be wide.
const OF_WIDE_LINES: &str = include_str!("../wgsl/control_unit/wide.wgsl");
const ENDS_QUEUE: &str = include_str!("../wgsl/control_unit/queue.wgsl");
/// The part that leaves an instruction over lines to the other kernel, and the part that continues
/// after that kernel.
const LEAVES_LINES: &str = include_str!("../wgsl/control_unit/leaves.wgsl");
const WAS_MADE: &str = include_str!("../wgsl/control_unit/made.wgsl");

/// The kernel of wide lines, and its instruction over lines.
const WIDE: &str = include_str!("../wgsl/wide.wgsl");
const WIDE_OVER_LINES: &str = include_str!("../wgsl/wide/lines.wgsl");

/// Returns every shader that is not generated from a program, with a name, for workgroups of this
/// number of threads where it can be chosen.
pub fn all(threads: u32) -> Vec<(String, Shader)> {
    use intrinsics::{
        arcs, cbt, closure, min_plus, moving, numbers, polyline, terrain, wave, weighed,
    };
    let units = Variant::all().map(|variant| (variant.name(), control_unit(threads, variant)));
    let others = [
        ("empty", empty(threads)),
        ("wide", wide(threads)),
        ("closure-whole", closure::whole(closure::LANES[0])),
        ("closure-whole-of-few-threads", closure::whole(closure::LANES[1])),
        ("closure-round", closure::round()),
        ("closure-reach", closure::reach(closure::THREADS[0])),
        ("closure-reach-of-few-threads", closure::reach(closure::THREADS[1])),
        ("min-plus-read", min_plus::read()),
        ("min-plus-greatest", min_plus::greatest()),
        ("min-plus-pivots", min_plus::pivots()),
        ("min-plus-all", min_plus::all()),
        ("min-plus-write", min_plus::write()),
    ];
    let others = others.map(|(name, shader)| (name.to_owned(), shader));
    let numbers = numbers::all(threads).map(|(name, shader)| (format!("numbers-{name}"), shader));
    let objects = moving::all(threads).map(|(name, shader)| (format!("moving-{name}"), shader));
    let lines = polyline::all(threads).map(|(name, shader)| (format!("polyline-{name}"), shader));
    let trees = [
        (cbt::Groups::USUAL, ""),
        (cbt::Groups::SHALLOW, "-shallow"),
        (cbt::Groups::SMALL, "-of-few-threads"),
    ];
    let trees = trees.into_iter().flat_map(|(groups, size)| {
        let trees = cbt::all(groups).map(|(name, shader)| (format!("cbt-{name}{size}"), shader));
        let meshes = terrain::all(groups);
        trees
            .into_iter()
            .chain(meshes.map(|(name, shader)| (format!("terrain-{name}{size}"), shader)))
    });
    let waves = [(wave::Tiles::USUAL, ""), (wave::Tiles::SMALL, "-of-few-threads")];
    let waves = waves.into_iter().flat_map(|(tiles, size)| {
        wave::all(tiles).map(|(name, shader)| (format!("wave-{name}{size}"), shader))
    });
    let weighted = [(weighed::Tiles::USUAL, ""), (weighed::Tiles::SMALL, "-of-few-threads")];
    let weighted = weighted.into_iter().flat_map(|(tiles, size)| {
        weighed::all(tiles).map(|(name, shader)| (format!("weighed-{name}{size}"), shader))
    });
    let lists = [(arcs::Groups::USUAL, ""), (arcs::Groups::SMALL, "-of-few-threads")];
    let lists = lists.into_iter().flat_map(|(groups, size)| {
        arcs::all(groups).map(|(name, shader)| (format!("arcs-{name}{size}"), shader))
    });
    units
        .chain(others)
        .chain(numbers)
        .chain(objects)
        .chain(lines)
        .chain(trees)
        .chain(waves)
        .chain(weighted)
        .chain(lists)
        .collect()
}

/// A variant of the control unit: its parts in addition to the instructions that every program may
/// need. A driver compiles longer the more parts it has (an H100's 0.46 s for none, 0.39 s more for
/// instructions over lines), so a program gets the smallest sufficient variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Tests for each line whether it is [`wide`]; otherwise it computes all of them.
    pub wide: bool,
    /// Instructions over lines.
    pub lines: bool,
    /// Calls.
    pub calls: bool,
    /// Division, arithmetic of words, shifts, and instructions that update a profile.
    pub rare: bool,
}

/// Operations of [`Variant::rare`], and generators of lines.
const RARE: [Op; 9] = [
    Op::Div,
    Op::Mod,
    Op::WordAdd,
    Op::WordSub,
    Op::WordToInt,
    Op::Tally,
    Op::Charge,
    Op::Open,
    Op::Close,
];
const RARE_LINES: [Generator; 5] = [
    Generator::Funnel,
    Generator::Rotate,
    Generator::Mirror,
    Generator::Shuffle,
    Generator::Replace,
];

impl Variant {
    /// Returns the requirements of this register code.
    pub fn of(code: &[u32]) -> Variant {
        let mut variant = Variant::default();
        for inst in code.chunks(layout::INST_WORDS as usize) {
            let is = |op: Op| inst.first().is_some_and(|first| first & 0xff == op as u32);
            variant.lines |= is(Op::Lines);
            variant.calls |=
                [Op::Prepare, Op::Lend, Op::Give, Op::Take, Op::Call].into_iter().any(is);
            let from =
                |it: Generator| inst.first().is_some_and(|first| first >> 12 & 15 == it as u32);
            variant.rare |= RARE.into_iter().any(is);
            variant.rare |= is(Op::Line) && RARE_LINES.into_iter().any(from);
        }
        variant
    }

    /// The variant with all parts.
    pub const FULL: Variant = Variant { wide: true, lines: true, calls: true, rare: true };
    /// Number of variants.
    pub const COUNT: usize = 16;

    fn all() -> impl Iterator<Item = Variant> {
        (0..Variant::COUNT).map(|number| {
            let has = |part: usize| number >> part & 1 != 0;
            Variant { wide: has(0), lines: has(1), calls: has(2), rare: has(3) }
        })
    }

    /// Returns its number among all variants.
    pub fn number(self) -> usize {
        self.named().into_iter().rev().fold(0, |number, (_, has)| 2 * number + usize::from(has))
    }

    /// Returns the names of the parts in the text.
    fn named(self) -> [(&'static str, bool); 4] {
        let Variant { wide, lines, calls, rare } = self;
        [("WIDE", wide), ("LINES", lines), ("CALLS", calls), ("RARE", rare)]
    }

    fn name(self) -> String {
        let parts = self.named().into_iter().filter(|(_, has)| *has);
        let parts = parts.map(|(name, _)| format!("-{}", name.to_lowercase()));
        std::iter::once("control-unit".to_owned()).chain(parts).collect()
    }

    /// Returns the text without the lines of other variants: those between `#ifdef` and `#else` or
    /// `#endif`, or between `#else` and `#endif`.
    fn keep(self, text: &str) -> String {
        let mut keeps = true;
        let mut kept = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match line.trim_end().strip_prefix('#') {
                Some("else") => keeps = !keeps,
                Some("endif") => keeps = true,
                Some(test) => {
                    keeps = self.named().iter().any(|(name, has)| {
                        *has && test.strip_prefix("ifdef ").is_some_and(|part| part == *name)
                    });
                }
                None if keeps => kept.push_str(line),
                None => {}
            }
        }
        kept
    }
}

/// Returns the constants and the common code of the control unit and the kernel of wide lines, for
/// workgroups of this number of threads.
fn common(threads: u32) -> String {
    let mut text = String::new();
    let mut constant = |name: &str, value: u32| {
        writeln!(text, "const {name} = {value}u;").expect("writing to a string does not fail");
    };
    constant("THREADS", threads);
    Op::ALL.iter().for_each(|op| constant(op.constant(), *op as u32));
    Generator::ALL.iter().for_each(|it| constant(it.constant(), *it as u32));
    Reduce::ALL.iter().for_each(|it| constant(it.constant(), *it as u32));
    Then::ALL.iter().for_each(|it| constant(it.constant(), *it as u32));
    Join::ALL.iter().for_each(|it| constant(it.constant(), *it as u32));
    constant("MOST_LISTED", layout::most_listed(threads));
    layout::CONSTANTS.iter().for_each(|(name, value)| constant(name, *value));
    text + LIMBS
}

/// Returns the kernel that computes the limbs of lines which are too long for one workgroup (Note
/// \[Wide lines\] in star-gpu); one dimension of workgroups of this number of threads. It has the
/// same bindings as the control unit.
pub fn wide(threads: u32) -> Shader {
    let limb = MAKE_LIMB.replace("STRIDE_OF_Y", "kept[line + W_STRIDE_Y]");
    let limb = limb.replace("LITERAL_AT", "kept[line + W_LITERALS]");
    let body = WIDE.replace("OVER_LINES\n", WIDE_OVER_LINES).replace("MAKE_LIMB\n", &limb);
    Shader { limb: Limb::Word, body: common(threads) + &Variant::FULL.keep(&in_both(&body)) }
}

/// Inserts the parts common to both kernels.
fn in_both(text: &str) -> String {
    text.replace("PUT_ROW\n", PUT_ROW).replace("FOUR_COLUMNS\n", FOUR_COLUMNS)
}

/// Returns a kernel with the workgroup and the memory of the control unit that does nothing, to
/// test whether an adapter accepts these.
pub fn empty(threads: u32) -> Shader {
    let body =
        format!("@compute @workgroup_size({threads})\nfn main() {{ store(0u, load(0u)); }}\n");
    Shader { limb: Limb::Word, body }
}

/// Returns the control unit for a workgroup of this number of threads.
pub fn control_unit(threads: u32, variant: Variant) -> Shader {
    let registers = |from: &str, first: u32, n: u32| -> String {
        let each = (0..n).map(|to| {
            let at = first + 2 * to;
            format!("r[{to}u] = vec2<u32>({from}[{at}u], {from}[{}u]);\n", at + 1)
        });
        each.collect()
    };
    let begin = registers("begin", layout::state::REGISTERS, layout::REGISTERS);
    let back = registers("back", 0, layout::STAGING);
    let unit = CONTROL_UNIT.replace("BEGIN_REGISTERS\n", &begin).replace("BACK_REGISTERS\n", &back);
    let unit = unit.replace("OVER_LINES\n", OVER_LINES);
    let unit = unit.replace("LEAVES_LINES\n", LEAVES_LINES).replace("WAS_MADE\n", WAS_MADE);
    let limb = MAKE_LIMB.replace("STRIDE_OF_Y", "near(dy + D_STRIDE)");
    let limb = limb.replace("LITERAL_AT", "begin[S_LITERALS] + Q.x");
    let unit = unit.replace("OF_WIDE_LINES\n", OF_WIDE_LINES).replace("ENDS_QUEUE\n", ENDS_QUEUE);
    let unit = in_both(&unit.replace("MAKE_LIMB\n", &limb));
    Shader { limb: Limb::Word, body: common(threads) + &variant.keep(&unit) }
}
