//! Instructions on registers only.

use star_ir::IntOp;
use star_shaders::layout::{NO_REG, status};
use star_shaders::{Op, Then};

use super::{Dispatch, Fields};

impl Dispatch {
    pub(super) fn operand(&self, reg: Option<u32>, other: i64) -> i64 {
        reg.map_or(other, |reg| self.r[reg as usize])
    }

    pub(super) fn put(&mut self, d: u32, number: i64) {
        if d != NO_REG {
            self.r[d as usize] = number;
        }
    }

    fn count(&mut self, operations: u64, steps: u64) {
        self.operations = self.operations.saturating_add(operations);
        self.steps = self.steps.saturating_add(steps);
    }

    pub(super) fn scalar(&mut self, inst: Fields) {
        let (a, b) = (self.operand(inst.a, 0), self.operand(inst.b, inst.imm));
        let overflows = |op: IntOp| i64::from(op.apply(a, b).is_none());
        let mut number = 0;
        match inst.op {
            Op::Load => number = inst.imm,
            Op::Move => number = a,
            Op::Add => number = a.wrapping_add(b),
            Op::Sub => number = a.wrapping_sub(b),
            Op::Mul => number = a.wrapping_mul(b),
            Op::And => number = a & b,
            Op::Or => number = a | b,
            Op::Xor => number = a ^ b,
            Op::Eq => number = i64::from(a == b),
            Op::Ne => number = i64::from(a != b),
            Op::Lt => number = i64::from(a < b),
            Op::Le => number = i64::from(a <= b),
            Op::Gt => number = i64::from(a > b),
            Op::Ge => number = i64::from(a >= b),
            Op::Min => number = a.min(b),
            Op::Max => number = a.max(b),
            Op::Shr => number = if (0..64).contains(&b) { (a as u64 >> b) as i64 } else { 0 },
            Op::AddOverflows => number = overflows(IntOp::Add),
            Op::SubOverflows => number = overflows(IntOp::Sub),
            Op::MulOverflows => number = overflows(IntOp::Mul),
            Op::Jump => self.pc = inst.target,
            Op::JumpZero if a == 0 => self.pc = inst.target,
            Op::JumpNonzero if a != 0 => self.pc = inst.target,
            Op::Cost => self.count(inst.imm as u64, inst.imm as u64),
            Op::CostTimes => {
                if let Ok(times) = u64::try_from(a) {
                    let cost = times.saturating_mul(inst.imm as u64);
                    self.count(cost, cost);
                }
            }
            Op::Iteration => self.count(0, 1),
            Op::TrapZero if a == 0 => self.status = status::TRAP,
            Op::TrapNonzero if a != 0 => self.status = status::TRAP,
            Op::JumpZero | Op::JumpNonzero | Op::TrapZero | Op::TrapNonzero => {}
            Op::Host => self.status = status::HOST,
            _ => self.status = status::BROKEN,
        }
        self.put(inst.d, number);
        match (Then::of_number(inst.first >> 8 & 15), number) {
            (Some(Then::Jump), _)
            | (Some(Then::JumpZero), 0)
            | (Some(Then::JumpNonzero), ..=-1 | 1..) => self.pc = inst.target,
            (Some(Then::TrapZero), 0) | (Some(Then::TrapNonzero), ..=-1 | 1..) => {
                self.status = status::TRAP;
            }
            (
                Some(Then::JumpZero | Then::JumpNonzero | Then::TrapZero | Then::TrapNonzero)
                | None,
                _,
            ) => {}
        }
        if self.status == status::RUNNING && self.steps > self.step_limit {
            self.status = status::STEP_LIMIT;
        }
    }
}
