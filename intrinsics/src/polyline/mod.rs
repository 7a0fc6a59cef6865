//! Polylines of maximal objective between two pixels of an image (Seredin 2016, source 003).
//!
//! The segment \[a,b\] is divided into p − 1 equal parts. At each of the p − 2 inner nodes, a
//! *guide* perpendicular to it carries d points at equal distances. A polyline visits one point of
//! each guide. Its score is the sum over its links, and there over the pixels of the link, of |sin|
//! of the angle between the image gradient and the link; the angle between neighbouring links is at
//! most θ. The polyline with the greatest score is found exactly.
//!
//! * [`grey`], [`blur`](Blur), [`gradient`](Gradient): from pixels to unit gradients.
//! * [`geometry`](Geometry): guides and their pixels; [`Turn`]: which links may follow each other.
//! * [`links`](LinkScores): scores of all links between two guides.
//! * [`Search`]: the dynamic programme.
//!
//! All computation uses integers and fixed point: a unit gradient in units of 2⁻¹⁴, a score in
//! units of 2⁻¹⁶. The search needs O(d²) for a layer, even with the angle limit, where the source
//! needs O(d³).

mod blur;
mod geometry;
mod gradient;
mod grey;
mod links;
mod search;
mod shape;
mod sums;
mod table;
mod turn;
mod window;

#[cfg(test)]
mod tests;

use std::ops::Range;

pub use blur::Blur;
pub use geometry::{Geometry, Guide, Pixel};
pub use gradient::Gradient;
pub use grey::{GreyImage, grey};
pub use links::LinkScores;
pub use search::{Admitted, Found, Search};
pub use table::LinkTable;
pub use turn::Turn;

use crate::environment::{Ended, Environment};
use crate::reserved;

/// The maximum length of a guide, and of the part of \[a,b\] between two guides, in pixels: angles
/// are decided in 64 bits.
pub const MAX_SPAN: usize = 4096;

/// The maximum number of points of a guide.
pub const MAX_POINTS: usize = 4096;

/// The maximum number of rows and columns of an image: a coordinate has 16 bits.
pub const MAX_SIDE: usize = 65_535;

/// The maximum total number of pixels of the links of a polyline: scores have 31 bits.
pub const MAX_PIXELS: usize = 32_000;

/// A request for one polyline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The first node. x counts from 0 to the right, y from 0 down.
    pub a: Pixel,
    /// The last node.
    pub b: Pixel,
    /// The number of nodes, including a and b: there are `n_nodes - 2` guides.
    pub n_nodes: usize,
    /// The number of points on each guide.
    pub n_points: usize,
    /// The length of a guide from its first point to its last, in pixels.
    pub width: usize,
    /// The greatest angle between neighbouring links, in degrees; 180 means no limit.
    pub max_turn: usize,
}

/// Reasons for rejecting a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Both ends are one pixel.
    SameEnds,
    /// An end is outside the image.
    OutsideImage,
    /// Fewer than 3 nodes: there is no guide.
    NoGuide,
    /// Fewer than 2 points on a guide.
    OnePoint,
    /// A guide has length zero.
    NoWidth,
    /// The angle is greater than 180 degrees.
    Angle,
    /// The guides, or their distances, are longer than [`MAX_SPAN`].
    TooLong,
    /// A guide has more than [`MAX_POINTS`].
    TooManyPoints,
    /// The image has more than [`MAX_SIDE`] rows or columns.
    TooLarge,
    /// A polyline may have more than [`MAX_PIXELS`] pixels.
    TooManyPixels,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polyline {
    /// The polyline, or `None` if the angle limit admits none.
    pub found: Option<Traced>,
    /// The points of each guide inside the image: their indices, from 0.
    pub inside: Vec<Range<usize>>,
}

/// A polyline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The score, in units of 2⁻¹⁶.
    pub score: u32,
    /// The index of the point on each guide, from 0.
    pub indices: Vec<usize>,
    /// The nodes: a, a point of each guide, b.
    pub nodes: Vec<Pixel>,
}

impl Request {
    /// Checks that the request can be answered for an image of this size. [`trace`] requires it.
    ///
    /// # Errors
    /// The reason for rejection.
    pub fn check(&self, width: usize, height: usize) -> Result<(), Refusal> {
        let inside = |Pixel { x, y }: Pixel| {
            (0..width as i64).contains(&x) && (0..height as i64).contains(&y)
        };
        if !inside(self.a) || !inside(self.b) {
            return Err(Refusal::OutsideImage);
        }
        if self.a == self.b {
            return Err(Refusal::SameEnds);
        }
        let Some(n_links) = self.n_nodes.checked_sub(1).filter(|&n_links| n_links >= 2) else {
            return Err(Refusal::NoGuide);
        };
        if self.n_points < 2 {
            return Err(Refusal::OnePoint);
        }
        if self.n_points > MAX_POINTS {
            return Err(Refusal::TooManyPoints);
        }
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(Refusal::TooLarge);
        }
        if self.width < 1 {
            return Err(Refusal::NoWidth);
        }
        if self.max_turn > 180 {
            return Err(Refusal::Angle);
        }
        // An upper bound on the length of the segment.
        let span = (self.a.x.abs_diff(self.b.x) + self.a.y.abs_diff(self.b.y)) as usize;
        if self.width > MAX_SPAN || span > MAX_SPAN.saturating_mul(n_links) {
            return Err(Refusal::TooLong);
        }
        // A link is at most as long as its part of the segment plus a guide; three pixels cover
        // rounding and both ends.
        match span.saturating_add(n_links.saturating_mul(self.width + 3)) <= MAX_PIXELS {
            true => Ok(()),
            false => Err(Refusal::TooManyPixels),
        }
    }

    /// An upper bound on the bytes that [`trace`] needs for this request, in addition to the image
    /// and the answers, on the given number of threads.
    pub fn n_bytes(&self, width: usize, height: usize, threads: usize) -> u64 {
        let n_inner = self.n_nodes.saturating_sub(3).max(1);
        (Gradient::n_bytes(width, height))
            .saturating_add(LinkScores::n_bytes(self.n_points))
            .saturating_add(Search::n_bytes(self.n_points, n_inner, threads))
            .saturating_add((self.n_nodes as u64).saturating_mul(64 * self.n_points as u64))
    }

    /// Bytes of the answer.
    pub fn n_answer_bytes(&self) -> u64 {
        let of_node = size_of::<Pixel>() + size_of::<usize>() + size_of::<Range<usize>>();
        let of_nodes = (self.n_nodes as u64).saturating_mul(of_node as u64);
        of_nodes.saturating_add(size_of::<Polyline>() as u64)
    }
}

/// Answers requests about one image, after `n_blurs` smoothings ([`Blur`]).
///
/// # Errors
/// If memory allocation fails, or the run is interrupted.
pub fn trace(
    image: &GreyImage,
    n_blurs: usize,
    requests: &[Request],
    environment: &dyn Environment,
) -> Result<Vec<Polyline>, Ended> {
    crate::install(environment, || {
        let mut answers = reserved(requests.len())?;
        for request in requests {
            answers.push(one(image, n_blurs, request, environment)?);
        }
        Ok(answers)
    })
}

fn one(
    image: &GreyImage,
    n_blurs: usize,
    request: &Request,
    environment: &dyn Environment,
) -> Result<Polyline, Ended> {
    let geometry = Geometry::new(request, image.width, image.height)?;
    let mut inside: Vec<Range<usize>> = reserved(geometry.guides().len())?;
    inside.extend(geometry.guides().map(|guide| guide.inside));
    if inside.iter().any(Range::is_empty) {
        return Ok(Polyline { found: None, inside });
    }
    let gradient = Gradient::within(image, n_blurs, &geometry, environment)?;
    let links = LinkScores::new(&gradient);
    let mut search = Search::new(geometry.turn(), request.n_points)?;
    let mut last: Option<Guide<'_>> = None;
    for guide in geometry.guides() {
        match &last {
            None => {
                let scores = links.between(&[request.a], &guide.pixels()?, environment)?;
                search.begin(guide.inside.clone(), scores);
            }
            Some(last) => search.extend(links.table(last, &guide, environment)?, environment)?,
        }
        last = Some(guide);
    }
    let pixels = last.map_or(Ok(Vec::new()), |guide| guide.pixels())?;
    let scores = links.between(&pixels, &[request.b], environment)?;
    let found = search.end(&scores, environment)?;
    let found = found.map(|Found { score, indices }| -> Result<Traced, Ended> {
        let points = geometry.guides().zip(&indices).map(|(guide, &idx)| guide.pixel(idx));
        let mut nodes = reserved(request.n_nodes)?;
        nodes.extend([request.a].into_iter().chain(points).chain([request.b]));
        Ok(Traced { score, indices, nodes })
    });
    Ok(Polyline { found: found.transpose()?, inside })
}
