//! Explanation of the register code of a program, for people.

use star_ir::analysis::line_accesses::{ITERATIONS, LineAccesses, TableUse};
use star_ir::{Routine, Ty};

use super::code::RoutineCode;
use super::inst::Inst;
use super::operand::RegRef;
use super::ranks::{exchange_of, exchange_of_intrinsic, exchanges_of_loops};
use super::table_use::{accesses_of, use_of, wants_rows};
use super::{CpuIntrinsic, Plan};
use crate::backend::CompileOptions;
use crate::explain::{Became, Explanation, Item, Subject};

/// Explains the program of a plan.
pub(super) fn explain(intrinsics: &[CpuIntrinsic], plan: &Plan) -> Explanation {
    let Plan { code, entry, kernels, pool, n_ranks } = plan;
    let mut all = Explanation::default();
    let n_insts: usize = code.routines.iter().map(|routine| routine.insts.len()).sum();
    let name = code.program.routines.get(entry.0 as usize);
    let name = name.map_or("?", |routine| routine.name.as_str());
    let n_routines = code.routines.len();
    all.whole(
        Subject::Program,
        format!("register code of {n_insts} instructions in {n_routines} routines, entry `{name}`"),
    );
    all.whole(Subject::Device, format!("{} kernels", kernels.level().name()));
    let (threads, refused) = pool.found();
    let reason = refused.map_or_else(String::new, |why| format!(" ({why})"));
    all.whole(Subject::Threads, format!("{threads}{reason}"));
    if *n_ranks > 1 {
        let partition = "slices and tables of many rows are partitioned over the ranks";
        all.whole(Subject::Exchange, format!("{n_ranks} ranks; {partition}"));
    }
    all.items.extend(of_tables(intrinsics, plan));
    for (routine, compiled) in code.program.routines.iter().zip(&code.routines) {
        all.items.extend(of_routine(routine, compiled, code.options));
        if *n_ranks > 1 {
            all.items.extend(exchanges(compiled, intrinsics));
            all.exchanges.extend(exchanges_of_loops(compiled, &code.routines));
        }
    }
    all
}

/// Returns the preferred form of each table of the entry.
fn of_tables(intrinsics: &[CpuIntrinsic], plan: &Plan) -> Vec<Item> {
    let program = &plan.code.program;
    let Some(entry) = program.routines.get(plan.entry.0 as usize) else { return Vec::new() };
    let mut items = Vec::new();
    for (param, accesses) in
        entry.params.iter().zip(accesses_of(intrinsics, &plan.code, plan.entry))
    {
        let var = entry.var(param.var);
        if !matches!(var.ty, Ty::Table(..)) {
            continue;
        }
        let LineAccesses { rows, columns, used: _ } = accesses;
        let form = if wants_rows(accesses) { "by rows" } else { "by columns" };
        let used = match use_of(accesses) {
            TableUse::Looks => {
                "only its lines, fields and bits are read: sparse where that uses much less memory"
            }
            TableUse::Changes => {
                "its lines and bits are changed, or it is copied: sparse where a dense table does \
                    not fit"
            }
            TableUse::Whole => "the table is used as a whole: dense",
        };
        let form = format!(
            "`{}` {form}: accessed {} by rows, {} by columns; a loop with unknown bounds counts as \
                {ITERATIONS}; {used}",
            var.name,
            times(rows),
            times(columns)
        );
        let (routine, became) = (Some(plan.entry), Became::Form(form));
        items.push(Item { subject: Subject::Table, routine, loc: None, became });
    }
    items
}

fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    }
}

/// Returns the items of a routine: itself, its intrinsic, and its statements in their order.
fn of_routine(routine: &Routine, code: &RoutineCode, options: CompileOptions) -> Vec<Item> {
    let item = |subject, became| Item { subject, routine: Some(code.id), loc: None, became };
    let (n_insts, n_loops, n_fused) = (code.insts.len(), code.summary.loops, code.summary.fused);
    let form = format!("{n_insts} instructions, {n_loops} loops, {n_fused} operations fused");
    let mut items = vec![item(Subject::Routine, Became::Form(form))];
    if let Some(intrinsic) = routine.intrinsic {
        let became = match (code.intrinsic, options.intrinsics) {
            (Some(_), _) => Became::Form(intrinsic.signature().summary.to_owned()),
            (None, false) => Became::AsWritten { why: "intrinsics are off".to_owned() },
            (None, true) => {
                let why = format!("this backend has no intrinsic `{intrinsic}`");
                Became::AsWritten { why }
            }
        };
        items.push(item(Subject::Intrinsic, became));
    }
    items.extend(code.decisions.iter().cloned());
    items
}

/// Returns the exchanges of a routine with partitioned operands, in the order of its instructions.
fn exchanges(code: &RoutineCode, intrinsics: &[CpuIntrinsic]) -> Vec<Item> {
    let insts = code.insts.iter().zip(&code.locs);
    let is_divided =
        |(place, _): &(RegRef, _)| matches!(place, RegRef::Slice(_) | RegRef::Table(_));
    let intrinsic = code.intrinsic.filter(|_| code.params.iter().any(is_divided));
    let found = insts.filter_map(|(inst, loc)| {
        let how = match inst {
            Inst::Intrinsic => exchange_of_intrinsic(intrinsics.get(intrinsic?)?),
            inst => exchange_of(*inst, code)?.how,
        };
        let became = Became::Form(how.to_owned());
        let (subject, routine) = (Subject::Exchange, Some(code.id));
        Some(Item { subject, routine, loc: Some(*loc), became })
    });
    let mut items: Vec<Item> = found.collect();
    items.dedup();
    items
}
