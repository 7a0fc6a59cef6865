//! Expressions that are truth values.

use star_base::Builtin;

use super::Gen;
use super::source::{Expr, ExprType, expr};

impl Gen {
    /// Generates any truth value.
    pub(super) fn boolean(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.bool_leaf();
        }
        match self.random.below(12) {
            0..=2 => {
                let (left, right) = (self.int(depth - 1).expr, self.int(depth - 1).expr);
                let relation = ["=", "<>", "<", ">", "<=", ">=", "≠"][self.random.below(7)];
                expr!(ExprType::Bool; "(", left, relation, right, ")")
            }
            3 | 4 => {
                let (operand, _) = self.any_bits(depth - 1);
                let builtin = [Builtin::Some, Builtin::One, Builtin::Zero][self.random.below(3)];
                self.builtin(builtin, ExprType::Bool, vec![operand])
            }
            5 => self.word_comparison(depth - 1),
            6 => {
                let kind = self.bits_kind();
                let size = self.usual_size(kind);
                let left = self.bits(kind, size, depth - 1);
                let relation = ["=", "<>"][self.random.below(2)];
                let right = self.right_operand(kind, size, depth - 1);
                self.charge(1);
                expr!(ExprType::Bool; "(", left, relation, right, ")")
            }
            7 => {
                let (left, right) = (self.boolean(depth - 1), self.boolean(depth - 1));
                let op = [" and ", " or ", " xor "][self.random.below(3)];
                expr!(ExprType::Bool; "(", left, op, right, ")")
            }
            8 => {
                let operand = self.boolean(depth - 1);
                expr!(ExprType::Bool; "(not ", operand, ")")
            }
            9 => {
                let (left, right) = (self.boolean(depth - 1), self.boolean(depth - 1));
                let op = ["=", "<>"][self.random.below(2)];
                expr!(ExprType::Bool; "(", left, op, right, ")")
            }
            10 => self.function_bool(depth - 1),
            _ => self.bool_leaf(),
        }
    }

    fn bool_leaf(&mut self) -> Expr {
        let vars = self.routine.scope.readable(|var| var.kind == ExprType::Bool);
        match self.choose(&vars) {
            Some(idx) if self.random.chance(60) => self.read(idx),
            Some(_) | None if self.random.chance(30) => {
                Expr::leaf(ExprType::Bool, ["true", "false"][self.random.below(2)])
            }
            Some(_) | None => {
                let (operand, _) = self.any_bits(0);
                self.builtin(Builtin::Some, ExprType::Bool, vec![operand])
            }
        }
    }

    fn word_comparison(&mut self, depth: usize) -> Expr {
        let size = self.word_size(129);
        let operands = vec![
            self.bits(ExprType::Word, size, depth),
            self.typed_operand(ExprType::Word, size, depth),
        ];
        let builtin = [
            Builtin::Eq,
            Builtin::NotEq,
            Builtin::Less,
            Builtin::LessEq,
            Builtin::Great,
            Builtin::GreatEq,
        ][self.random.below(6)];
        self.builtin(builtin, ExprType::Bool, operands)
    }
}
