//! The algorithm of the source, O(d³) for a layer, and an enumeration of all polylines. Both decide
//! angles from the definition and share nothing with the search but the scores.

use std::ops::Range;

/// Scores of all links.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// The number of points of a guide.
    pub(super) d: usize,
    /// The participating points of each guide.
    pub(super) guides: Vec<Range<usize>>,
    /// Scores of links from a.
    pub(super) first: Vec<u32>,
    /// Scores of links between neighbouring guides, row by row.
    pub(super) links: Vec<Vec<u32>>,
    /// Scores of links to b.
    pub(super) last: Vec<u32>,
    /// Distances of guides and of points, in units of 1/256 and 1/128 pixel.
    pub(super) a: i64,
    pub(super) b: i64,
    pub(super) degrees: usize,
}

impl Instance {
    /// Returns whether the link over `v` may follow the one over `u`, computed in numbers of twice
    /// the width.
    fn admits(&self, u: i64, v: i64) -> bool {
        let (a, b) = (i128::from(self.a), i128::from(self.b));
        let [one, other] = [u, v].map(|offset| (a, b * i128::from(offset)));
        let dot = one.0 * other.0 + one.1 * other.1;
        let cross = one.0 * other.1 - one.1 * other.0;
        let angle = (self.degrees as f64).to_radians();
        let [cosine, sine] =
            [angle.cos(), angle.sin()].map(|part| (part * 1_048_576.0).round() as i128);
        self.degrees == 180 || sine * dot - cosine * cross.abs() >= 0
    }

    /// The offset of a point from the segment: an even or odd number of half distances.
    fn offset(&self, idx: usize) -> i64 {
        2 * (idx as i64 + 1) - (self.d as i64 + 1)
    }

    fn score(&self, guide: usize, from: usize, to: usize) -> u32 {
        let n_to = self.guides[guide + 1].len();
        self.links[guide]
            [(from - self.guides[guide].start) * n_to + to - self.guides[guide + 1].start]
    }

    /// The best of all polylines, and the first in the order of ties.
    pub(super) fn brute_force(&self) -> Option<(u32, Vec<usize>)> {
        let mut best: Option<(u32, Vec<usize>)> = None;
        let mut indices: Vec<usize> = self.guides.iter().map(|guide| guide.start).collect();
        if self.guides.iter().any(Range::is_empty) {
            return None;
        }
        // The index of the first guide changes fastest, so the first of equal polylines is the one
        // to choose.
        loop {
            if let Some(score) = self.total(&indices)
                && best.as_ref().is_none_or(|(most, _)| score > *most)
            {
                best = Some((score, indices.clone()));
            }
            let Some(next) = (0..indices.len()).find(|&at| indices[at] + 1 < self.guides[at].end)
            else {
                return best;
            };
            indices[next] += 1;
            (0..next).for_each(|at| indices[at] = self.guides[at].start);
        }
    }

    /// The score of a polyline, if the angle limit admits it.
    fn total(&self, indices: &[usize]) -> Option<u32> {
        let mut offsets = vec![0];
        offsets.extend(indices.iter().map(|&idx| self.offset(idx)));
        offsets.push(0);
        let mut links = offsets.windows(2).map(|ends| ends[1] - ends[0]);
        let mut before = links.next()?;
        for link in links {
            if !self.admits(before, link) {
                return None;
            }
            before = link;
        }
        let (first, last) = (indices[0], indices[indices.len() - 1]);
        let mut score = self.first[first - self.guides[0].start];
        for (guide, ends) in indices.windows(2).enumerate() {
            score += self.score(guide, ends[0], ends[1]);
        }
        Some(score + self.last[last - self.guides[indices.len() - 1].start])
    }

    /// The programme of the source: for each link, all preceding links.
    pub(super) fn cubic(&self) -> Option<(u32, Vec<usize>)> {
        let n = self.guides.len();
        // values[g][from][to]: for a polyline that ends with the link from guide g to the next, the
        // value and the point before.
        type Values = Vec<Vec<Option<(u32, usize)>>>;
        let mut values: Vec<Values> = Vec::new();
        for guide in 0..n - 1 {
            let mut layer = Vec::new();
            for from in self.guides[guide].clone() {
                let mut row = Vec::new();
                for to in self.guides[guide + 1].clone() {
                    let link = self.offset(to) - self.offset(from);
                    let before = match values.last() {
                        None => self
                            .admits(self.offset(from), link)
                            .then(|| (self.first[from - self.guides[0].start], 0)),
                        Some(before) => {
                            let start = self.guides[guide - 1].start;
                            let reached = self.guides[guide - 1].clone().filter_map(|first| {
                                let turns =
                                    self.admits(self.offset(from) - self.offset(first), link);
                                let (value, _) = before[first - start]
                                    [from - self.guides[guide].start]
                                    .filter(|_| turns)?;
                                Some((value, first))
                            });
                            reached.min_by_key(|&(value, _)| std::cmp::Reverse(value))
                        }
                    };
                    row.push(
                        before.map(|(value, first)| (value + self.score(guide, from, to), first)),
                    );
                }
                layer.push(row);
            }
            values.push(layer);
        }
        let ends = self.guides[n - 1].clone().filter_map(|last| {
            let place = last - self.guides[n - 1].start;
            let (value, before) = match values.last() {
                None => {
                    let turns = self.admits(self.offset(last), -self.offset(last));
                    turns.then(|| (self.first[place], 0))?
                }
                Some(layer) => {
                    let reached = self.guides[n - 2].clone().filter_map(|from| {
                        let turns =
                            self.admits(self.offset(last) - self.offset(from), -self.offset(last));
                        let (value, _) =
                            layer[from - self.guides[n - 2].start][place].filter(|_| turns)?;
                        Some((value, from))
                    });
                    reached.min_by_key(|&(value, _)| std::cmp::Reverse(value))?
                }
            };
            Some((value + self.last[place], before, last))
        });
        let (score, mut before, mut at) =
            ends.min_by_key(|&(value, ..)| std::cmp::Reverse(value))?;
        let mut indices = vec![at];
        for guide in (0..n - 1).rev() {
            indices.push(before);
            let (from, to) = (before - self.guides[guide].start, at - self.guides[guide + 1].start);
            at = before;
            before = values[guide][from][to].map_or(0, |(_, before)| before);
        }
        indices.reverse();
        Some((score, indices))
    }
}
