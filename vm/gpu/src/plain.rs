//! What the memory of a device gives a kernel that does nothing else: the yardstick of measurements.

use std::fmt::Write as _;

use star_shaders::{Limb, Shader};
use star_vm::BackendError;

use crate::backend::Gpu;
use crate::fuse::THREADS;
use crate::grid::{Given, Launch, MAX_GROUPS};
use crate::program::internal;

impl Gpu {
    /// Nanoseconds of each of `runs` dispatches in which a thread reads so many columns of `rows` bits, joins them, and writes so
    /// many, 128 bits at a time; a lower bound for any operation with these streams.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`], [`BackendError::Unsupported`] for an adapter without a clock, or a fault of the device.
    pub fn plain_kernel(
        &self,
        rows: u32,
        (reads, writes): (u32, u32),
        runs: usize,
    ) -> Result<Vec<u64>, BackendError> {
        let mut heap = self.heap()?;
        let limbs = rows.div_ceil(128);
        let groups = limbs.div_ceil(THREADS);
        let wide = MAX_GROUPS.min(groups);
        let block = heap.take(u64::from(limbs) * 4 * u64::from(reads + writes))?;
        let (mut all, mut put) = (String::new(), String::new());
        for stream in 0..reads {
            let _ = writeln!(all, "  v = v ^ load(at + {stream}u * limbs + x);");
        }
        for stream in reads..reads + writes {
            let _ = writeln!(put, "  store(at + {stream}u * limbs + x, v);");
        }
        let body = format!(
            "@group(0) @binding(1) var<uniform> given: array<vec4<u32>, 8>;
@compute @workgroup_size({THREADS})
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {{
  let at = given[0].x; let limbs = given[0].y;
  let x = (group.x + group.y * given[0].z) * {THREADS}u + lane;
  if (x >= limbs) {{ return; }}
  var v = vec4<u32>(1u, 1u, 1u, 1u);
{all}{put}}}
"
        );
        let mut times = Vec::new();
        let timed = heap.unit.grid().ok_or_else(|| internal("no grid")).and_then(|grid| {
            let kernel = grid.kernel(&Shader { limb: Limb::Four, body })?;
            let mut given: Given = [0; 32];
            given[..3].copy_from_slice(&[block.at / 4, limbs, wide]);
            let launch = Launch { kernel, groups: [wide, groups.div_ceil(wide.max(1))], given };
            for _ in 0..runs {
                let time = grid.launch(&[launch])?;
                times.push(time.ok_or_else(|| BackendError::Unsupported {
                    what: "a clock of the device".to_owned(),
                })?);
            }
            Ok(())
        });
        heap.give(block);
        timed.map(|()| times)
    }
}
