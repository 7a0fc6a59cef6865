//! Meshes of a generated terrain on the device: frames of a viewpoint that moves along the
//! diagonal, each with the steps to its mesh and the triangles, which stay there.

use star_io::generate::{GenerateOptions, Terrain};
use star_value::Value;

use super::{Bench, SEED, int};
use crate::instance::numbers;
use crate::results::Figure;
use crate::say::say;

const TEXT: &str = "import \"star:terrain\";
procedure FRAMES(w: integer; Z: table; eps,near,frames: integer; var steps: integer; var T: table);
var H: handle; f,at,a,b: integer;
begin
  TERRAIN_INIT(w,Z,eps,near,H);
  steps:=0;
  for f:=1 to frames do
  begin
    at:=f*(w-1) div (2*frames);
    repeat
      TERRAIN_STEP(at,at,H,a,b);
      steps:=steps+1;
    until a+b=0;
    TERRAIN_MESH(H,T);
  end;
end;";

/// The frames of a run; one without any has the cost of the first mesh.
const FRAMES: usize = 30;
const BITS: usize = 14;

impl Bench {
    /// Follows a viewpoint on a terrain whose tree has depth n, an odd number.
    pub(super) fn meshes(&self, n: usize) -> Result<Vec<Figure>, String> {
        if n.is_multiple_of(2) || n > 29 {
            return Err("the depth of a tree of triangles is odd and at most 29".to_owned());
        }
        let terrain = Terrain { size_log2: n as u32 / 2, roughness: 0.3, bits: BITS as u32 };
        let made = terrain.generate(&mut GenerateOptions::new(SEED, 1 << 34));
        let made = made.map_err(|error| error.to_string())?;
        let heights = &made.fields.first().ok_or("no heights")?.values;
        let heights: Vec<u64> = heights.iter().map(|&height| height as u64).collect();
        let heights = numbers(BITS, &heights);
        let width = (1 << (n / 2)) + 1;
        let mut figures = Vec::new();
        for [eps, near] in [[2, 40], [1, 200]] {
            let of_frames = |frames: usize| {
                let given = [int(width), heights.clone(), int(eps), int(near), int(frames)];
                let mut args: Vec<Value> = given.into_iter().collect();
                args.extend([Value::Unset, Value::Unset]);
                let about = format!("meshes, D = {n}, eps = {eps}, near = {near}, {frames} frames");
                self.line(&about, (TEXT, "FRAMES", &[]), &args)
            };
            let (init, all) = (of_frames(0)?, of_frames(FRAMES)?);
            if all.stats.intrinsics <= 2 * FRAMES as u64 {
                return Err(format!("{} intrinsics", all.stats.intrinsics));
            }
            let each = |all: f64, init: f64| (all - init) / FRAMES as f64;
            let frame = super::Sample {
                run: each(all.run, init.run),
                device: each(all.device, init.device),
                cpu: each(all.cpu, init.cpu),
                ..all
            };
            let mut figure =
                frame.against_cpu(&format!("a frame, eps {eps}, near {near}"), ("D", n));
            figure.variants.insert("first mesh".to_owned(), init.run / 1e3);
            figure.variants.insert("first mesh, CPU backend".to_owned(), init.cpu / 1e3);
            say!(
                "  a frame: run {:.3}, device {:.3}, cpu {:.3} ms",
                frame.run,
                frame.device,
                frame.cpu
            );
            figures.push(figure);
        }
        Ok(figures)
    }
}
