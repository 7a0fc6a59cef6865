//! Register code and kernels as text, for compiler development, and for validation by other drivers
//! and browsers.

use std::fmt;
use std::sync::Arc;

use star_ir::{Program, Sense};
use star_shaders::{Banks, Generator, Join, Limb, Reduce, Shader};

use crate::backend::parts_of;
use crate::code::{Inst, LineKind, LinesKind, NO_TARGET};
use crate::compile::{Choices, SiteKind, Unsupported};
use crate::fuse;
use crate::grid::LEAST_BITS;
use crate::program::Code;

/// Returns the register code of all routines of a program, one instruction a line with its number
/// in the routine; for a routine for which the device has no code, the reason.
pub fn listing(program: Program) -> String {
    let mut parts = Vec::new();
    parts_of(&program, &mut parts);
    let code = Code::new(
        program,
        Arc::from(parts),
        Choices { counts_steps: false, intrinsics: false, lifts: None, profiles: false },
    );
    let mut text = String::new();
    for (routine, compiled) in code.program.routines.iter().zip(&code.routines) {
        match compiled {
            Ok(compiled) => {
                let (objects, cells) = (compiled.objects.len(), compiled.cells);
                text += &format!("{}: {objects} objects, {cells} cells\n", routine.name);
                for (at, inst) in compiled.insts.iter().enumerate() {
                    text += &format!("{at:5}  {inst}\n");
                }
            }
            Err(Unsupported(what)) => {
                text += &format!("{}: no register code for {what}\n", routine.name);
            }
        }
    }
    text
}

/// Returns every kernel that is not generated from a program, with a name, as WGSL for memory in
/// one buffer and in several.
pub fn shaders() -> Vec<(String, String)> {
    let all = [8, 256].into_iter().flat_map(|threads| {
        let named = star_shaders::all(threads).into_iter();
        named.map(move |(name, shader)| (format!("{name}-{threads}"), shader))
    });
    let mut texts: Vec<_> = all.flat_map(|(name, shader)| on_banks(&name, &shader)).collect();
    for (sense, name) in [(Sense::Min, "min"), (Sense::Max, "max")] {
        for limb in [Limb::Pair, Limb::Four] {
            let made = fuse::kernels(sense, limb);
            for (part, shader) in
                [("blocks", made.blocks), ("least", made.least), ("keep", made.keep)]
            {
                texts.extend(on_banks(&format!("{name}-{limb:?}-{part}"), &shader));
            }
        }
    }
    texts
}

/// Returns in the same way the kernels that an optimised program has over a grid: loops over lines,
/// sequences of operations on slices.
pub fn kernels(program: Program) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    parts_of(&program, &mut parts);
    let choices =
        Choices { counts_steps: false, intrinsics: true, lifts: Some(LEAST_BITS), profiles: false };
    let code = Code::new(program, Arc::from(parts), choices);
    let mut texts = Vec::new();
    for (routine, compiled) in code.program.routines.iter().zip(&code.routines) {
        let Ok(compiled) = compiled else { continue };
        for (number, site) in compiled.sites.iter().enumerate() {
            let of_site: Vec<&Shader> = match &site.kind {
                SiteKind::Lifted(lifted, _) => vec![&lifted.shader],
                SiteKind::Fused(fused, _) => {
                    let both = [fused.text(false), fused.text(true)];
                    both.into_iter().chain(fused.gather()).collect()
                }
                _ => Vec::new(),
            };
            for (part, shader) in of_site.into_iter().enumerate() {
                texts.extend(on_banks(&format!("{}-{number}-{part}", routine.name), shader));
            }
        }
    }
    texts
}

fn on_banks(name: &str, shader: &Shader) -> [(String, String); 2] {
    let on = |count: u32| (format!("{name}-{count}"), shader.text(Banks { count, log_words: 28 }));
    [on(1), on(4)]
}

/// The operation, its result, its operands, and other fields. Registers are r, objects o, numbers
/// #.
impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sync {
            f.write_str("sync ")?;
        }
        if let Some(d) = self.d {
            write!(f, "r{} := ", d.0)?;
        }
        f.write_str(self.op.name())?;
        for (name, reg) in [("a", self.a), ("b", self.b), ("c", self.c)] {
            if let Some(reg) = reg {
                write!(f, " {name}=r{}", reg.0)?;
            }
        }
        let objects = [("x", self.x), ("y", self.y), ("z", self.z), ("w", self.w), ("v", self.v)];
        for (name, object) in objects {
            if let Some(object) = object {
                write!(f, " {name}=o{}", object.0)?;
            }
        }
        if let Some(LineKind { table, generator, reduce, stores, clears }) = self.line {
            write!(f, " {}", generator.name())?;
            if generator == Generator::Logic {
                write!(f, " {table:04b}")?;
            }
            if reduce != Reduce::Nothing {
                write!(f, " {}", reduce.name())?;
            }
            for (holds, word) in [(stores, " stores"), (clears, " clears")] {
                if holds {
                    f.write_str(word)?;
                }
            }
        }
        if let Some(LinesKind { join, is_word, is_loop: _ }) = self.lines {
            let of = match (is_word, join) {
                (true, Join::Store) => " field",
                (true, _) => " word",
                (false, _) => "",
            };
            write!(f, " {:032b} {}{of}", self.imm, join.name())?;
        } else if self.imm != 0 {
            write!(f, " #{}", self.imm)?;
        }
        if let Some(then) = self.then {
            write!(f, ", {}", then.name())?;
        }
        if self.target != NO_TARGET {
            write!(f, " -> {}", self.target)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routines_are_listed_with_operation_names() {
        let text = "routine 0 \"F\" (value %x: slice[8], ref %s: int) !0 {\n  %s = count %x !0\n}\nlocations {\n  !0 = 0:0..0\n}\n";
        let listing = listing(star_ir::parse(text).expect("it is SIR"));
        let lines: Vec<&str> = listing.lines().collect();
        assert!(lines[0].starts_with("F: 1 objects"), "{listing}");
        assert!(listing.contains("line y=o0 logic 1100 count"), "{listing}");
        assert!(lines.last().is_some_and(|last| last.contains("return")), "{listing}");
    }

    #[test]
    fn a_table_of_zeros_and_a_copy_are_one_instruction_each() {
        let text = "routine 0 \"F\" (ref %T: table[8, 3]) !0 {\n  var %U: table[8, 3]\n  %U = new_table 8, 3 !0\n  %T = copy %U !0\n}\nlocations {\n  !0 = 0:0..0\n}\n";
        let listing = listing(star_ir::parse(text).unwrap_or_else(|error| panic!("{error}")));
        let lines =
            listing.lines().filter(|line| line.contains("lines ") && line.contains(" store"));
        assert_eq!(lines.count(), 2, "{listing}");
    }

    /// Returns the instructions of an iteration of the first loop of a routine with these
    /// statements in it.
    fn iteration_of(statements: &str) -> Vec<String> {
        let text = format!(
            "routine 0 \"F\" (value %k: int, ref %T: table[?, ?], ref %U: table[?, ?], value %V: slice[?], ref %W: slice[?]) !0 {{\n  \
             var %i: int\n  var %X: slice[?]\n  var %Y: slice[?]\n  var %Z: slice[?]\n  var %f: int\n  \
             for @0 %i = 1 to %k !0 {{\n{statements}  }}\n}}\nlocations {{\n  !0 = 0:0..0\n}}\n"
        );
        let listing = listing(star_ir::parse(&text).unwrap_or_else(|error| panic!("{error}")));
        let iteration = listing.lines().skip_while(|line| !line.contains("  iteration"));
        let iteration = iteration.take_while(|line| !line.contains("return")).map(str::to_owned);
        iteration.filter(|line| line.contains("line") || line.contains("shape")).collect()
    }

    #[test]
    fn columns_and_complements_are_operands() {
        let iteration = iteration_of(
            "%X = column %T, %i !0\n%Y = bits_not %X !0\n%Z = bits_and %V, %Y !0\nput_column %U, %i, %Z !0\n",
        );
        assert_eq!(iteration.len(), 1, "{iteration:?}");
        assert!(iteration[0].contains("x=o1 y=o2 z=o0 logic 0100 stores"), "{iteration:?}");
    }

    #[test]
    fn sizes_are_hoisted_and_dead_stores_are_removed() {
        // The first copy is overwritten; X is read after its change, so it is computed.
        let iteration = iteration_of(
            "%X = copy %V !0\n%X = column %T, %i !0\n%X = bits_xor %X, %V !0\n%W = bits_or %W, %X !0\n%U = copy %T !0\n",
        );
        let shapes = iteration.iter().filter(|line| line.contains("shape")).count();
        let made = iteration.iter().filter(|line| line.contains("logic")).count();
        // The table belongs to the caller, and may be observed at any time.
        assert_eq!((shapes, made), (1, 2), "{iteration:?}");
    }

    #[test]
    fn an_unchecked_size_stays_after_its_guard() {
        let iteration = iteration_of(
            "check not_negative %k !0\n%X = fill %k, true !0\n%W = bits_or %W, %X !0\n",
        );
        assert_eq!(
            iteration.iter().filter(|line| line.contains("shape")).count(),
            1,
            "{iteration:?}"
        );
    }

    #[test]
    fn a_line_and_its_query_are_one_instruction() {
        let iteration = iteration_of("%W = bits_or %W, %V !0\n%f = first %W !0\n");
        assert_eq!(iteration.len(), 1, "{iteration:?}");
        assert!(iteration[0].contains("logic 1110 first stores"), "{iteration:?}");
        // The register of a second operand is that of an end of the mask.
        let iteration =
            iteration_of("%W = mask %k, %i, %k !0\n%f = first %W !0\nput %W, %f, 1 !0\n");
        assert_eq!(
            iteration.iter().filter(|line| line.contains("line")).count(),
            2,
            "{iteration:?}"
        );
    }

    #[test]
    fn kernel_names_are_unique() {
        let mut names: Vec<String> = shaders().into_iter().map(|(name, _)| name).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
        assert!(names.iter().any(|name| name.starts_with("min-")));
    }

    #[test]
    fn an_iteration_is_few_instructions() {
        let text = "routine 0 \"F\" (value %k: int) -> %s !0 {\n  var %s: int\n  var %i: int\n  for @0 %i = 1 to %k !0 {\n    check add %i, 2 !0\n    %s = add %i, 2 !0\n  }\n}\nlocations {\n  !0 = 0:0..0\n}\n";
        let listing = listing(star_ir::parse(text).expect("it is SIR"));
        // The iteration, the variable, the sum with its guard, the test for the last iteration, the
        // next one.
        let iteration = listing.lines().skip_while(|line| !line.contains("  iteration"));
        let iteration: Vec<&str> = iteration.take_while(|line| !line.contains("return")).collect();
        assert!(iteration.len() <= 7, "{listing}");
        assert!(listing.contains(", jump-nonzero ->"), "{listing}");
        assert!(listing.contains(", jump ->"), "{listing}");
    }
}
