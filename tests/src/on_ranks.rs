//! The library on ranks that are threads, and files that pass through it.

use std::rc::Rc;

use star_value::BitTable;
use star_vm::exchange::{PartitionSettings, Threads};
use star_vm::kernels::Kernels;
use star_vm::{Cpu, cpu};

use crate::backends::Machine;

/// Runs `work` on ranks that are threads, and returns the results by rank.
pub fn on_ranks<T: Send>(n_ranks: usize, work: impl Fn(&Machine) -> T + Sync) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let ranks = Threads::new(n_ranks, 11).into_iter();
        let running = ranks.map(|exchange| {
            scope.spawn(move || {
                let settings = cpu::Settings { threads: Some(1), ..Default::default() };
                let cpu = Cpu::with(settings, Kernels::detect());
                let cpu = cpu.on_rank(Rc::new(exchange), PartitionSettings::tiny());
                work(&star::pipeline::on("ranks", cpu))
            })
        });
        let running: Vec<_> = running.collect();
        running.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

/// The result is the argument.
const PASS: &str = "procedure PASS(T: table; w: word; var U: table); begin U := T end;";

/// Runs `PASS`; returns the result, or the error, and the bytes that this rank read of its part.
pub fn passed(machine: &Machine, arguments: &[String]) -> (Result<BitTable, String>, u64) {
    let program = star::Program::parse(PASS).expect("it has no errors");
    let arguments = arguments.iter().fold(star::args![], |all, one| all.text(one));
    match program.run("PASS").expect("a routine").on(machine).call(arguments) {
        Ok(out) => {
            let n_bytes = out.stats().counters.own_bytes_loaded;
            let table = out.table("U").expect("a table").columns().expect("by columns").clone();
            (Ok(table), n_bytes)
        }
        Err(error) => (Err(error.to_string()), 0),
    }
}
