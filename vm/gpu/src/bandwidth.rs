//! Kernels to compare with: one that has no other work than reading and writing, and those that a
//! measurement brings.

use star_shaders::{Limb, Shader};
use star_vm::BackendError;

use crate::backend::Gpu;
use crate::fuse::THREADS;
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::program::internal;

/// Dispatches of a submission that only keeps a device busy.
const AT_ONCE: usize = 16;
/// Rows of its columns, and the number of columns that it reads and writes.
const BUSY_ROWS: u32 = 1 << 24;
const BUSY_STREAMS: (u32, u32) = (32, 1);

impl Gpu {
    /// Keeps the device busy for this number of nanoseconds of device time: its clocks fall when it
    /// is idle, and take some tenths of a second to rise.
    ///
    /// # Errors
    /// As for [`Gpu::plain_kernel`].
    pub fn keep_busy(&self, nanoseconds: u64) -> Result<(), BackendError> {
        self.plain_kernel(BUSY_ROWS, BUSY_STREAMS, (nanoseconds, 0)).map(|_| ())
    }

    /// Returns the nanoseconds of each of `runs` dispatches in which a thread reads the given
    /// number of columns of `rows` bits, combines them, and writes the given number, 128 bits at a
    /// time; a lower bound for any operation with these streams. The device does the same for
    /// `busy` nanoseconds first.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`], [`BackendError::Unsupported`] for an adapter without a clock,
    /// or a fault of the device.
    pub fn plain_kernel(
        &self,
        rows: u32,
        (reads, writes): (u32, u32),
        (busy, runs): (u64, usize),
    ) -> Result<Vec<u64>, BackendError> {
        let mut heap = self.heap()?;
        let limbs = rows.div_ceil(128);
        let groups = limbs.div_ceil(THREADS);
        let wide = MAX_GROUPS.min(groups);
        let block = heap.take(u64::from(limbs) * 4 * u64::from(reads + writes))?;
        let body = format!(
            "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
@compute @workgroup_size({THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let at = given[0].x; let limbs = given[0].y; let reads = given[1].x; let streams = given[1].y;
  let x = (group.x + group.y * given[0].z) * {THREADS}u + lane;
  if (x >= limbs) {{ return; }}
  var v = vec4<u32>(1u, 1u, 1u, 1u);
  for (var i = 0u; i < reads; i++) {{ v = v ^ load(at + i * limbs + x); }}
  for (var i = reads; i < streams; i++) {{ store(at + i * limbs + x, v); }}
}}
"
        );
        let mut times = Vec::new();
        let timed = heap.unit.grid().ok_or_else(|| internal("no grid")).and_then(|grid| {
            let kernel = grid.kernel(&Shader { limb: Limb::Four, body })?;
            let mut given: Given = [0; 32];
            given[..6].copy_from_slice(&[block.at / 4, limbs, wide, 0, reads, reads + writes]);
            let launch = Launch { kernel, groups: [wide, groups.div_ceil(wide.max(1))], given };
            let mut timed = |launches: &[Launch]| {
                let time = grid.launch(launches, (0, 0))?.nanoseconds;
                time.ok_or_else(|| BackendError::Unsupported {
                    what: "a clock of the device".to_owned(),
                })
            };
            let mut done = 0;
            while done < busy {
                done += timed(&[launch; AT_ONCE])?.max(1);
            }
            for _ in 0..runs {
                times.push(timed(&[launch])?);
            }
            Ok(())
        });
        heap.give(block);
        timed.map(|()| times)
    }

    /// Runs a series of dispatches of a kernel on these words, which receive its results. A
    /// dispatch has its workgroups in both dimensions and its parameters, which the kernel finds
    /// in `given` after the address of the words. Returns the nanoseconds of each of `runs` series
    /// after `busy` nanoseconds of other work.
    ///
    /// # Errors
    /// As for [`Gpu::plain_kernel`].
    pub fn series(
        &self,
        body: String,
        words: &mut [u32],
        dispatches: &[([u32; 2], [u32; 7])],
        (busy, runs): (u64, usize),
    ) -> Result<Vec<u64>, BackendError> {
        let mut times = Vec::new();
        for _ in 0..runs {
            self.keep_busy(busy)?;
            let mut heap = self.heap()?;
            let block = heap.take(words.len() as u64)?;
            let unit = &mut heap.unit;
            let timed = unit.write(block.at, words).and_then(|()| {
                let grid = unit.grid().ok_or_else(|| internal("no grid"))?;
                let kernel = grid.kernel(&Shader { limb: Limb::Word, body: body.clone() })?;
                let launches = dispatches.iter().map(|&(groups, parameters)| {
                    let mut given: Given = [0; 32];
                    given[0] = block.at;
                    given[1..8].copy_from_slice(&parameters);
                    Launch { kernel, groups, given }
                });
                let launches: Vec<Launch> = launches.collect();
                let mut time = Some(0);
                for some in launches.chunks(grid.launches_at_once(words.len() as u64)) {
                    time = time
                        .zip(grid.launch(some, (0, 0))?.nanoseconds)
                        .map(|(time, more)| time + more);
                }
                unit.read(block.at, words)?;
                time.ok_or_else(|| BackendError::Unsupported {
                    what: "a clock of the device".to_owned(),
                })
            });
            heap.give(block);
            times.push(timed?);
        }
        Ok(times)
    }
}
