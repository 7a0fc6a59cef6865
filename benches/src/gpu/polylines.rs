//! Polylines of maximal objective on the device: the whole job from pixels, and one whose links are
//! so short that the search is most of it. Pixels are noise: the work depends only on positions and
//! sizes.

use star_base::Random;
use star_value::Value;

use super::{Bench, SEED, cubic, int};
use crate::instance::numbers;
use crate::results::Figure;
use crate::say::say;

const TEXT: &str = "import \"star:polyline\";
procedure LINES(w: integer; Grey,Q: table; p,d,width,g: integer; var Score,Path,Out: table);
begin
  POLYLINES(w,0,Grey,Q,p,d,width,g,Score,Path,Out);
end;";

/// Rows and columns of the image, and nodes.
const SIDE: usize = 1411;
const NODES: usize = 8;

impl Bench {
    /// Finds a polyline with n points on each guide.
    pub(super) fn polylines(&self, n: usize) -> Result<Vec<Figure>, String> {
        let mut random = Random::new(SEED);
        let pixels: Vec<u64> = (0..SIDE * SIDE).map(|_| random.next_u64() >> 56).collect();
        let grey = numbers(8, &pixels);
        let mut figures = Vec::new();
        // Ends of the segment, and the width of guides.
        let ahead = ([351, 706, 1051, 706], n - 1);
        let across = ([426, 456, 986, 876], n - 1);
        let short = ([684, 706, 726, 706], 8);
        for (input, (ends, width), limit) in [
            ("along an axis, at most 45°", ahead, 45),
            ("along an axis, no angle limit", ahead, 180),
            ("across, at most 45°", across, 45),
            ("links of 6 to 10 pixels, at most 45°", short, 45),
        ] {
            let request = ends.iter().fold(0, |all, &end: &u64| all << 16 | end);
            let given = [
                int(SIDE),
                grey.clone(),
                numbers(64, &[request]),
                int(NODES),
                int(n),
                int(width),
                int(limit),
            ];
            let mut args: Vec<Value> = given.into_iter().collect();
            args.extend([Value::Unset, Value::Unset, Value::Unset]);
            let about = format!("polyline, d = {n}, {input}");
            let found = self.line(&about, (TEXT, "LINES", &[]), &args)?;
            if found.stats.intrinsics != 1 {
                return Err(format!("{} intrinsics", found.stats.intrinsics));
            }
            let mut figure = found.against_cpu(input, ("d", n));
            if input.starts_with("along") {
                // Device time, without the scores of links.
                let cubic = cubic::search(&self.plain, n, limit, self.runs)?;
                say!("  the search of source 003 alone, O(d³): device {:.3}", cubic * 1e3);
                figure.variants.insert("search alone in O(d³), device".to_owned(), cubic);
            }
            figures.push(figure);
        }
        Ok(figures)
    }
}
