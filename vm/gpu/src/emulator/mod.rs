//! The emulator of the control unit in Rust: runs the same register code, thread by thread in a
//! random order, and checks the assumptions of the shader: between two barriers no two threads
//! access one limb if one of them writes. It does the same for the kernel of wide lines, with all
//! threads of a grid.
//!
//! It exists for tests. Where the shader and the emulator differ, one of them is wrong.

mod limbs;
mod line;
mod lines;
mod scalar;
mod vector;
mod wide;

use std::collections::BTreeMap;

use star_shaders::layout::{
    INST_WORDS, JOINED_WORDS, JOURNAL_WORDS, REGISTERS, state, status, wide as layout,
};
use star_value::OutOfMemory;
use star_vm::BackendError;
use star_vm::columns::PART_BYTES;

use crate::device_trait::{AHEAD_WORDS, ControlUnit, State, Wide};
use crate::grid::Grid;
use crate::program::internal;

/// Sizes that must not affect results.
#[derive(Clone, Copy, Debug)]
pub struct EmulatorSettings {
    /// Threads of the workgroup, and of all workgroups that compute a wide line 64 at most.
    pub threads: u32,
    /// Loop iterations of a dispatch.
    pub budget: u32,
    /// Initial words of the memory.
    pub words: u32,
    /// Seed of the order of the threads.
    pub seed: u64,
    /// Maximum words of the memory.
    pub most_words: u64,
    /// Dispatches until the device is lost.
    pub lost_after: u64,
    /// Maximum iterations of a loop within a dispatch.
    pub most_iterations: u32,
    /// Words that are allocated to the objects of a frame ahead of requests.
    pub ahead_words: u32,
    /// Words of the journal for lines until the host prints them.
    pub journal_words: u32,
    /// Bytes of columns that enter and leave at once.
    pub part_bytes: u64,
    /// Limits beyond which another kernel does the work.
    pub wide: Wide,
}

impl EmulatorSettings {
    /// The smallest possible sizes.
    pub const TINY: EmulatorSettings = EmulatorSettings {
        threads: 3,
        budget: 60,
        words: 64,
        ahead_words: 0,
        journal_words: 12,
        part_bytes: 1 << 8,
        wide: Wide::TINY,
        ..EmulatorSettings::USUAL
    };
    /// The sizes of a device.
    pub const USUAL: EmulatorSettings = EmulatorSettings {
        threads: 8,
        budget: 60_000,
        words: 1 << 16,
        seed: 1,
        most_words: 1 << 28,
        lost_after: u64::MAX,
        most_iterations: u32::MAX,
        ahead_words: AHEAD_WORDS,
        journal_words: JOURNAL_WORDS,
        part_bytes: PART_BYTES,
        wide: Wide { limbs: 40, items: 60, blocks: 1000, joined: 20, groups: 4, rate: 8, chain: 8 },
    };
}

/// The emulator.
pub(crate) struct Emulator {
    settings: EmulatorSettings,
    mem: Vec<u32>,
    code: Vec<u32>,
    journal: Vec<u32>,
    /// The results joined by threads of the grid.
    joined: Vec<u32>,
    /// The threads that have read and written each limb since the last barrier.
    touched: BTreeMap<u32, (u64, u64)>,
    seed: u64,
    dispatches: u64,
    /// The first conflicting accesses of two threads.
    clash: Option<String>,
}

/// A waiting line, as in the state.
type Words = [u32; layout::WORDS as usize];

/// A dispatch.
struct Dispatch {
    r: [i64; REGISTERS as usize],
    pc: u32,
    status: u32,
    payload: u32,
    frame: u32,
    depth: u32,
    callee: u32,
    operations: u64,
    steps: u64,
    step_limit: u64,
    depth_limit: u32,
    routines: u32,
    literals: u32,
    profile: u32,
    journal_room: u32,
    lines: u32,
    budget: i64,
    wide: Wide,
    n_wide: u32,
    /// Whether the next instruction completes the last computed line.
    answers: bool,
    /// The results of its queries.
    nearest: u32,
    count: u64,
    /// The waiting lines, and whether the instruction of the last one has a query.
    queue: Vec<Words>,
    asks: bool,
}

/// An instruction, decoded.
#[derive(Clone, Copy)]
struct Fields {
    op: star_shaders::Op,
    first: u32,
    d: u32,
    a: Option<u32>,
    b: Option<u32>,
    c: Option<u32>,
    x: Option<u32>,
    y: Option<u32>,
    z: Option<u32>,
    w: Option<u32>,
    v: Option<u32>,
    imm: i64,
    target: u32,
}

impl Fields {
    /// Returns whether threads wait for each other before it.
    fn is_sync(self) -> bool {
        self.first & 0x40_0000 != 0
    }
}

impl Emulator {
    pub(crate) fn new(settings: EmulatorSettings) -> Self {
        Emulator {
            settings,
            mem: vec![0; settings.words as usize],
            code: Vec::new(),
            journal: Vec::new(),
            joined: vec![0; JOINED_WORDS as usize],
            touched: BTreeMap::new(),
            seed: settings.seed,
            dispatches: 0,
            clash: None,
        }
    }

    /// Returns this number of threads in the order of this instruction.
    fn order(&mut self, threads: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..threads).collect();
        for last in (1..order.len()).rev() {
            self.seed =
                self.seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            order.swap(last, (self.seed >> 33) as usize % (last + 1));
        }
        order
    }

    /// Fails once the device is lost.
    fn is_there(&self) -> Result<(), BackendError> {
        match self.dispatches < self.settings.lost_after {
            true => Ok(()),
            false => Err(BackendError::DeviceLost { why: "requested by the test".to_owned() }),
        }
    }

    fn fields(&self, pc: u32) -> Result<Fields, BackendError> {
        let at = (pc * INST_WORDS) as usize;
        let words = self.code.get(at..at + INST_WORDS as usize);
        let words = words.ok_or_else(|| internal(format!("unknown instruction {pc}")))?;
        let op = star_shaders::Op::of_number(words[0] & 0xff);
        let reg = |shift: u32| {
            Some(words[1] >> shift & 0xff).filter(|&reg| reg != star_shaders::layout::NO_REG)
        };
        let object =
            |word: u32| Some(word & 0xffff).filter(|&it| it != star_shaders::layout::NO_OBJECT);
        Ok(Fields {
            op: op.ok_or_else(|| internal(format!("unknown operation {}", words[0] & 0xff)))?,
            first: words[0],
            d: words[1] & 0xff,
            a: reg(8),
            b: reg(16),
            c: reg(24),
            x: object(words[2]),
            y: object(words[2] >> 16),
            z: object(words[3]),
            w: object(words[3] >> 16),
            v: object(words[7]),
            imm: (u64::from(words[4]) | u64::from(words[5]) << 32) as i64,
            target: words[6],
        })
    }

    /// Runs the control unit.
    fn unit(&mut self, state: &mut State) -> Result<(), BackendError> {
        let wide = |place: u32| {
            u64::from(state[place as usize]) | u64::from(state[place as usize + 1]) << 32
        };
        let word = |place: u32| state[place as usize];
        let was_made = word(state::STATUS) == status::WIDE;
        let (begun, budget) = (word(state::BEGUN), word(state::BUDGET));
        let is_begin = word(state::STATUS) == status::RUNNING && budget > 0;
        if begun != word(state::ENDED) || !(was_made || is_begin) {
            return Ok(());
        }
        let mut run = Dispatch {
            r: std::array::from_fn(|reg| wide(state::REGISTERS + 2 * reg as u32) as i64),
            pc: word(state::PC),
            status: status::RUNNING,
            payload: word(state::PAYLOAD),
            frame: word(state::FRAME),
            depth: word(state::DEPTH),
            callee: word(state::CALLEE),
            operations: wide(state::OPERATIONS),
            steps: wide(state::STEPS),
            step_limit: wide(state::STEP_LIMIT),
            depth_limit: word(state::DEPTH_LIMIT),
            routines: word(state::ROUTINES),
            literals: word(state::LITERALS),
            profile: word(state::PROFILE),
            journal_room: word(state::JOURNAL_ROOM),
            lines: word(state::LINES),
            budget: i64::from(budget).max(i64::from(was_made)),
            wide: Wide {
                limbs: word(state::WIDE_LIMBS),
                items: word(state::WIDE_ITEMS),
                blocks: word(state::MOST_BLOCKS),
                joined: word(state::MOST_JOINED),
                groups: word(state::WIDE_GROUPS),
                rate: word(state::WIDE_RATE),
                chain: 0,
            },
            n_wide: word(state::N_WIDE),
            answers: was_made && word(state::ANSWERS) != 0,
            nearest: word(state::NEAREST),
            count: wide(state::COUNT),
            queue: Vec::new(),
            asks: false,
        };
        if was_made {
            run.n_wide += word(state::QUEUED);
            run.status = word(state::AFTER);
            if word(state::GROUPS) != run.wide.groups {
                run.status = status::BROKEN;
            }
        }
        self.touched.clear();
        let first = &state[state::QUEUE as usize..][..layout::WORDS as usize];
        if run.answers && first[layout::KIND as usize] & 0xff == star_shaders::Op::Lines as u32 {
            let d = self.fields(run.pc)?.d;
            self.lines_made(&mut run, d, first);
        }
        while run.budget > 0 && run.status == status::RUNNING {
            let inst = self.fields(run.pc)?;
            run.pc += 1;
            if inst.op.is_scalar() {
                run.budget -= 2;
                run.scalar(inst);
            } else {
                run.budget -= 24;
                self.vector(&mut run, inst);
            }
            if let Some(clash) = &self.clash {
                return Err(internal(format!("{clash}, at instruction {}", run.pc - 1)));
            }
        }
        // Waiting lines are computed before the host is served.
        let mut after = status::RUNNING;
        if !run.queue.is_empty() && run.status != status::WIDE {
            after = std::mem::replace(&mut run.status, status::WIDE);
        }
        let mut put = |place: u32, word: u32| state[place as usize] = word;
        for (place, word) in [
            (state::PC, run.pc),
            (state::STATUS, run.status),
            (state::PAYLOAD, run.payload),
            (state::FRAME, run.frame),
            (state::DEPTH, run.depth),
            (state::CALLEE, run.callee),
            (state::JOURNAL, self.journal.len() as u32),
            (state::LINES, run.lines),
            (state::BUDGET, run.budget.max(0) as u32),
            (state::N_WIDE, run.n_wide),
            (state::QUEUED, run.queue.len() as u32),
            (state::ANSWERS, u32::from(run.asks)),
            (state::AFTER, after),
            (state::NEAREST, u32::MAX),
            (state::COUNT, 0),
            (state::COUNT + 1, 0),
            (state::GROUPS, 0),
            (state::BEGUN, begun + 1),
            (state::ENDED, begun + 1),
        ] {
            put(place, word);
        }
        let numbers = [(state::OPERATIONS, run.operations), (state::STEPS, run.steps)];
        let registers = run.r.iter().enumerate();
        let registers =
            registers.map(|(reg, number)| (state::REGISTERS + 2 * reg as u32, *number as u64));
        for (place, number) in numbers.into_iter().chain(registers) {
            put(place, number as u32);
            put(place + 1, (number >> 32) as u32);
        }
        let queue = state[state::QUEUE as usize..].chunks_mut(layout::WORDS as usize);
        for (words, to) in run.queue.iter().zip(queue) {
            to.copy_from_slice(words);
        }
        Ok(())
    }
}

impl ControlUnit for Emulator {
    fn device(&self) -> String {
        let threads = self.settings.threads;
        format!("emulator of the control unit, {threads} threads, checked")
    }

    fn threads(&self) -> u32 {
        self.settings.threads
    }

    fn budget(&self, _dispatch: u32) -> u32 {
        self.settings.budget
    }

    fn wide(&self) -> Wide {
        self.settings.wide
    }

    fn ahead_words(&self) -> u32 {
        self.settings.ahead_words
    }

    fn journal_words(&self) -> u32 {
        self.settings.journal_words
    }

    fn journal(&self) -> &[u32] {
        &self.journal
    }

    fn max_iterations(&self) -> u32 {
        self.settings.most_iterations
    }

    fn max_words(&self) -> u64 {
        self.settings.most_words
    }

    fn bank_words(&self) -> u32 {
        u32::MAX
    }

    fn words(&self) -> u32 {
        self.mem.len() as u32
    }

    fn grow(&mut self, words: u32) -> Result<(), BackendError> {
        let more = (words as usize).saturating_sub(self.mem.len());
        let refused = OutOfMemory { n_bytes: more as u128 * 4 };
        self.mem.try_reserve_exact(more).map_err(|_| refused)?;
        self.mem.resize(words as usize, 0);
        Ok(())
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> Result<(), BackendError> {
        self.is_there()?;
        into.copy_from_slice(&self.mem[at as usize..at as usize + into.len()]);
        Ok(())
    }

    fn write(&mut self, at: u32, from: &[u32]) -> Result<(), BackendError> {
        self.mem[at as usize..at as usize + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), BackendError> {
        let from = from as usize..(from + words) as usize;
        self.mem.copy_within(from, to as usize);
        Ok(())
    }

    fn clear(&mut self, at: u32, words: u32) -> Result<(), BackendError> {
        // The content of a block beyond the limbs of its object is undefined: tests check that it
        // is not used.
        self.mem[at as usize..(at + words) as usize].fill(0);
        Ok(())
    }

    fn load_code(&mut self, code: &[u32]) -> Result<(), BackendError> {
        self.code = code.to_vec();
        Ok(())
    }

    fn grid(&mut self) -> Option<&mut dyn Grid> {
        None
    }

    fn dispatch(&mut self, state: &mut State, n_wide: u32) -> Result<Option<u64>, BackendError> {
        self.is_there()?;
        self.dispatches += 1;
        self.journal.clear();
        if state[state::STATUS as usize] != status::WIDE {
            self.unit(state)?;
        }
        for _ in 0..n_wide {
            self.make_wide(state);
            self.unit(state)?;
        }
        Ok(None)
    }
}
