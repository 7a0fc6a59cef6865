//! Agreement of ranks about checkpoints.

use star_base::Code;

use crate::backend::HostError;
use crate::cpu::interpreter::Interpreter;
use crate::exchange::{Partition, Reduce};
use crate::interrupt::{Exec, internal_error};

const WHAT: &str = "a checkpoint";

impl Interpreter<'_, '_, '_> {
    /// Returns the number of this rank, and the number of ranks.
    pub(in crate::cpu) fn rank(&self) -> (usize, usize) {
        self.partition().map_or((0, 1), |partition| (partition.rank(), partition.n_ranks()))
    }

    pub(in crate::cpu) fn partition(&self) -> Option<Partition> {
        self.ranks.as_ref().map(|ranks| ranks.partition)
    }

    /// Returns the number that rank 0 passes.
    pub(in crate::cpu) fn of_rank_0(&mut self, number: u64) -> Exec<u64> {
        let mut limbs = [number];
        self.broadcast(WHAT, 0, &mut limbs)?;
        Ok(limbs[0])
    }

    /// Returns the error of the first rank that has one, on all ranks.
    pub(in crate::cpu) fn first_error(
        &mut self,
        own: Option<HostError>,
    ) -> Exec<Option<HostError>> {
        let (rank, n_ranks) = self.rank();
        let mut first = [if own.is_some() { rank as i64 } else { n_ranks as i64 }];
        self.reduce(WHAT, Reduce::Min, &mut first)?;
        let owner = first[0] as usize;
        if owner == n_ranks {
            return Ok(None);
        }
        let own = own.filter(|_| rank == owner);
        let text = own.as_ref().map_or("", |error| &error.message);
        let code_idx = |error: &HostError| Code::ALL.iter().position(|code| *code == error.code);
        let code_idx = own.as_ref().and_then(code_idx);
        let mut head = [code_idx.unwrap_or(0) as u64, text.len() as u64];
        self.broadcast(WHAT, owner, &mut head)?;
        let mut limbs = vec![0; head[1].div_ceil(8) as usize];
        for (limb, chunk) in limbs.iter_mut().zip(text.as_bytes().chunks(8)) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            *limb = u64::from_le_bytes(bytes);
        }
        self.broadcast(WHAT, owner, &mut limbs)?;
        let mut bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.truncate(head[1] as usize);
        let code = Code::ALL.get(head[0] as usize).copied();
        let code = code.ok_or_else(|| internal_error("an unknown code"))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Some(HostError { code, message: format!("rank {owner}: {text}") }))
    }

    /// Returns the operations and steps that other ranks do not count.
    pub(in crate::cpu) fn own_counts(&self) -> [u64; 2] {
        self.ranks.as_ref().map_or([0; 2], |ranks| [ranks.own_operations, ranks.own_steps])
    }

    pub(in crate::cpu) fn set_own_counts(&mut self, counts: [u64; 2]) {
        if let Some(ranks) = &mut self.ranks {
            [ranks.own_operations, ranks.own_steps] = counts;
        }
    }
}
