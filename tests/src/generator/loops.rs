//! Loops with a bounded number of iterations.

use star_base::Builtin;

use super::scope::{Known, VarIdx};
use super::source::{Expr, ExprType, Part, Stmt, expr, stmt};
use super::{Gen, Jumps};

impl Gen {
    pub(super) fn a_loop(&mut self, all: &mut Vec<Stmt>) {
        match self.random.below(8) {
            0..=2 => self.for_loop(all),
            3 => self.foreach(all),
            4 | 5 => self.while_some(all),
            6 => self.while_step(all),
            _ => self.counted(all),
        }
    }

    /// Chooses the number of iterations of a loop, at most `most`.
    fn iterations(&mut self, most: usize) -> usize {
        let room = (self.routine.budget - self.routine.spent) / self.routine.iterations / 12.0;
        most.min(room.max(0.0) as usize)
    }

    /// Chooses a variable for a loop over `lo ..= hi`.
    fn loop_variable(&mut self, lo: i64, hi: i64) -> VarIdx {
        let suits = self
            .routine
            .scope
            .writable(|var| var.kind == ExprType::Int && var.domain.0 <= lo && hi <= var.domain.1);
        match self.choose(&suits) {
            Some(idx) if self.random.chance(40) => idx,
            Some(_) | None => self.declare(ExprType::Int, None, (lo, hi)),
        }
    }

    /// Generates the body of a loop whose variable ranges over `lo ..= hi`.
    fn body(
        &mut self,
        var: VarIdx,
        (lo, hi): (i64, i64),
        iterations: usize,
        jumps: Jumps,
    ) -> Vec<Stmt> {
        let before = self.routine.scope.clone();
        let outer = std::mem::replace(&mut self.routine.jumps, jumps);
        {
            let var = self.var_mut(var);
            (var.known, var.locked, var.domain) = (Known::Scalar, true, (lo, hi));
        }
        let n = 1 + self.random.below(3);
        let body = self.iterated(iterations, |this| this.statements(n));
        self.routine.scope.leave(&before);
        self.routine.jumps = outer;
        body
    }

    /// `for i := a to b do …`
    fn for_loop(&mut self, all: &mut Vec<Stmt>) {
        let size = if self.random.chance(50) {
            self.sizes.row(&mut self.random)
        } else {
            self.sizes.column(&mut self.random)
        };
        let iterations = self.iterations(size);
        let down = self.random.chance(35);
        self.count(if down { "for downto" } else { "for to" });
        let (lo, hi) = if iterations == size {
            (1, size as i64)
        } else {
            let lo = 1 + self.random.below(size - iterations + 1) as i64;
            (lo, lo + iterations as i64 - 1)
        };
        let empty = lo > hi;
        let (least, greatest) = if empty { (lo, lo) } else { (lo, hi) };
        let (from, to) = (self.int_in(lo, lo, 0), self.int_in(hi, hi, 0));
        let var = self.loop_variable(least, greatest);
        let body = if empty {
            // The loop never runs, and nothing has this index.
            let value = self.int_in(0, 1, 0);
            let other = self.int_variable(0, 1);
            if other == var { Vec::new() } else { vec![stmt!(&self.var(other).name, ":=", value)] }
        } else {
            self.body(var, (lo, hi), iterations, Jumps::All)
        };
        let name = self.var(var).name.clone();
        let becomes = self.becomes();
        let body = Part::Body(body);
        all.push(if down {
            stmt!("for ", name, becomes, to, " downto ", from, " do ", body)
        } else {
            stmt!("for ", name, becomes, from, " to ", to, " do ", body)
        });
    }

    /// Generates a slice or word with few enough ones for a loop, and returns their number.
    fn responders(&mut self, kind: ExprType) -> (Expr, usize, usize) {
        let size = self.usual_size(kind);
        let iterations = self.iterations(size);
        let value = self.bits(kind, size, 2);
        if iterations == size {
            return (value, size, iterations);
        }
        if iterations == 0 {
            return (expr!(kind; "(", value.clone(), " and not ", value, ")"), size, 0);
        }
        let from = 1 + self.random.below(size - iterations + 1);
        let to = super::ints::literal((from + iterations - 1) as i64);
        let from = super::ints::literal(from as i64);
        (self.builtin(Builtin::Mask, kind, vec![value, from, to]), size, iterations)
    }

    /// `foreach i in X do …`
    fn foreach(&mut self, all: &mut Vec<Stmt>) {
        self.count("foreach");
        let kind = self.bits_kind();
        let (over, size, iterations) = self.responders(kind);
        let range = (1, size.max(1) as i64);
        let var = self.loop_variable(range.0, range.1);
        let body =
            if size == 0 { Vec::new() } else { self.body(var, range, iterations, Jumps::All) };
        all.push(stmt!("foreach ", &self.var(var).name, " in ", over, " do ", Part::Body(body)));
    }

    /// Generates `Y := …` for a responder loop over `Y`, a new variable.
    fn work_list(&mut self, all: &mut Vec<Stmt>) -> (VarIdx, usize, usize) {
        let kind = self.bits_kind();
        let (value, size, iterations) = self.responders(kind);
        let list = self.declare(kind, None, (0, 0));
        self.var_mut(list).known = Known::Bits(size);
        all.push(stmt!(&self.var(list).name, ":=", value));
        (list, size, iterations)
    }

    /// `while SOME(Y) do begin i := STEP(Y); … end`
    fn while_some(&mut self, all: &mut Vec<Stmt>) {
        self.count("while SOME");
        let (list, size, iterations) = self.work_list(all);
        let hi = size.max(1) as i64;
        let var = self.loop_variable(1, hi);
        let name = self.var(list).name.clone();
        // The body mostly leaves Y alone; otherwise it reads it, or clears ones.
        let touches = self.random.below(10);
        self.var_mut(list).locked = true;
        self.var_mut(list).hidden = touches < 6;
        let mut body =
            if size == 0 { Vec::new() } else { self.body(var, (1, hi), iterations, Jumps::All) };
        let next = self.read(list);
        let step = self.builtin(Builtin::Step, ExprType::Int, vec![next.clone()]);
        body.insert(0, stmt!(&self.var(var).name, ":=", step));
        if touches == 9 && size > 0 {
            let less = self.iterated(iterations, |this| this.take_away(list, size));
            let place = 1 + self.random.below(body.len());
            body.insert(place, less);
        }
        self.var_mut(list).locked = false;
        self.var_mut(list).hidden = false;
        let condition = if self.random.chance(30) {
            self.charge(iterations);
            expr!(ExprType::Bool; name, " ≠ Θ")
        } else {
            self.builtin(Builtin::Some, ExprType::Bool, vec![next])
        };
        self.charge(2 * iterations);
        all.push(stmt!("while ", condition, " do ", Part::Body(body)));
    }

    /// Generates a statement that may clear ones of a work list.
    fn take_away(&mut self, list: VarIdx, size: usize) -> Stmt {
        let kind = self.var(list).kind;
        let name = self.var(list).name.clone();
        match self.random.below(5) {
            0 => {
                let mask = self.right_operand(kind, size, 1);
                self.charge(1);
                stmt!(&name, ":=", &name, " and ", mask)
            }
            1 => {
                let index = self.index(size);
                self.charge(1);
                stmt!(&name, "(", index, "):=0")
            }
            2 => {
                let operand = self.read(list);
                self.builtin_stmt(Builtin::Frst, vec![operand])
            }
            3 => {
                let operand = self.read(list);
                self.builtin_stmt(Builtin::Step, vec![operand])
            }
            _ => {
                let operand = self.read(list);
                let clear = self.builtin_stmt(Builtin::Clr, vec![operand]);
                let condition = self.boolean(1);
                stmt!("if ", condition, " then ", Part::Body(vec![clear]))
            }
        }
    }

    /// `i := STEP(Y); while i > 0 do begin …; i := STEP(Y) end`
    fn while_step(&mut self, all: &mut Vec<Stmt>) {
        let (list, size, iterations) = self.work_list(all);
        if size == 0 {
            return;
        }
        self.count("while STEP");
        let var = self.declare(ExprType::Int, None, (0, size as i64));
        let reads = self.random.chance(30);
        self.var_mut(list).locked = true;
        self.var_mut(list).hidden = !reads;
        let mut body = self.body(var, (1, size as i64), iterations, Jumps::Break);
        self.var_mut(list).locked = false;
        self.var_mut(list).hidden = false;
        let next = self.read(list);
        let step = self.builtin(Builtin::Step, ExprType::Int, vec![next]);
        self.charge(iterations);
        let name = self.var(var).name.clone();
        let step = stmt!(&name, ":=", step);
        body.push(step.clone());
        all.push(step);
        self.var_mut(var).known = Known::Scalar;
        let condition = [">0", "<>0"][self.random.below(2)];
        all.push(stmt!("while ", &name, condition, " do ", Part::Body(body)));
    }

    /// Generates `while` and `repeat` with a counter.
    fn counted(&mut self, all: &mut Vec<Stmt>) {
        let most = 1 + self.random.below(8);
        let iterations = self.iterations(most).max(1);
        let counter = self.declare(ExprType::Int, None, (0, iterations as i64 + 1));
        let name = self.var(counter).name.clone();
        all.push(stmt!(&name, ":=0"));
        self.var_mut(counter).known = Known::Scalar;
        let condition = self.iterated(iterations, |this| this.boolean(2));
        let range = (1, iterations as i64);
        let mut body = self.body(counter, range, iterations, Jumps::All);
        body.insert(0, stmt!(&name, ":=", &name, "+1"));
        all.push(if self.random.chance(50) {
            self.count("while");
            let body = Part::Body(body);
            stmt!("while (", &name, format!("<{iterations}) and "), condition, " do ", body)
        } else {
            self.count("repeat");
            let body = Part::Bare(body);
            stmt!("repeat", body, "until (", &name, format!(">={iterations}) or "), condition)
        });
    }
}
