//! The STAR-machine on graphics cards.
//!
//! * `compile`: SIR to register code, a routine at a time; `code`: its instructions; `program`:
//!   linking for an entry.
//! * `listing`: register code as text.
//! * `unit`: the interface of a control unit to the host. `device` implements it on an adapter, the
//!   emulator in Rust for tests.
//! * `grid`: kernels over a grid of workgroups; `intrinsics`: library routines that run as such
//!   kernels.
//! * `lift`: loops that run as such kernels; `fuse`: sequences of operations on slices that run as
//!   one; `forecast`: prediction of these for a program, without a device.
//! * `derived`: data that intrinsics keep in handles.
//! * `plain`: the memory bandwidth available to a kernel.
//! * `heap`, `value`: memory of the device and its content; `run`: dispatches and the work of the
//!   host between them; `scene`: the variables of a routine that has stopped.
//!
//! The compiler decides everything about a program before it runs: a feature for which the device
//! has no code is [`star_vm::BackendError::Unsupported`] when an entry is planned, and no other
//! backend computes any part of it.

mod backend;
mod bandwidth;
mod code;
mod compile;
mod derived;
mod device;
mod device_trait;
mod emulator;
mod forecast;
mod fuse;
mod grid;
mod heap;
mod intrinsics;
mod lift;
mod listing;
mod program;
mod run;
mod stopped_frame;
mod value;

pub use backend::Gpu;
pub use device::{DeviceSettings, Mode};
pub use device_trait::Wide;
pub use emulator::EmulatorSettings;
pub use forecast::{Forecast, forecast};
pub use intrinsics::{Movers, MoversError};
pub use listing::{kernels, listing, shaders};
pub use program::{Code, Plan};
pub use value::Value;

use star_vm::columns::PART_BYTES;

impl Gpu {
    /// Opens the backend on an adapter.
    ///
    /// # Errors
    /// The reason why there is none, as text.
    pub fn open(settings: &DeviceSettings) -> Result<Gpu, String> {
        let part_bytes = settings.part_bytes.unwrap_or(PART_BYTES);
        Ok(Gpu::on(Box::new(device::Device::open(settings)?), settings.mode, part_bytes))
    }

    /// Creates the backend on the emulator of the control unit, which checks the assumptions of the
    /// shader.
    pub fn emulator(settings: EmulatorSettings) -> Gpu {
        let part_bytes = settings.part_bytes;
        Gpu::on(Box::new(emulator::Emulator::new(settings)), Mode::Resident, part_bytes)
    }
}
