//! Interactive editing at a terminal: Tab, hints, colours, and the stops of `:step`.

use crate::support::Folder;
use crate::terminal::Terminal;

#[test]
fn tab_completes_names_commands_and_files() {
    let folder = Folder::new(&[("closing.star", "proc CLOSING; begin print(\"closed\") end;\n")]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.press(":lo\tclos\t\r");
    terminal.wait_for(":load closing.star");
    terminal.wait_for("star> ");
    // The routine of the file, in another letter case.
    terminal.press("closi\t\r");
    terminal.wait_for("CLOSING");
    terminal.wait_for("closed\r\n");
    terminal.wait_for("star> ");
    terminal.line("Neighbours := '0110'", "");
    terminal.press("NUMB(Nei\t)\r");
    terminal.wait_for("NUMB(Neighbours)");
    terminal.wait_for("\n2\r\n");
    terminal.wait_for("star> ");
    // Several candidates are listed.
    terminal.press("TCO\t\t");
    terminal.wait_for("TCOPY1  TCOPY2");
    terminal.press("\x15import \"star:clo\t\";\r");
    terminal.wait_for("star:closure");
    terminal.wait_for("\x1b[?2004l");
    terminal.wait_for("star> ");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn call_parameters_are_shown_while_typing() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.press("print(NUMB(");
    terminal.wait_for("   NUMB(Y)");
    // The hint is not part of the text, and the right arrow key does not insert it.
    terminal.press("\x1b[C'011'))\r");
    terminal.wait_for("\n2\r\n");
    terminal.wait_for("star> ");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn marked_rows_are_coloured_on_a_terminal() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::with(&folder, "--no-history", ("COLORTERM", "1"));
    terminal.press("X := CONVERT('01')\r");
    terminal.wait_for("star> ");
    terminal.press("X\r");
    terminal.wait_for("X: slice(2), 1 one");
    terminal.wait_for("\x1b[1;36m 2  1\x1b[0m");
    terminal.wait_for("star> ");
    // Keywords and constants are coloured while they are typed.
    terminal.press("if X(1)='1' then X(1):='0'");
    terminal.wait_for("\x1b[1mif\x1b[0m");
    terminal.wait_for("\x1b[32m'1'\x1b[0m");
    // An `else` could follow; a blank line ends the entry.
    terminal.press("\r\r");
    // The prompt is redrawn after each key; this appears when the line is entered.
    terminal.wait_for("\x1b[?2004l");
    terminal.wait_for("star> ");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn stepped_runs_have_a_separate_prompt() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line("proc INC(var n: integer); begin n:=n+1; n:=n*10; n:=n+3 end;", "");
    terminal.line("x := 4", "");
    terminal.press(":step INC(x)\r");
    terminal.wait_for("n:=n+1");
    terminal.wait_for("step> ");
    terminal.press("\r");
    terminal.wait_for("n: 4 → 5");
    terminal.wait_for("step> ");
    terminal.press("v n\r");
    terminal.wait_for("n: 5");
    terminal.wait_for("step> ");
    terminal.press("s\r");
    terminal.wait_for("n: 5 → 50");
    terminal.wait_for("step> ");
    // Ctrl-C stops the run, not the session.
    terminal.press("\x03");
    terminal.wait_for("stopped; the variables keep the changes of the run");
    terminal.wait_for("star> ");
    terminal.line("x", "\n50\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn an_if_waits_for_its_else_as_in_a_pipe() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.press("if 1 = 2 then print(1)\r");
    terminal.wait_for("....> ");
    terminal.line("else print(20 + 2)", "\n22\r\n");
    // A blank line or a semicolon ends the entry.
    terminal.press("if 1 = 1 then print(30 + 3)\r");
    terminal.wait_for("....> ");
    terminal.line("", "\n33\r\n");
    terminal.line("if 1 = 1 then print(40 + 4);", "\n44\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn a_broken_import_leaves_the_definitions_as_they_were() {
    let inner = |body: &str| format!("function G(n: integer): integer; begin G := {body} end;\n");
    let outer = "import \"inner.star\";\n\
                 function F(n: integer): integer; begin F := G(n) + 1 end;\n";
    let folder = Folder::new(&[("outer.star", outer), ("inner.star", &inner("2*n"))]);
    let mut terminal = Terminal::new(&folder, "--no-history outer.star");
    terminal.line("F(4)", "\n9\r\n");
    folder.write("inner.star", inner("3*n").as_bytes());
    terminal.line(":reload", "outer.star: ");
    terminal.line("F(4)", "\n13\r\n");
    folder.write("inner.star", inner("").as_bytes());
    terminal.line(":reload", "nothing was loaded from `outer.star`");
    terminal.line("F(4)", "\n13\r\n");
    folder.write("inner.star", inner("4*n").as_bytes());
    terminal.line(":reload", "outer.star: ");
    terminal.line("F(4)", "\n17\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn changed_files_are_reloaded_while_the_session_waits() {
    let program = |n: &str| format!("proc P; begin print({n}) end;\n");
    let folder = Folder::new(&[("lib.star", &program("10 + 1"))]);
    let mut terminal = Terminal::new(&folder, "--no-history --watch lib.star");
    terminal.line("P", "\n11\r\n");
    // Keys that were typed by then stay.
    terminal.press("P");
    terminal.wait_for("P");
    folder.write("lib.star", program("20 + 20 + 4").as_bytes());
    terminal.wait_for("`lib.star` has changed");
    terminal.wait_for("star> P");
    terminal.press("\r");
    terminal.wait_for("\n44\r\n");
    terminal.wait_for("star> ");
    // A file with an error is reported once, and its last definitions stay, as a note says.
    folder.write("lib.star", b"proc P; begin print(1;;; end;\n");
    terminal.wait_for("nothing was loaded from `lib.star`");
    terminal.wait_for("star> ");
    for _ in 0..2 {
        terminal.press("P\r");
        terminal.wait_for("P\u{1b}[?2004l\r\n");
        terminal.wait_for("this uses the definitions of `lib.star` before the errors");
        terminal.wait_for("\n44\r\n");
        terminal.wait_for("star> ");
    }
    terminal.line(":watch off", "watch off");
    folder.write("lib.star", program("5").as_bytes());
    terminal.line("P", "44\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn the_last_entry_and_definitions_are_edited() {
    let folder = Folder::new(&[]);
    let editor = ("VISUAL", "sed -i s/1/20+3/");
    let mut terminal = Terminal::with(&folder, "", editor);
    terminal.line("x := 1", "");
    terminal.line(":edit", "");
    terminal.line("x * 2", "\n46\r\n");
    // Nothing changes without a 1.
    terminal.line(":edit", "nothing ran");
    terminal.press("proc P; begin print(1) end;\r");
    terminal.wait_for("star> ");
    terminal.line(":edit P", "");
    terminal.line("P", "23\r\n");
    assert_eq!(terminal.leave(), 0);
    let history = std::fs::read_to_string(folder.path("state/star/history")).unwrap();
    assert!(history.contains("\n:edit\nx := 20+3\n"), "{history}");
}

#[test]
fn a_failing_editor_runs_nothing() {
    let folder = Folder::new(&[]);
    for (editor, why) in [
        ("false", "the editor `false` failed"),
        ("no-such-editor -x", "cannot start the editor `no-such-editor -x`"),
        (" ", "neither `VISUAL` nor `EDITOR` names an editor"),
        ("truncate -s 0", "nothing ran"),
    ] {
        let line = format!(
            "printf 'x := 1\\n:edit\\nx\\n' | EDITOR='{editor}' VISUAL= \"$STAR\" repl 2>&1"
        );
        let text = folder.shell(&line).stdout;
        assert!(text.contains(why) && text.ends_with("\n1\n"), "{editor}: {text}");
    }
}

#[test]
fn large_values_are_shown_by_pages() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line("var T: table(1000000, 2)", "");
    for (order, rows) in [
        (":page T", "rows 1 to 20 of 1000000."),
        ("", "rows 21 to 40 of 1000000."),
        ("b", "rows 1 to 20 of 1000000."),
        ("500000", "rows 500000 to 500019 of 1000000."),
        ("e", "rows 999981 to 1000000 of 1000000."),
    ] {
        terminal.press(&format!("{order}\r"));
        terminal.wait_for(rows);
        terminal.wait_for("page> ");
    }
    // Ctrl-C ends it as `q` does.
    terminal.press("\x03");
    terminal.wait_for("star> ");
    terminal.line("rows(T)", "\n1000000\r\n");
    assert_eq!(terminal.leave(), 0);
}

#[test]
fn terminals_that_announce_sixels_show_pictures() {
    let folder = Folder::new(&[]);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line("X := '0110'", "");
    terminal.press(":draw X\r");
    terminal.wait_for("\x1b[c");
    terminal.press("\x1b[?62;4;22c");
    terminal.wait_for("\x1bP0;1;0q\"1;1;");
    terminal.wait_for("-\x1b\\");
    terminal.wait_for("star> ");
    // It is asked once, and no key is lost.
    terminal.press(":draw X\r");
    terminal.wait_for("\x1bP0;1;0q\"1;1;");
    terminal.wait_for("star> ");
    terminal.line("NUMB(X)", "\n2\r\n");
    assert_eq!(terminal.leave(), 0);
    let mut terminal = Terminal::new(&folder, "--no-history");
    terminal.line("X := '0110'", "");
    terminal.press(":draw X\r");
    terminal.wait_for("\x1b[c");
    terminal.press("\x1b[?62;22c");
    terminal.wait_for("this terminal shows no pictures");
    terminal.wait_for("star> ");
    assert_eq!(terminal.leave(), 0);
    for (protocol, shows) in [
        ("sixel", "\x1bP0;1;0q\"1;1;"),
        ("kitty", "\x1b_Ga=T,f=100,"),
        ("iterm2", "\x1b]1337;File=inline=1;"),
        ("none", "this terminal shows no pictures"),
    ] {
        let mut terminal = Terminal::new(&folder, &format!("--no-history --inline {protocol}"));
        terminal.line("X := '0110'", "");
        terminal.line(":draw X", shows);
        assert_eq!(terminal.leave(), 0);
    }
}
