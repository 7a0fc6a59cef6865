//! Advice for runs that end because of their arguments: mismatched sizes at the start of a routine,
//! where it lists the sizes of all arguments, since the wrong one need not be the one that was
//! checked last; and parameters without a value.

use std::collections::BTreeMap;

use star_bind::offer::Offer;
use star_bind::{Binding, LeftTable, Origin, Signature};
use star_io::Layout;
use star_ir::{NamedSize, Program, TrapKind};
use star_value::{Argument, Value};
use star_vm::Outcome;

use crate::text;

/// The sizes of the arguments of a run.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    /// The parameters bound to vertex codes from `--graph`, with its file.
    offered_codes: Vec<(String, String)>,
    /// Descriptions of the sizes.
    sizes: Vec<String>,
    /// The parameters without a value.
    not_given: Vec<String>,
}

/// Additional lines of a message.
#[derive(Debug, Default)]
pub(super) struct SizeAdvice {
    /// The causes.
    pub(super) notes: Vec<String>,
    /// The suggested actions.
    pub(super) help: Vec<String>,
    /// Whether the help of the message does not apply.
    pub(super) replaces_help: bool,
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
        let params = entry.params.iter().zip(&binding.origins);
        let not_given = params.filter(|(_, origin)| matches!(origin, Origin::Unset));
        let not_given = not_given.map(|(param, _)| param.name.clone()).collect();
        Sizes { offered_codes, sizes: Vec::new(), not_given }
    }

    /// Adds the sizes of the values.
    pub(super) fn take(
        &mut self,
        entry: &Signature,
        arguments: &[Argument],
        tables: &BTreeMap<usize, LeftTable>,
    ) {
        let params = entry.params.iter().zip(arguments).enumerate();
        let table = |(n_rows, n_cols): (usize, usize)| format!("a table of {n_rows} × {n_cols}");
        let sizes = params.filter_map(|(idx, (param, argument))| {
            let size = match &argument.value {
                Value::Unset => table(tables.get(&idx)?.shape()),
                Value::Table(given) => table((given.n_rows(), given.n_cols())),
                Value::Slice(slice) => format!("a slice of {}", slice.len()),
                Value::Word(word) => format!("a word of {}", word.len()),
                Value::Int(_) | Value::Bool(_) | Value::Str(_) => return None,
            };
            Some(format!("`{}` is {size}", param.name))
        });
        self.sizes = sizes.collect();
    }

    /// Returns notes and help for a run that ended because sizes did not match the header of its
    /// routine, or because it read a parameter without a value.
    pub(super) fn advice(&self, stop: &Outcome, program: &Program) -> SizeAdvice {
        let Outcome::Trap(trap) = stop else { return SizeAdvice::default() };
        let is_outermost = trap.call_stack(program).len() == 1;
        let (left, right) = match &trap.kind {
            TrapKind::NoSize(Some(name)) | TrapKind::Unset(Some(name)) if is_outermost => {
                return self.advice_on_unset(name);
            }
            TrapKind::Size { left, right } => (left, right),
            _ => return SizeAdvice::default(),
        };
        if !(is_outermost && program.location(trap.loc).at_call) {
            return SizeAdvice::default();
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
        SizeAdvice { notes, help: help.collect(), replaces_help: false }
    }

    /// Returns the advice for a parameter that was read without a value.
    fn advice_on_unset(&self, name: &str) -> SizeAdvice {
        if !self.not_given.iter().any(|param| param == name) {
            return SizeAdvice::default();
        }
        SizeAdvice {
            notes: vec![format!("the command line gives no value for the parameter `{name}`")],
            help: vec![format!("write `{name}=VALUE` or `{name}=FILE`")],
            replaces_help: true,
        }
    }
}
