//! Advice for mismatched sizes at the start of a routine: it lists the sizes of all arguments,
//! since the wrong one need not be the one that was checked last.

use star_bind::offer::Offer;
use star_bind::{Binding, Origin, Signature};
use star_io::Layout;
use star_ir::{NamedSize, Program, TrapKind};
use star_vm::{Argument, HostValue, Outcome};

use crate::text;

/// The sizes of the arguments of a run.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// The parameters bound to vertex codes from `--graph`, with its file.
    offered_codes: Vec<(String, String)>,
    /// Descriptions of the sizes.
    sizes: Vec<String>,
}

impl Sizes {
    /// Collects what is known before the files are read.
    pub(super) fn of_origins(entry: &Signature, binding: &Binding, graph: Option<&str>) -> Self {
        let params = entry.params.iter().zip(&binding.origins);
        let codes = params.filter(|(_, origin)| match origin {
            Origin::Offer(offer) => *offer == Offer::Layout(Layout::Code),
            Origin::Argument(_) | Origin::Unset => false,
        });
        let graph = text::one_line(graph.unwrap_or_default());
        let offered_codes = codes.map(|(param, _)| (param.name.clone(), graph.clone())).collect();
        Sizes { offered_codes, sizes: Vec::new() }
    }

    /// Adds the sizes of the values.
    pub(super) fn take(&mut self, entry: &Signature, arguments: &[Argument]) {
        let sizes = entry.params.iter().zip(arguments).filter_map(|(param, argument)| {
            let size = match &argument.value {
                HostValue::Table(table) => {
                    format!("a table of {} × {}", table.n_rows(), table.n_cols())
                }
                HostValue::Slice(slice) => format!("a slice of {}", slice.len()),
                HostValue::Word(word) => format!("a word of {}", word.len()),
                HostValue::Unset | HostValue::Int(_) | HostValue::Bool(_) | HostValue::Str(_) => {
                    return None;
                }
            };
            Some(format!("`{}` is {size}", param.name))
        });
        self.sizes = sizes.collect();
    }

    /// Returns notes and help for a run that ended because sizes did not match the header of its
    /// routine.
    pub(super) fn advice(&self, stop: &Outcome, program: &Program) -> (Vec<String>, Vec<String>) {
        let Outcome::Trap(trap) = stop else { return Default::default() };
        let TrapKind::Size { left, right } = &trap.kind else { return Default::default() };
        let is_entry = program.location(trap.loc).at_call && trap.call_stack(program).len() == 1;
        if !is_entry {
            return Default::default();
        }
        let notes = match self.sizes.as_slice() {
            [] | [_] => Vec::new(),
            sizes => vec![sizes.join(", ")],
        };
        let wants_twice = |(name, file): &&(String, String)| {
            let sides = [(left, right), (right, left)];
            sides.into_iter().any(|((of, found), (_, wanted))| {
                matches!(of, NamedSize::Rows(Some(of)) if of == name)
                    && found.checked_mul(2) == Some(*wanted)
                    && !file.is_empty()
            })
        };
        let help = self.offered_codes.iter().filter(wants_twice).map(|(name, file)| {
            format!("`{name}={}:{file}` has codes for twice as many", Layout::CodeDouble.name())
        });
        (notes, help.collect())
    }
}
