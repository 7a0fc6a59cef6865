//! A dispatch of the control unit, with a chain of wide lines: the state is sent, and returned with
//! the journal and the window.

use star_shaders::Variant;
use star_shaders::layout::{STATE_WORDS, state, status};
use star_vm::BackendError;

use super::clock::{TIMES_BYTES, TIMES_WORDS};
use super::{Device, Opened, whole};
use crate::device_trait::State;
use crate::program::internal;

/// Wide lines that are submitted at once: those at the beginning of a chain, and others.
const SOON: u32 = 4;
const PIECE: u32 = 16;

impl Device {
    /// Performs one submission and returns the nanoseconds of device time, if they are measured.
    pub(super) fn run_unit(
        &mut self,
        state: &mut State,
        n_wide: u32,
    ) -> Result<Option<u64>, BackendError> {
        let seen = self.memory.seen();
        let bindings = match &self.bindings {
            Some(bindings) => bindings.clone(),
            None => {
                let code = self.code.as_ref().ok_or_else(|| internal("a dispatch without code"))?;
                let beside = [(1, code), (2, &self.state)];
                let whole = |(binding, buffer)| (binding, whole(buffer));
                let all = self.memory.bound().chain(beside).map(whole);
                self.opened.units.bind(&self.opened.device, seen, all)?
            }
        };
        self.bindings = Some(bindings.clone());
        let Opened { device, units, wide, threads, .. } = &self.opened;
        // The variant with queries about lines is compiled when there are long ones. With several
        // banks a driver compiles for long, so variants are kept few.
        let may_be_wide = state[state::WIDE_LIMBS as usize] != 0;
        let variant = match seen.count {
            1 => Variant { wide: may_be_wide, ..self.variant },
            _ => Variant { wide: may_be_wide, ..Variant::FULL },
        };
        let unit = *self.units[variant.number()]
            .get_or_insert_with(|| units.number(&star_shaders::control_unit(*threads, variant)));
        let unit = units.get(device, unit, seen).map_err(|error| match error {
            BackendError::Unsupported { what } => BackendError::Unsupported {
                what: format!("{what} (the control unit on {})", self.opened.about),
            },
            other => other,
        })?;
        let wide = match n_wide {
            0 => None,
            _ => Some(units.get(device, *wide, seen)?),
        };
        self.flush();
        self.opened.queue.write_buffer(&self.state, 0, bytemuck::cast_slice(state));
        self.moved.sent += state.len() as u64 * 4;
        let (first, mut left) = (state[state::STATUS as usize] != status::WIDE, n_wide);
        let mut is_first = true;
        // The device begins while the rest is being recorded.
        let mut encoder = loop {
            let piece = left.min(if is_first { SOON } else { PIECE });
            left -= piece;
            let mut encoder = self.opened.encoder();
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: self
                    .clock
                    .as_ref()
                    .and_then(|clock| clock.around(is_first, left == 0)),
            });
            pass.set_bind_group(0, &bindings, &[]);
            if is_first && first {
                pass.set_pipeline(&unit);
                pass.dispatch_workgroups(1, 1, 1);
            }
            for wide in std::iter::repeat_n(&wide, piece as usize).flatten() {
                pass.set_pipeline(wide);
                pass.dispatch_workgroups(self.wide.groups, 1, 1);
                pass.set_pipeline(&unit);
                pass.dispatch_workgroups(1, 1, 1);
            }
            drop(pass);
            if left == 0 {
                break encoder;
            }
            self.opened.queue.submit([encoder.finish()]);
            is_first = false;
        };
        if let Some(clock) = &self.clock {
            clock.read(&mut encoder, &self.staging);
        }
        let n_kept = (STATE_WORDS + state[state::JOURNAL_ROOM as usize]) as usize;
        let bytes = n_kept as u64 * 4;
        encoder.copy_buffer_to_buffer(&self.state, 0, &self.staging, TIMES_BYTES, bytes);
        let seen = self.window.len() as u64 * 4;
        if seen > 0 {
            let (first, behind) = (&self.memory.banks[0], TIMES_BYTES + bytes);
            encoder.copy_buffer_to_buffer(first, 0, &self.staging, behind, seen);
        }
        let mut words = vec![0; TIMES_WORDS + n_kept + self.window.len()];
        self.submit(encoder, &mut words)?;
        let (times, rest) = words.split_at(TIMES_WORDS);
        let (kept, seen) = rest.split_at(n_kept);
        let (ended, journal) = kept.split_at(state.len());
        state.copy_from_slice(ended);
        self.journal.clear();
        self.journal.extend(journal.iter().take(state[state::JOURNAL as usize] as usize));
        self.window.refresh(seen);
        Ok(self.clock.as_ref().map(|clock| clock.nanoseconds(times)))
    }
}
