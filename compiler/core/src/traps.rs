//! Wording of traps and limits.

use star_base::{Code, Diagnostic, Span};
use star_ir::{HandlePart, IntOp, LimitKind, LocId, NamedSize, Program, Trap, TrapKind, Ty, Var};

/// Returns the message for a trap: what failed, where, with which values, and the call stack.
pub fn describe_trap(trap: &Trap, program: &Program) -> Diagnostic {
    let location = program.location(trap.loc);
    let message = match &trap.kind {
        // Only the names that a header binds are checked at a call.
        TrapKind::Unset(Some(name)) if location.at_call => {
            format!("no argument determines the size `{name}`")
        }
        kind => message(kind),
    };

    // A failed check of a header is an error of the caller: show the call.
    let stack = trap.call_stack(program);
    let calls: Vec<Span> = stack
        .iter()
        .filter_map(|frame| frame.call)
        .map(|call| program.location(call).span)
        .collect();
    let (at_call, place) = match calls.last() {
        Some(&call) if location.at_call => (true, call),
        _ => (false, location.span),
    };
    let mut diagnostic = Diagnostic::at(trap.kind.code(), place, message);
    if at_call {
        diagnostic = diagnostic.label(location.span, "required here");
    } else if location.at_call {
        diagnostic = diagnostic.note("the sizes of the arguments must agree with the header");
    }
    let values: Vec<String> = trap
        .values
        .iter()
        .filter(|(_, value)| value != "unset")
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !values.is_empty() {
        diagnostic = diagnostic.note(values.join("\n"));
    }
    if let TrapKind::NoSize(Some(name)) = &trap.kind {
        let routine = stack.last().map(|frame| program.routine(frame.routine));
        let vars = routine.iter().flat_map(|routine| &routine.vars);
        let mut named = vars.filter(|var| var.source.as_deref() == Some(name));
        diagnostic = match named.next().map(|var| &var.ty) {
            Some(Ty::Slice(_) | Ty::Word(_)) => diagnostic.help(SIZE_OF_BITS),
            Some(Ty::Table(..)) => diagnostic.help(SIZES_OF_TABLE),
            Some(Ty::Int | Ty::Bool | Ty::Str | Ty::Handle) | None => diagnostic,
        };
    }
    if matches!(trap.kind, TrapKind::Unset(_)) && location.at_call {
        let help = "declare a size of the variable that is passed, or set it first";
        diagnostic = diagnostic.help(help);
    } else if let TrapKind::Unset(Some(name)) = &trap.kind {
        let routine = stack.last().map(|frame| program.routine(frame.routine));
        let vars = routine.iter().flat_map(|routine| &routine.vars);
        let mut named = vars.filter(|var| var.source.as_deref() == Some(name));
        diagnostic = match named.next() {
            Some(Var { ty: Ty::Slice(_) | Ty::Word(_), sized: true, .. }) => {
                diagnostic.help(format!("`CLR({name})` sets all its components to zero first"))
            }
            Some(_) | None => diagnostic,
        };
    }
    let outer_calls = if at_call { &calls[..calls.len() - 1] } else { &calls[..] };
    let n_frames = stack.len();
    for (idx, &call) in outer_calls.iter().enumerate().rev() {
        // Only the two ends of a deep recursion are shown.
        if outer_calls.len() > MAX_CALLS && idx + 3 < outer_calls.len() && idx >= MAX_CALLS - 3 {
            continue;
        }
        // outer_calls[idx] is the call that created frame idx + 1.
        let callee = stack.get(idx + 1).map(|frame| program.routine(frame.routine).name.as_str());
        diagnostic = diagnostic.label(call, format!("in `{}`, called here", callee.unwrap_or("?")));
    }
    if outer_calls.len() > MAX_CALLS {
        diagnostic =
            diagnostic.note(format!("{n_frames} routines were active; some calls are omitted"));
    }
    diagnostic
}

/// Help for a slice or word without a size.
pub(crate) const SIZE_OF_BITS: &str =
    "assign a value first, or declare its size: `slice(n)`, `word(n)`";

/// Help for a table without sizes.
pub(crate) const SIZES_OF_TABLE: &str = "write a column first, or declare its sizes: `table(n,k)`";

/// Maximum number of calls in a message.
const MAX_CALLS: usize = 8;

/// Returns the message for a limit.
pub fn describe_limit(kind: LimitKind, loc: LocId, program: &Program) -> Diagnostic {
    let span = program.location(loc).span;
    let (message, help) = match kind {
        LimitKind::Steps { limit } => (
            format!("the program took more than {limit} steps"),
            "`--max-steps` sets this limit; a step is an elementary operation, an iteration of a \
                loop or a call",
        ),
        LimitKind::Memory { limit, wanted } => (
            match (bytes(wanted), bytes(limit)) {
                // Rounded values may look equal.
                (needs, has) if needs == has => {
                    format!("the program needs {wanted} bytes of memory, more than {limit}")
                }
                (needs, has) => format!("the program needs {needs} of memory, more than {has}"),
            },
            "`--max-memory` sets this limit",
        ),
        LimitKind::Time => {
            ("the program ran out of time".to_owned(), "`--max-time` sets this limit")
        }
        LimitKind::Output { limit } => (
            format!("the program printed more than {}", bytes(limit)),
            "`--max-output` sets this limit",
        ),
        LimitKind::Depth { limit } => (
            format!("calls are nested more than {limit} deep"),
            "possibly an endless recursion; `--max-depth` sets this limit",
        ),
        LimitKind::Interrupted => ("interrupted here".to_owned(), ""),
    };
    let diagnostic = Diagnostic::at(kind.code(), span, message);
    let diagnostic = if help.is_empty() { diagnostic } else { diagnostic.help(help) };
    match kind {
        LimitKind::Time | LimitKind::Interrupted => diagnostic.note("no results were written"),
        LimitKind::Steps { .. }
        | LimitKind::Memory { .. }
        | LimitKind::Output { .. }
        | LimitKind::Depth { .. } => diagnostic,
    }
}

/// Formats a number of bytes; the maximum denotes all larger numbers.
fn bytes(n: u64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n == u64::MAX {
        return "more than 16 EiB".to_owned();
    }
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Returns a name of the text in backticks; variables of the compiler have none.
fn quoted(name: &Option<String>) -> Option<String> {
    let of_text = name.as_ref().filter(|name| !name.starts_with('‹'));
    of_text.map(|name| format!("`{name}`"))
}

fn size(of: &NamedSize, n: u64) -> String {
    let (name, unit) = match of {
        NamedSize::Length(name) => (name, "component"),
        NamedSize::Rows(name) => (name, "row"),
        NamedSize::Columns(name) => (name, "column"),
        NamedSize::Number => return format!("{n}"),
    };
    let s = if n == 1 { "" } else { "s" };
    match quoted(name) {
        Some(name) => format!("{name} has {n} {unit}{s}"),
        None => format!("{n} {unit}{s}"),
    }
}

fn whole(of: &NamedSize) -> String {
    match of {
        NamedSize::Length(name) => quoted(name).map_or(String::new(), |name| format!(" of {name}")),
        NamedSize::Rows(name) => {
            quoted(name).map_or(" of the rows".into(), |name| format!(" of the rows of {name}"))
        }
        NamedSize::Columns(name) => quoted(name)
            .map_or(" of the columns".into(), |name| format!(" of the columns of {name}")),
        NamedSize::Number => String::new(),
    }
}

fn message(kind: &TrapKind) -> String {
    match kind {
        // Only the ends of a part are compared like this.
        TrapKind::Index { index, of: NamedSize::Number, .. } if *index < 1 => {
            format!("the part begins at {index}, but the first component is 1")
        }
        TrapKind::Index { index, high, of: NamedSize::Number } => {
            format!("the part {index}..{high} ends before it begins")
        }
        TrapKind::Index { index, high: 0, of } => {
            format!("index {index}{}, of which there are none", whole(of))
        }
        TrapKind::Index { index, high, of } => {
            format!("index {index} outside 1..{high}{}", whole(of))
        }
        TrapKind::Size { left, right } => {
            // A requested number reads better after the operand whose size differs.
            let is_number = |side: &(NamedSize, u64)| matches!(side.0, NamedSize::Number);
            let (first, second) =
                if is_number(left) && !is_number(right) { (right, left) } else { (left, right) };
            let wanted = matches!(second.0, NamedSize::Number);
            let first_text = size(&first.0, first.1);
            let second_text = size(&second.0, second.1);
            if wanted && matches!(first.0, NamedSize::Number) {
                format!("expected the size {}, found {}", second.1, first.1)
            } else if wanted {
                format!("sizes differ: {first_text}, expected {second_text}")
            } else {
                format!("sizes differ: {first_text}, {second_text}")
            }
        }
        TrapKind::Unset(name) => match quoted(name) {
            Some(name) => format!("{name} was never set"),
            None => "a variable was never set".to_owned(),
        },
        TrapKind::NoPart(handle, HandlePart { module, name }) => {
            let handle = quoted(handle).unwrap_or_else(|| "a handle".to_owned());
            format!("{handle} holds no table `{name}` of the module `{module}`")
        }
        TrapKind::NoSize(name) => match quoted(name) {
            Some(name) => format!("the size of {name} is not known yet"),
            None => "a size is not known yet".to_owned(),
        },
        TrapKind::Overflow { op, left, right } => {
            format!("{left} {} {right} overflows 64 bits", sign(*op))
        }
        TrapKind::Division { op, left } => format!("{left} {} 0: division by zero", sign(*op)),
        TrapKind::Range { from, to, .. } if to < from => {
            format!("the part {from}..{to} ends before it begins")
        }
        TrapKind::Range { from, to, high, of } if from == to => {
            format!("index {from} outside 1..{high}{}", whole(of))
        }
        TrapKind::Range { from, to, high, of } => {
            format!("the part {from}..{to} is not inside 1..{high}{}", whole(of))
        }
        TrapKind::Bit(value) => format!("a component is 0 or 1, not {value}"),
        TrapKind::Fit { value, width } if *value < 0 => {
            format!("{value} is negative and does not fit in a word of {width} components")
        }
        TrapKind::Fit { value, width } => {
            let needed = 64 - value.leading_zeros();
            format!("{value} does not fit in {width} components: it needs {needed}")
        }
        TrapKind::FitRow { row, width } => {
            let columns =
                if *width == 1 { "1 column".to_owned() } else { format!("{width} columns") };
            format!("the number for row {row} does not fit in a field of {columns}")
        }
        TrapKind::FitInt(name) => match quoted(name) {
            Some(name) => format!("{name} is too large for an integer"),
            None => "this word is too large for an integer".to_owned(),
        },
        TrapKind::Odd(n) => format!("`SHUFFLE` needs an even number of components, not {n}"),
        TrapKind::Carry { op } => match op {
            IntOp::Sub => "the difference is negative".to_owned(),
            IntOp::Add | IntOp::Mul | IntOp::Div | IntOp::Mod => {
                "the sum needs one more component".to_owned()
            }
        },
        TrapKind::Assert(message) if message.is_empty() => "assertion failed".to_owned(),
        TrapKind::Assert(message) => message.clone(),
        TrapKind::NoResult => "the function ends without a result".to_owned(),
        TrapKind::Negative { value, name } => match quoted(name) {
            Some(name) => format!("{name} is {value}, but a size or count must not be negative"),
            None => format!("the size or count {value} is negative"),
        },
        TrapKind::File { code, message } => match code {
            Code::FileTrap => message.clone(),
            code => format!("{message} [{code}]"),
        },
    }
}

fn sign(op: IntOp) -> &'static str {
    match op {
        IntOp::Add => "+",
        IntOp::Sub => "-",
        IntOp::Mul => "*",
        IntOp::Div => "div",
        IntOp::Mod => "mod",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_readable_units_beyond_64_bits_too() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes((1 << 20) - 1), "1.0 MiB");
        assert_eq!(bytes(3 << 60), "3.0 EiB");
        assert_eq!(bytes(u64::MAX), "more than 16 EiB");
    }
}
