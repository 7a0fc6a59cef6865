//! Star in a Rust program: a call, a limit, and a session. `cargo run -p star --example embed`

use std::error::Error;

use star::{Limits, Program, Session};

/// The closure of a relation, and a procedure that never ends.
const TEXT: &str = "
procedure CLOSE(n: integer; var P: table);
  var X: slice(P); i, j: integer;
begin
  for i := 1 to n do begin
    X := COL(i, P);
    foreach j in X do ROW(j, P) := ROW(j, P) or ROW(i, P);
  end;
end;

procedure ENDLESS(var k: integer);
begin
  k := 0;
  while true do k := k + 1;
end;
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    show(&mut |line| {
        text += line;
        text += "\n";
    })?;
    std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes())?;
    Ok(())
}

/// Passes each line of the example to `say`.
fn show(say: &mut dyn FnMut(&str)) -> Result<(), star::Error> {
    // A program is parsed once. Each call gets its arguments by name and returns the `var`
    // parameters.
    let program = Program::parse(TEXT)?;
    let out = program.call("CLOSE", star::args![n = 3, P = "010 001 000"])?;
    for row in out.table("P")?.to_rows() {
        say(&row);
    }

    // A run within limits. The error names the place, and holds what the run had computed.
    let limits = Limits { steps: Some(1000), ..Limits::default() };
    let error = match program.run("ENDLESS")?.limits(limits).call(star::args![]) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    say(&error.to_string());
    if let Some(stopped) = error.stopped() {
        say(&format!("k = {}", stopped.outputs["k"]));
    }

    // A session: define, run, redefine, trap, go on.
    let mut session = Session::new();
    session.enter("procedure NEXT(var n: integer); begin n := n + 1 end;")?;
    session.enter("n := 5; NEXT(n)")?;
    say(&format!("n = {}", session.value("n")?));
    session.enter("procedure NEXT(var n: integer); begin n := n div (n - 6) end;")?;
    if let Err(error) = session.enter("NEXT(n)") {
        say(&error.to_string());
    }
    session.enter("n := n + 2; NEXT(n)")?;
    say(&format!("n = {}", session.value("n")?));
    Ok(())
}

#[test]
fn shows_results_traps_and_limits() {
    let mut lines = Vec::new();
    show(&mut |line| lines.push(line.to_owned())).expect("the example runs");
    assert_eq!(lines[..3], ["011", "001", "000"]);
    assert!(lines[3].starts_with("program.star:14:"), "{}", lines[3]);
    assert!(lines[3].contains("more than 1000 steps"), "{}", lines[3]);
    assert!(lines[4].starts_with("k = "), "{}", lines[4]);
    assert_eq!(lines[5], "n = 6");
    assert!(lines[6].contains("division"), "{}", lines[6]);
    assert_eq!(lines[7], "n = 4");
}
