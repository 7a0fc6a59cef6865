//! The text form reads back exactly, and no text makes the reader panic.

use proptest::prelude::*;
use star_base::{BitVector, FileId, Native, Span};
use star_ir::*;

/// Makes pieces of programs out of bytes: any program, not a meaningful one.
struct Maker<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

const N_OPS: usize = 37;
const N_CHECKS: usize = 16;
const N_STMTS: usize = 29;

impl Maker<'_> {
    fn byte(&mut self) -> u8 {
        self.bytes.next().copied().unwrap_or(0)
    }
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }
    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }
    fn var(&mut self) -> VarId {
        VarId(self.below(7) as u32)
    }
    fn label(&mut self) -> LabelId {
        LabelId(self.byte().into())
    }
    fn loc(&mut self) -> LocId {
        LocId(self.byte().into())
    }
    fn text(&mut self) -> String {
        let texts =
            ["X", "w.2", "1", "a b", "", "\"\\\n\t\u{7}", "Θ", "кол", "x-y", "%", "}", "; no"];
        texts[self.below(texts.len())].into()
    }
    fn operand(&mut self) -> Operand {
        match self.below(5) {
            0 | 1 => Operand::Var(self.var()),
            2 => Operand::Int([i64::MIN, -1, 0, 7, i64::MAX][self.below(5)]),
            3 => Operand::Bool(self.flag()),
            _ => Operand::Str(self.text().into()),
        }
    }
    fn measure(&mut self) -> SizeOperand {
        match self.below(4) {
            0 => SizeOperand::Length(self.var()),
            1 => SizeOperand::Rows(self.var()),
            2 => SizeOperand::Columns(self.var()),
            _ => SizeOperand::Value(self.operand()),
        }
    }
    fn list<T>(&mut self, mut each: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| each(self)).collect()
    }
    fn int_op(&mut self) -> IntOp {
        use IntOp::*;
        [Add, Sub, Mul, Div, Mod][self.below(5)]
    }
    fn logic(&mut self) -> LogicOp {
        [LogicOp::And, LogicOp::Or, LogicOp::Xor][self.below(3)]
    }
    fn relation(&mut self) -> Relation {
        use Relation::*;
        [Eq, Ne, Lt, Le, Gt, Ge][self.below(6)]
    }
    fn op(&mut self, which: usize) -> Op {
        match which {
            0 => Op::Copy(self.operand()),
            1 => Op::Int(self.int_op(), self.operand(), self.operand()),
            2 => Op::Compare(self.relation(), self.operand(), self.operand()),
            3 => Op::Not(self.operand()),
            4 => Op::Logic(self.logic(), self.operand(), self.operand()),
            5 => Op::Fill(self.operand(), self.flag()),
            6 => {
                let bits = self.list(Self::flag);
                Op::Literal(BitVector::from_bools(&bits))
            }
            7 => Op::BitsNot(self.var()),
            8 => Op::BitsLogic(self.logic(), self.var(), self.var()),
            9 => Op::BitsEqual(self.var(), self.var()),
            10 => Op::Component(self.var(), self.operand()),
            11 => Op::First(self.var()),
            12 => Op::Count(self.var()),
            13 => Op::Some(self.var()),
            14 => Op::All(self.var()),
            15 => Op::None(self.var()),
            16 => Op::Convert(self.var()),
            17 => Op::KeepFirst(self.var()),
            18 => Op::Mask { size: self.operand(), from: self.operand(), to: self.operand() },
            19 => {
                let direction = [Direction::Up, Direction::Down][self.below(2)];
                Op::Shift(self.var(), direction, self.operand())
            }
            20 => Op::Rotate(self.var(), self.operand()),
            21 => Op::Mirror(self.var()),
            22 => Op::Shuffle(self.var()),
            23 => Op::Length(self.var()),
            24 => Op::Trim { word: self.var(), base: self.operand(), width: self.operand() },
            25 => Op::WordCompare(self.relation(), self.var(), self.var()),
            26 => Op::WordAdd(self.var(), self.var()),
            27 => Op::WordSub(self.var(), self.var()),
            28 => Op::WordToInt(self.var()),
            29 => Op::IntToWord { value: self.operand(), width: self.operand() },
            30 => Op::Column(self.var(), self.operand()),
            31 => Op::Row(self.var(), self.operand()),
            32 => Op::Bit(self.var(), self.operand(), self.operand()),
            33 => Op::Field { table: self.var(), base: self.operand(), width: self.operand() },
            34 if self.flag() => Op::Rows(self.var()),
            34 => Op::Columns(self.var()),
            35 => Op::HandlePart(self.var(), self.handle_part()),
            _ if self.flag() => Op::NewTable(self.operand(), self.operand()),
            _ => Op::Extreme {
                table: self.var(),
                mask: self.var(),
                sense: [Sense::Min, Sense::Max][self.below(2)],
            },
        }
    }
    fn check(&mut self, which: usize) -> Check {
        match which {
            0 => Check::Set(self.var()),
            1 => Check::Result(self.var()),
            2 => Check::Index(self.operand(), self.measure()),
            3 => Check::NewColumn(self.var(), self.operand()),
            4 => Check::Size(self.measure(), self.measure()),
            5 => {
                Check::Range { base: self.operand(), width: self.operand(), limit: self.measure() }
            }
            6 => Check::Int(self.int_op(), self.operand(), self.operand()),
            7 => Check::Bit(self.operand()),
            8 => Check::NotNegative(self.operand()),
            9 => Check::Fits { value: self.operand(), width: self.operand() },
            10 => Check::FitsInt(self.var()),
            11 => Check::Even(self.var()),
            12 => Check::NoCarry(self.int_op(), self.var(), self.var()),
            13 => Check::Sized(self.var()),
            14 => Check::HandlePart(self.var(), self.handle_part()),
            _ => Check::Assert(self.operand(), self.operand()),
        }
    }
    fn handle_part(&mut self) -> HandlePart {
        HandlePart { module: self.text().into(), name: self.text().into() }
    }
    fn arg(&mut self) -> Arg {
        match self.below(3) {
            0 => Arg::Value(self.operand()),
            1 => Arg::Move(self.var()),
            _ => Arg::Ref(self.var()),
        }
    }
    fn size_op(&mut self) -> SizeOp {
        match self.below(7) {
            0 => SizeOp::Latch { dst: self.var(), size: self.measure() },
            1 => SizeOp::SetRows { table: self.var(), rows: self.measure() },
            2 => SizeOp::EnsureColumns { table: self.var(), columns: self.measure() },
            3 => SizeOp::Init { table: self.var(), rows: self.operand(), columns: self.operand() },
            4 => SizeOp::Adapt { bits: self.var(), size: self.operand() },
            5 => SizeOp::Unset(self.var()),
            _ => SizeOp::Fix { bits: self.var(), size: self.operand() },
        }
    }
    fn block(&mut self, depth: usize) -> Block {
        if depth == 0 {
            return Block::new();
        }
        self.list(|maker| {
            let which = maker.below(N_STMTS);
            maker.stmt(which, depth)
        })
    }
    fn part(&mut self) -> Part {
        let kind = match self.below(4) {
            0 => PartKind::Column,
            1 => PartKind::Row,
            2 => PartKind::Component,
            _ => PartKind::Field(self.operand()),
        };
        Part { var: self.var(), kind }
    }
    fn reduction(&mut self) -> Reduction {
        use ReductionOp::*;
        Reduction { op: [Or, And, Xor, Min, Max, Add][self.below(6)], var: self.var() }
    }
    fn tile_reduction(&mut self) -> TileReduction {
        use TileReductionOp as T;
        TileReduction {
            dst: self.var(),
            op: [T::Some, T::All, T::None, T::First, T::Count][self.below(5)],
            of: self.var(),
        }
    }
    fn stmt(&mut self, which: usize, depth: usize) -> Stmt {
        let depth = depth - 1;
        let kind = match which {
            0..=2 => {
                let op = self.below(N_OPS);
                StmtKind::Assign(self.var(), self.op(op))
            }
            3 => StmtKind::Step { dst: self.var(), bits: self.var() },
            4 => StmtKind::Put { bits: self.var(), index: self.operand(), bit: self.operand() },
            5 => StmtKind::Replace { word: self.var(), base: self.operand(), value: self.var() },
            6 => {
                StmtKind::PutColumn { table: self.var(), index: self.operand(), value: self.var() }
            }
            7 => StmtKind::PutRow { table: self.var(), index: self.operand(), value: self.var() },
            8 => StmtKind::PutBit {
                table: self.var(),
                row: self.operand(),
                column: self.operand(),
                bit: self.operand(),
            },
            9 => StmtKind::PutField { table: self.var(), base: self.operand(), value: self.var() },
            10 => StmtKind::Size(self.size_op()),
            11 | 12 => {
                let check = self.below(N_CHECKS);
                StmtKind::Check(self.check(check))
            }
            13 => StmtKind::Cost {
                units: [0, 3, u64::MAX][self.below(3)],
                times: self.flag().then(|| self.measure()),
            },
            14 => StmtKind::Call {
                callee: RoutineId(self.below(5) as u32),
                args: self.list(Self::arg),
                dst: self.flag().then(|| self.var()),
            },
            15 => StmtKind::Print(self.list(Self::operand)),
            16 => StmtKind::Read {
                dst: self.var(),
                file: self.operand(),
                layout: self.flag().then(|| self.operand()),
            },
            17 => StmtKind::Write { src: self.var(), file: self.operand() },
            18 => StmtKind::For {
                label: self.label(),
                var: self.var(),
                from: self.operand(),
                to: self.operand(),
                down: self.flag(),
                body: self.block(depth),
            },
            19 => StmtKind::While {
                label: self.label(),
                head: self.block(depth),
                test: self.operand(),
                body: self.block(depth),
            },
            20 => StmtKind::Foreach {
                label: self.label(),
                var: self.var(),
                over: self.var(),
                body: self.block(depth),
            },
            21 => StmtKind::Forall {
                label: self.label(),
                var: self.var(),
                range: if self.flag() {
                    ForallRange::Range(self.operand(), self.operand())
                } else {
                    ForallRange::Ones(self.var())
                },
                writes: self.list(Self::part),
                privates: self.list(Self::var),
                reductions: self.list(Self::reduction),
                body: self.block(depth),
            },
            22 => StmtKind::Tile {
                rows: self.operand(),
                privates: self.list(Self::var),
                body: self.block(depth),
                reductions: self.list(Self::tile_reduction),
            },
            23 => StmtKind::If {
                test: self.operand(),
                then: self.block(depth),
                otherwise: self.block(depth),
            },
            24 => StmtKind::Block { label: self.label(), body: self.block(depth) },
            25 => StmtKind::Break(self.label()),
            26 => StmtKind::Continue(self.label()),
            27 => StmtKind::PutHandlePart {
                handle: self.var(),
                part: self.handle_part(),
                value: self.var(),
            },
            _ => StmtKind::Exit,
        };
        Stmt { kind, loc: self.loc() }
    }
    fn extent(&mut self) -> Extent {
        match self.below(3) {
            0 => Extent::Dynamic,
            1 => Extent::Const([0, 64, u64::MAX][self.below(3)]),
            _ => Extent::Var(self.var()),
        }
    }
    fn variable(&mut self) -> Var {
        let ty = match self.below(7) {
            0 => Ty::Int,
            1 => Ty::Bool,
            2 => Ty::Str,
            3 => Ty::Slice(self.extent()),
            4 => Ty::Word(self.extent()),
            5 => Ty::Table(self.extent(), self.extent()),
            _ => Ty::Handle,
        };
        Var { name: self.text(), ty, source: self.flag().then(|| self.text()), sized: self.flag() }
    }
    fn routine(&mut self) -> Routine {
        let orderly = self.flag();
        let mut params = self.list(|maker| Param {
            set_at_end: false,
            var: maker.var(),
            mode: [Mode::Value, Mode::Ref][maker.below(2)],
        });
        if orderly {
            for (id, param) in (0..).zip(&mut params) {
                param.var = VarId(id);
            }
        }
        Routine {
            name: self.text(),
            params,
            result: self.flag().then(|| self.var()),
            vars: (0..self.below(8)).map(|_| self.variable()).collect(),
            body: self.block(4),
            loc: self.loc(),
            native: self.flag().then(|| Native::ALL[self.below(Native::ALL.len())]),
        }
    }
    fn span(&mut self) -> Span {
        let file = FileId(self.byte().into());
        Span::new(file, self.byte().into(), [0, 5, u32::MAX][self.below(3)])
    }
    fn location(&mut self) -> Location {
        Location {
            span: self.span(),
            inlined: self.list(|maker| InlinedCall {
                routine: RoutineId(maker.byte().into()),
                call: maker.loc(),
            }),
            operands: self.list(|maker| NamedVar { var: maker.var(), name: maker.text() }),
            at_call: self.flag(),
        }
    }
    fn program(&mut self) -> Program {
        let routines = self.list(Self::routine);
        Program::new(routines, self.list(Self::location))
    }
}

fn assert_round_trip(program: &Program) {
    let text = print(program);
    match parse(&text) {
        Ok(read) => assert_eq!(&read, program, "{text}"),
        Err(error) => panic!("{error}\n{text}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn any_program_reads_back(bytes in proptest::collection::vec(any::<u8>(), 0..1500)) {
        assert_round_trip(&Maker { bytes: bytes.iter() }.program());
    }

    #[test]
    fn any_program_verifies_or_not_but_never_panics(
        bytes in proptest::collection::vec(any::<u8>(), 0..1500),
    ) {
        let _ = verify(&Maker { bytes: bytes.iter() }.program());
    }

    #[test]
    fn edited_text_never_panics_the_reader(
        bytes in proptest::collection::vec(any::<u8>(), 0..800),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..3, "[ -~\nΘ]{0,3}"), 1..4),
    ) {
        let mut text: Vec<char> = print(&Maker { bytes: bytes.iter() }.program()).chars().collect();
        for (at, what, new) in edits {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            if what != 0 {
                text.remove(at);
            }
            if what != 1 {
                text.splice(at..at, new.chars());
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(program) = parse(&text) {
            assert_round_trip(&program);
            let _ = verify(&program);
        }
    }

    #[test]
    fn any_text_never_panics_the_reader(text in "\\PC{0,60}") {
        let _ = parse(&text);
    }
}

#[test]
fn every_statement_operation_and_guard_reads_back() {
    // Many times, with other bytes: the pieces inside them vary too.
    for seed in 0..=255_u8 {
        let bytes: Vec<u8> =
            (0..20_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 ^ seed).collect();
        let mut maker = Maker { bytes: bytes.iter() };
        let mut body: Block = (0..N_STMTS).map(|which| maker.stmt(which, 3)).collect();
        for which in 0..N_OPS {
            let kind = StmtKind::Assign(maker.var(), maker.op(which));
            body.push(Stmt { kind, loc: maker.loc() });
        }
        for which in 0..N_CHECKS {
            let kind = StmtKind::Check(maker.check(which));
            body.push(Stmt { kind, loc: maker.loc() });
        }
        let mut program = maker.program();
        let mut routine = maker.routine();
        routine.body = body;
        program.push(routine);
        assert_round_trip(&program);
    }
}

const SAMPLE: &str = r#"routine 0 "WARSHALL-C" (value %n: int as "n", ref %P: table[%n, ?] as "P") -> %r !0 {
  var %X: slice[%s1] sized as "X"
  var %s1: int
  var %"a b": word[16]
  var %r: int
  var %k: int as "k"
  check index %k, columns %P !1
  %X = column %P, %k !1
  %r = add %k, -5 !1
  %"a b" = literal '0110' !0
  %X = bits_and %X, %X !0
  %r = step %X !0
  %r = call 0 "WARSHALL-C" (value "s", move %X, ref %P) !0
  %P = read "a.mtx" layout "adjacency" !0
  latch %s1, length %X !0
  fix %X, %s1 !0
  check sized %X !0
  cost 2 times rows %P !0
  print !0
  for @1 %k = %n downto 1 !1 {
    break @1 !1
  }
  while @2 !1 {
    %r = count %X !1
  } test true {
  }
  forall @3 %k = 1 to %n writes [column %P, field %P 4] privates [%X] reductions [add %r] !0 {
  }
  tile %n privates [%X] reductions [%r = count %X] !0 {
    if true !0 {
      continue @4 !0
    } else {
      exit !0
    }
  }
}
locations {
  !0 = 0:5..17
  !1 = 0:120..131 at_call inlined [0 at !0, 3 at !1] names [#3 "X", #4 "k"]
}
"#;

#[test]
fn the_text_form_is_as_documented() {
    let program = parse(SAMPLE).unwrap();
    assert_eq!(program.to_string(), SAMPLE);
}

#[test]
fn comments_and_line_breaks_are_blanks() {
    let text = "; head\nroutine 0 \"F\" ; \"G\"\n(ref\n%x : int) !0{ exit !0 exit\n!1}; end";
    let program = parse(text).unwrap();
    assert_eq!(program.routines[0].body.len(), 2);
}

#[test]
fn errors_say_where_and_what() {
    let error = |body: &str| {
        let text = format!("routine 0 \"F\" (value %x: int) !0 {{\n{body}\n}}\n");
        parse(&text).unwrap_err().to_string()
    };
    assert_eq!(error("  %y = copy 1 !0"), "2:3: no variable is named `y`");
    assert_eq!(error("%x = cpoy 1 !0"), "2:6: no operation is named `cpoy`");
    assert_eq!(error("Θ"), "2:1: unexpected character `Θ`");
    assert_eq!(error("chekc set %x !0"), "2:1: no statement is named `chekc`");
    assert_eq!(error("check unset %x !0"), "2:7: no guard is named `unset`");
    assert_eq!(error("exit"), "3:1: expected a location such as `!3`, found `}`");
    assert_eq!(error("call 0 \"G\" () !0"), "2:8: routine 0 is not named `G`");
    assert_eq!(
        error("%x = copy 9223372036854775808 !0"),
        "2:11: 9223372036854775808 is out of range for an integer"
    );
    assert_eq!(parse("routine 1 \"F\"").unwrap_err().to_string(), "1:9: this is routine 0");
}

#[test]
fn nesting_is_limited_not_fatal() {
    let nested = |depth: usize| {
        format!(
            "routine 0 \"F\" () !0 {{ {} {} }} locations {{ !0 = 0:0..0 }}",
            "if true !0 {".repeat(depth),
            "}".repeat(depth)
        )
    };
    let deepest = parse(&nested(MAX_DEPTH)).unwrap();
    assert_eq!(verify(&deepest), Ok(()));
    assert_round_trip(&deepest);
    for open in [
        "while @0 !0 { } test true {",
        "forall @0 #0 = 1 to 2 !0 {",
        "for @0 #0 = 1 to 2 !0 {",
        "foreach @0 #0 in #0 !0 {",
        "tile 3 !0 {",
        "block @0 !0 {",
    ] {
        let deepest = parse(&nested(MAX_DEPTH).replace("if true !0 {", open)).unwrap();
        assert!(verify(&deepest).is_err());
        assert_round_trip(&deepest);
    }
    for depth in [MAX_DEPTH + 1, 100_000] {
        let error = parse(&nested(depth)).unwrap_err();
        assert_eq!(error.message, "nested more than 512 deep");
    }
}
