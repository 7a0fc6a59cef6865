//! Routines of a program that hide library routines of the same name.

use star_base::Code;
use star_tests::case::prints;
use star_tests::check;

use super::CALLS;

#[test]
fn a_routine_with_the_same_arity_hides_each_procedure() {
    for call in CALLS {
        let (name, args) = call.trim_start_matches("i:=").split_once('(').expect("a call");
        let n = args.split(',').count();
        let params: Vec<String> = (1..=n).map(|idx| format!("a{idx}")).collect();
        let values = vec!["1"; n].join(",");
        let text = format!(
            "procedure {name}({}: integer); begin print(\"mine\") end;
             program p; begin {name}({values}) end.",
            params.join(",")
        );
        let lints = check(&text).diagnostics;
        let lints = lints.iter().map(|lint| lint.code);
        let lints: Vec<Code> = lints.filter(|code| *code != Code::UnusedParameter).collect();
        assert_eq!(lints, [Code::HidesLibrary], "{name}");
        assert_eq!(prints(&text), "mine\n", "{name}");
    }
}
