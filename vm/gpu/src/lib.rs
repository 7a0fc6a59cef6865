//! The STAR-machine on graphics cards.
//!
//! * `compile`: SIR to register code, a routine at a time; `code`: its instructions; `program`: linked for an entry.
//! * `listing`: register code as text.
//! * `unit`: what a control unit is to the host. `device` is one on an adapter, the emulator in Rust one for
//!   tests.
//! * `grid`: kernels over a grid of workgroups; `intrinsics`: library routines that are such kernels.
//! * `lift`: loops that are such kernels; `fuse`: runs of operations on slices that are one; `forecast`: what of a program is some of these, without a device.
//! * `plain`: what memory gives a kernel that does nothing else.
//! * `heap`, `value`: memory of the device and what lies in it; `run`: dispatches and what the host does between them;
//!   `scene`: the variables of a routine that has stopped.
//!
//! The compiler decides everything about a program before it runs: what the device has no code for is
//! [`star_vm::BackendError::Unsupported`] when an entry is planned, and no other backend computes any of it.

mod backend;
mod bandwidth;
mod code;
mod compile;
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
pub use listing::{kernels, listing, shaders};
pub use program::{Code, Plan};
pub use value::Value;

impl Gpu {
    /// The backend on an adapter.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn open(settings: &DeviceSettings) -> Result<Gpu, String> {
        Ok(Gpu::on(Box::new(device::Device::open(settings)?), settings.mode))
    }

    /// The backend on the emulator of the control unit, which checks what the shader relies on.
    pub fn emulator(settings: EmulatorSettings) -> Gpu {
        Gpu::on(Box::new(emulator::Emulator::new(settings)), Mode::Resident)
    }
}
