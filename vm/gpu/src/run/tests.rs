//! Behaviour with a driver that rejects a kernel only after memory has grown to another buffer: the
//! run continues as written.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use star_ir::RoutineId;
use star_shaders::Shader;
use star_value::{BitVector, Value as HostValue};
use star_vm::columns::PART_BYTES;
use star_vm::{
    Backend, BackendError, CompileOptions, Control, Host, HostError, Limits, Outcome, Part, Stats,
};

use crate::backend::Gpu;
use crate::device::Mode;
use crate::device_trait::{ControlUnit, State, Wide};
use crate::emulator::{Emulator, EmulatorSettings};
use crate::grid::{Grid, Kernel, Launch, LeastBits, Returned, Words};
use crate::program::internal;

/// Words of a buffer.
const BANK_WORDS: u32 = 1 << 12;

/// The emulator, with a grid whose driver accepts only texts for one buffer.
struct OneBank {
    emulator: Emulator,
    refused: Rc<Cell<u32>>,
}

impl ControlUnit for OneBank {
    fn device(&self) -> String {
        self.emulator.device()
    }

    fn threads(&self) -> u32 {
        self.emulator.threads()
    }

    fn wide(&self) -> Wide {
        self.emulator.wide()
    }

    fn budget(&self, dispatch: u32) -> u32 {
        self.emulator.budget(dispatch)
    }

    fn ahead_words(&self) -> u32 {
        self.emulator.ahead_words()
    }

    fn journal_words(&self) -> u32 {
        self.emulator.journal_words()
    }

    fn journal(&self) -> &[u32] {
        self.emulator.journal()
    }

    fn max_iterations(&self) -> u32 {
        self.emulator.max_iterations()
    }

    fn max_words(&self) -> u64 {
        self.emulator.max_words()
    }

    fn bank_words(&self) -> u32 {
        BANK_WORDS
    }

    fn words(&self) -> u32 {
        self.emulator.words()
    }

    fn grow(&mut self, words: u32) -> Result<(), BackendError> {
        self.emulator.grow(words)
    }

    fn read(&mut self, at: u32, into: &mut [u32]) -> Result<(), BackendError> {
        self.emulator.read(at, into)
    }

    fn write(&mut self, at: u32, from: &[u32]) -> Result<(), BackendError> {
        self.emulator.write(at, from)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), BackendError> {
        self.emulator.copy(from, to, words)
    }

    fn clear(&mut self, at: u32, words: u32) -> Result<(), BackendError> {
        self.emulator.clear(at, words)
    }

    fn load_code(&mut self, code: &[u32]) -> Result<(), BackendError> {
        self.emulator.load_code(code)
    }

    fn grid(&mut self) -> Option<&mut dyn Grid> {
        Some(self)
    }

    fn dispatch(&mut self, state: &mut State, n_wide: u32) -> Result<Option<u64>, BackendError> {
        self.emulator.dispatch(state, n_wide)
    }
}

impl Grid for OneBank {
    fn shared_bytes(&self) -> u32 {
        1 << 15
    }

    fn max_groups(&self) -> u32 {
        crate::grid::MAX_GROUPS
    }

    fn has_small_groups(&self) -> bool {
        false
    }

    fn limbs_at_once(&self) -> u64 {
        1 << 20
    }

    fn most_iterations(&self) -> u32 {
        u32::MAX
    }

    fn least_bits(&self) -> LeastBits {
        LeastBits::all(1)
    }

    fn kernel(&mut self, _: &Shader) -> Result<Kernel, BackendError> {
        match self.banks() {
            1 => Ok(Kernel(0)),
            banks => {
                self.refused.set(self.refused.get() + 1);
                Err(BackendError::Unsupported { what: format!("a kernel for {banks} buffers") })
            }
        }
    }

    fn banks(&self) -> usize {
        self.words().div_ceil(BANK_WORDS) as usize
    }

    fn launch(&mut self, _: &[Launch], _: (u32, u32)) -> Result<Returned, BackendError> {
        Err(internal("a kernel that was refused"))
    }

    fn begin(
        &mut self,
        _: (u32, u32),
        _: &mut dyn FnMut(&mut Words<'_>),
        _: &[Launch],
        _: &[(u32, u32)],
    ) -> Result<(), BackendError> {
        Err(internal("a kernel that was refused"))
    }

    fn finish(&mut self) -> Result<Option<Returned>, BackendError> {
        Ok(None)
    }
}

/// A host without output and files.
struct Nobody;

impl Host for Nobody {
    fn print(&mut self, _: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn read(
        &mut self,
        _: &str,
        _: Option<&str>,
        _: star_ir::Ty,
        _: Option<u64>,
    ) -> Result<HostValue, HostError> {
        Err(HostError { code: star_base::Code::CannotOpen, message: "no files".to_owned() })
    }

    fn write(&mut self, _: &str, _: star_value::BitsRef<'_>) -> Result<(), HostError> {
        Err(HostError { code: star_base::Code::CannotOpen, message: "no files".to_owned() })
    }
}

#[test]
fn a_kernel_rejected_for_several_buffers_is_not_used() {
    let text = "routine 0 \"F\" (value %x: slice[?], ref %z: slice[?]) !0 {
  check set %x !0
  %z = bits_not %x !0
}
locations {
  !0 = 0:0..0
}
";
    let program = star_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    star_ir::verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    let refused = Rc::new(Cell::new(0));
    let emulator = Emulator::new(EmulatorSettings { words: 64, ..EmulatorSettings::USUAL });
    let unit = OneBank { emulator, refused: Rc::clone(&refused) };
    let gpu = Gpu::on(Box::new(unit), Mode::Auto, PART_BYTES);
    // The argument is in the first buffer, where the results of the run do not fit.
    let rows = 40_000;
    let x = gpu.load(HostValue::Slice(BitVector::zeros(rows)), false).expect("memory");
    let z = gpu.load(HostValue::Unset, false).expect("memory");
    assert_eq!(gpu.heap().expect("a heap").unit.grid().map(|grid| grid.banks()), Some(1));
    let mut values = [x, z];
    let code = gpu.compile(program, &CompileOptions::default(), None).expect("compiled").code;
    let plan = gpu.plan(&code, RoutineId(0), &[]).expect("planned");
    let never = AtomicBool::new(false);
    let mut control = Control {
        interrupt: &never,
        deadline: &never,
        limits: Limits { steps: None, memory: None, output: None, depth: 200 },
        host: &mut Nobody,
        profile: None,
        stats: Stats::default(),
    };
    assert_eq!(gpu.run(&plan, &mut values, &mut control), Outcome::Done);
    assert_eq!((refused.get(), control.stats.counters.grid_kernels), (1, 0));
    let mut ones = BitVector::zeros(rows);
    (0..rows).for_each(|idx| ones.put(idx, true));
    assert_eq!(gpu.store(&values[1], Part::Whole, &never).expect("stored"), HostValue::Slice(ones));
}
