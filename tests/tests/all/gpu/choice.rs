//! Choice of a backend, without an adapter.

use star::pipeline::choice::{ChoiceInput, SIZE_RULES, choose};
use star_base::Intrinsic;
use star_opt::Options;
use star_tests::run::Program;
use star_value::{Argument, BitTable, BitVector, Value};
use star_vm::CompileOptions;

/// Chooses the backend for the entry of an optimised text with a table of zeros of these numbers of
/// rows and columns, on a CPU backend with these intrinsics.
fn chosen(
    text: &str,
    entry: &str,
    size: [usize; 2],
    without: &str,
    cpu_intrinsics: &[Intrinsic],
) -> (&'static str, String) {
    let table = BitTable::zeros(size[0], size[1]).expect("zeros");
    chosen_for(text, entry, table, without, cpu_intrinsics)
}

fn chosen_for(
    text: &str,
    entry: &str,
    table: BitTable,
    without: &str,
    cpu_intrinsics: &[Intrinsic],
) -> (&'static str, String) {
    let program = Program::new(text);
    let mut optimised = program.lowered.program.clone();
    let options = Options { disabled: vec![without.to_owned()], ..Options::default() };
    star_opt::optimise(&mut optimised, &options).expect("it verifies");
    let size = [(table.n_rows(), table.n_cols())];
    let is_large = table.n_bytes() >= 1 << 25;
    let table = Value::from(table);
    let (here, unset) = ([Argument::of(&table)], [Argument::new(Value::Unset, false)]);
    let choice = |arguments: &[Argument], tables: &[(usize, usize)]| {
        choose(&ChoiceInput {
            program: &optimised,
            entry: program.entry(entry),
            arguments,
            tables,
            options: CompileOptions::default(),
            cpu_intrinsics,
        })
    };
    let chosen = choice(&here, &[]);
    // The size is enough if the table is large and still in its file.
    assert!(!is_large || choice(&unset, &size) == chosen);
    (chosen.backend, chosen.why)
}

#[test]
fn the_gpu_is_chosen_only_for_large_tables_and_kernels() {
    let published = super::PUBLISHED;
    // Several iterations per kernel.
    for (n, backend) in [(16_384, "gpu"), (16_000, "cpu")] {
        let (found, why) = chosen(published, "WARSHALL", [n, n], "idioms", &[]);
        assert_eq!(found, backend, "{n}: {why}");
        assert!(why.contains(&(n * n).to_string()), "{why}");
    }
    // With many ones, at smaller sizes.
    for (n, ones_of_4, backend) in [(4600, 1, "gpu"), (4600, 0, "cpu"), (4500, 1, "cpu")] {
        let columns: Vec<BitVector> = (0..n)
            .map(|column| match column % 4 < ones_of_4 {
                true => BitVector::from_bools(&vec![true; n]),
                false => BitVector::zeros(n),
            })
            .collect();
        let table = BitTable::from_columns(n, &columns);
        let (found, why) = chosen_for(published, "WARSHALL", table, "idioms", &[]);
        assert_eq!(found, backend, "{n}, {ones_of_4} of 4: {why}");
    }
    // The intrinsic of the closure is never faster.
    let (found, why) = chosen(published, "WARSHALL", [16_384, 16_384], "unreachable", &[]);
    assert_eq!(found, "cpu", "{why}");
    // Nothing to gain.
    let text = "program P(T: table); begin print(rows(T)) end.";
    let (found, why) = chosen(text, "P", [16_384, 16_384], "unreachable", &[]);
    assert_eq!((found, why.contains("no part of the program")), ("cpu", true), "{why}");
}

#[test]
fn distances_use_the_gpu_sooner_without_a_cpu_intrinsic() {
    use star_base::intrinsics::catalogue::paths::MIN_PLUS;
    let text = "import \"star:paths\";
        procedure TRY(n,h: integer; inf: word; var D: table); begin FLOYD(n,h,inf,D) end;";
    for (n, intrinsics, backend) in [
        (299, &[][..], "cpu"),
        (300, &[], "gpu"),
        (300, &[MIN_PLUS], "cpu"),
        (3071, &[MIN_PLUS], "cpu"),
        (3072, &[MIN_PLUS], "gpu"),
    ] {
        let (found, why) = chosen(text, "TRY", [n, 4 * n], "unreachable", intrinsics);
        assert_eq!(found, backend, "{n}: {why}");
    }
}

#[test]
fn weighted_waves_run_on_the_card_from_a_million_cells_on() {
    let text = "import \"star:weighed\";
        procedure TRY(Weight: table(n); var Price: table);
        var Right,Down,Goals: slice(n);
        begin
          CLR(Right); CLR(Down); SET(Goals);
          WEIGHED_WAVE(1,false,1,1,Right,Down,Goals,Weight,Price);
        end;";
    for (n_cells, backend, reason) in
        [(1_000_000, "gpu", "from 1000000 cells on"), (999_999, "cpu", "here there are 999999")]
    {
        let (found, why) = chosen(text, "TRY", [n_cells, 1], "unreachable", &[]);
        assert_eq!(found, backend, "{why}");
        assert!(why.contains(reason), "{why}");
    }
}

#[test]
fn intrinsics_without_a_known_size_stay_on_the_cpu() {
    let text = "import \"star:wave\";
        procedure TRY(T: table(n); var Label: table);
        var Right,Down,Goals: slice(n);
        begin
          CLR(Right); CLR(Down); SET(Goals);
          WAVE(1,false,0,Right,Down,Goals,Label);
        end;";
    let (found, why) = chosen(text, "TRY", [1 << 20, 1], "unreachable", &[]);
    assert_eq!(found, "cpu", "{why}");
    assert!(why.contains("no size is known"), "{why}");
}

/// The jobs of the rules are lines of the table of all jobs.
#[test]
fn rules_name_jobs_that_are_measured() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../benches/src/results/jobs.txt");
    let jobs = std::fs::read_to_string(path).expect("the table of jobs");
    let names: Vec<&str> = jobs.lines().filter_map(|line| line.split('|').next()).collect();
    for rule in SIZE_RULES {
        assert!(!rule.jobs.is_empty() && !rule.intrinsics.is_empty(), "{rule:?}");
        for job in rule.jobs {
            assert!(names.iter().any(|name| name.trim() == *job), "{job}");
        }
    }
}
