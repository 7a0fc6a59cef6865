//! Moving objects and queries: the workload of source 004, uniform or in hubs.
//!
//! Objects 1 … n have a velocity each. First all are placed at time 0; then each update moves one
//! random object by one second, with reflection at the border. Updates come in batches with one
//! timestamp, and each batch has queries: squares of one size whose centres are distributed like
//! the initial positions. Unit: a centimetre.

use super::random::{Purpose, Random};
use super::{GenerateOptions, bad, check_range};
use crate::error::FileError;
use crate::moving::{MAX_COORDINATE, Position, Window};

/// Speeds in centimetres per second: from 1 to 1000 m/s.
const SPEEDS: [u64; 2] = [100, 100_000];

/// The parameters of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovingObjects {
    /// Number of objects, from 1 to 2^32 − 2.
    pub n_objects: u64,
    /// Number of updates after the initial placement.
    pub n_updates: u64,
    /// Number of updates in a batch, at least 1.
    pub per_batch: u64,
    /// Number of queries per 100 updates.
    pub per_hundred: u64,
    /// The side of the area, from 1 to 2^29.
    pub side: u64,
    /// The side of a query square, at most that of the area.
    pub query_side: u64,
    /// Hubs of the objects; `None` for a uniform distribution.
    pub hubs: Option<Hubs>,
}

/// Centres around which objects are normally distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hubs {
    /// Number of hubs, from 1 to 2^20.
    pub n: u64,
    /// The standard deviation of each coordinate, from 1 to the side of the area.
    pub deviation: u64,
}

/// A workload generated batch by batch.
pub struct MovingSteps {
    parameters: MovingObjects,
    random: Random,
    hubs: Vec<[i64; 2]>,
    at: Vec<[i32; 2]>,
    velocities: Vec<[i32; 2]>,
    n_updates_left: u64,
    n_queries: u64,
    time: i64,
}

impl MovingObjects {
    /// Memory needed for generation in bytes.
    pub fn n_bytes(&self) -> u64 {
        16 * self.n_objects
    }

    /// Places the objects.
    ///
    /// # Errors
    /// [`star_base::Code::BadArgument`] if a parameter is outside its range,
    /// [`star_base::Code::DoesNotFit`] if the memory exceeds the budget (16 bytes an object).
    pub fn start(&self, options: &mut GenerateOptions<'_>) -> Result<MovingSteps, FileError> {
        self.check()?;
        let seed = options.seed;
        let pacer = super::pacer::Pacer::new(options);
        pacer.check_budget(u128::from(self.n_bytes()))?;
        let mut steps = MovingSteps {
            parameters: *self,
            random: Random::new(seed, Purpose::Shape),
            hubs: Vec::new(),
            at: pacer.reserved(self.n_objects)?,
            velocities: pacer.reserved(self.n_objects)?,
            n_updates_left: self.n_updates,
            n_queries: 0,
            time: 0,
        };
        for _ in 0..self.hubs.map_or(0, |hubs| hubs.n) {
            let hub = [(); 2].map(|()| steps.random.below(self.side + 1) as i64);
            steps.hubs.push(hub);
        }
        for _ in 0..self.n_objects {
            let at = steps.place();
            steps.at.push(at);
            let [slowest, fastest] = SPEEDS;
            let speed = (slowest + steps.random.below(fastest - slowest + 1)) as f64;
            let angle = std::f64::consts::TAU * uniform(&mut steps.random);
            steps.velocities.push([libm::cos(angle), libm::sin(angle)].map(|c| (speed * c) as i32));
        }
        Ok(steps)
    }

    fn check(&self) -> Result<(), FileError> {
        check_range("objects", self.n_objects, 1, u64::from(u32::MAX) - 1)?;
        check_range("batch", self.per_batch, 1, u64::from(u32::MAX))?;
        check_range("side", self.side, 1, 1 << 29)?;
        check_range("query-side", self.query_side, 0, self.side)?;
        if let Some(Hubs { n, deviation }) = self.hubs {
            check_range("hubs", n, 1, 1 << 20)?;
            check_range("deviation", deviation, 1, self.side)?;
        }
        let n_queries = u128::from(self.n_updates) * u128::from(self.per_hundred) / 100;
        if n_queries >= u128::from(u32::MAX) {
            return Err(
                bad("queries", self.per_hundred, "smaller: there are 2^32 query numbers").into()
            );
        }
        Ok(())
    }

    fn n_queries_behind(&self, n_updates: u64) -> u64 {
        (u128::from(n_updates) * u128::from(self.per_hundred) / 100) as u64
    }
}

impl MovingSteps {
    /// The time of the last batch; 0 for the initial placement.
    pub fn time(&self) -> i64 {
        self.time
    }

    /// The current positions of all objects.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        self.at.iter().zip(1..).map(|(&at, id)| Position { id, at: Some(at) })
    }

    /// Generates the next batch; `false` if there is none.
    pub fn step(&mut self, updates: &mut Vec<Position>, queries: &mut Vec<Window>) -> bool {
        updates.clear();
        queries.clear();
        let n = self.n_updates_left.min(self.parameters.per_batch);
        if n == 0 {
            return false;
        }
        self.time += 1;
        self.n_updates_left -= n;
        for _ in 0..n {
            let idx = self.random.below(self.at.len() as u64) as usize;
            let (at, velocity) = (&mut self.at[idx], &mut self.velocities[idx]);
            for (c, v) in at.iter_mut().zip(velocity) {
                let (next, turned) = reflected(i64::from(*c) + i64::from(*v), self.parameters.side);
                *c = next as i32;
                if turned {
                    *v = -*v;
                }
            }
            updates.push(Position { id: idx as u32 + 1, at: Some(*at) });
        }
        let n_done = self.parameters.n_updates - self.n_updates_left;
        let n_queries = self.parameters.n_queries_behind(n_done) - self.n_queries;
        for _ in 0..n_queries {
            self.n_queries += 1;
            let side = self.parameters.query_side as i64;
            let low = self.place().map(|c| i64::from(c) - side / 2);
            let limit = i64::from(MAX_COORDINATE);
            let [low, high] = [low, low.map(|c| c + side)]
                .map(|corner| corner.map(|c| c.clamp(-limit, limit) as i32));
            queries.push(Window { number: self.n_queries as u32, low, high });
        }
        true
    }

    /// A random position.
    fn place(&mut self) -> [i32; 2] {
        let MovingObjects { side, hubs, .. } = self.parameters;
        let Some(Hubs { n, deviation }) = hubs else {
            return [(); 2].map(|()| self.random.below(side + 1) as i32);
        };
        let hub = self.hubs[self.random.below(n) as usize];
        // Box–Muller transform.
        let far = (-2.0 * libm::log(1.0 - uniform(&mut self.random))).sqrt() * deviation as f64;
        let angle = std::f64::consts::TAU * uniform(&mut self.random);
        let [x, y] = [libm::cos(angle), libm::sin(angle)].map(|c| (far * c) as i64);
        [hub[0] + x, hub[1] + y].map(|c| reflected(c, side).0 as i32)
    }
}

/// A uniform number in 0..1.
fn uniform(random: &mut Random) -> f64 {
    (random.bits64() >> 11) as f64 / 9_007_199_254_740_992.0
}

/// Reflects a coordinate at the borders until it is inside; returns whether the number of
/// reflections is odd.
fn reflected(c: i64, side: u64) -> (i64, bool) {
    let side = side as i64;
    if (0..=side).contains(&c) {
        return (c, false);
    }
    let c = c.rem_euclid(2 * side);
    if c <= side { (c, false) } else { (2 * side - c, true) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload(hubs: Option<Hubs>) -> MovingObjects {
        MovingObjects {
            n_objects: 1000,
            n_updates: 2550,
            per_batch: 500,
            per_hundred: 7,
            side: 1_000_000,
            query_side: 1000,
            hubs,
        }
    }

    #[test]
    fn updates_and_queries_come_in_batches() {
        let start = |seed| workload(None).start(&mut GenerateOptions::new(seed, 1 << 20)).unwrap();
        let mut steps = start(1);
        let placed: Vec<Position> = steps.positions().collect();
        assert_eq!((placed.len(), placed[0].id, placed[999].id), (1000, 1, 1000));
        let (mut updates, mut queries) = (Vec::new(), Vec::new());
        let (mut sizes, mut numbers) = (Vec::new(), Vec::new());
        while steps.step(&mut updates, &mut queries) {
            sizes.push((steps.time(), updates.len(), queries.len()));
            numbers.extend(queries.iter().map(|query| query.number));
            for update in &updates {
                let [x, y] = update.at.unwrap();
                assert!((0..=1_000_000).contains(&x) && (0..=1_000_000).contains(&y));
                assert!((1..=1000).contains(&update.id));
            }
            for Window { low, high, .. } in &queries {
                assert_eq!([high[0] - low[0], high[1] - low[1]], [1000, 1000]);
            }
        }
        let expected =
            [(1, 500, 35), (2, 500, 35), (3, 500, 35), (4, 500, 35), (5, 500, 35), (6, 50, 3)];
        assert_eq!(sizes, expected);
        assert!(numbers.iter().copied().eq(1..=178));
        assert!(start(1).positions().eq(placed.iter().copied()));
        assert!(!start(2).positions().eq(placed));
    }

    #[test]
    fn hubs_gather_objects() {
        let hubs = Hubs { n: 3, deviation: 1000 };
        let steps = workload(Some(hubs)).start(&mut GenerateOptions::new(1, 1 << 20)).unwrap();
        let near = |[x, y]: [i32; 2]| {
            let close = |a: i64, b: i32| (a - i64::from(b)).abs() <= 3000;
            steps.hubs.iter().any(|hub| close(hub[0], x) && close(hub[1], y))
        };
        let n_near = steps.at.iter().filter(|&&at| near(at)).count();
        // Three standard deviations in each coordinate: 99.5 %.
        assert!(n_near > 980, "{n_near}");
    }

    #[test]
    fn borders_reflect() {
        assert_eq!([-3, 0, 10, 12, 27].map(|c| reflected(c, 10).0), [3, 0, 10, 8, 7]);
        assert_eq!([-3, 0, 12, 27].map(|c| reflected(c, 10).1), [true, false, true, false]);
    }

    #[test]
    fn parameters_have_ranges() {
        let refused = |change: fn(&mut MovingObjects)| {
            let mut parameters = workload(None);
            change(&mut parameters);
            parameters.start(&mut GenerateOptions::new(1, 1 << 20)).err().map(|error| error.code)
        };
        let bad = Some(star_base::Code::BadArgument);
        assert_eq!(refused(|its| its.n_objects = 0), bad);
        assert_eq!(refused(|its| its.per_batch = 0), bad);
        assert_eq!(refused(|its| its.side = 1 << 30), bad);
        assert_eq!(refused(|its| its.query_side = 1_000_001), bad);
        assert_eq!(refused(|its| its.per_hundred = 1 << 40), bad);
        assert_eq!(refused(|its| its.hubs = Some(Hubs { n: 0, deviation: 1 })), bad);
        assert_eq!(refused(|its| its.n_objects = 1 << 20), Some(star_base::Code::DoesNotFit));
    }
}
