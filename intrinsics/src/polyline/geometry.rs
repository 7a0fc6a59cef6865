//! Guides, and the pixels of their points.
//!
//! The middle of guide g is the pixel a + g·(b − a)/(p − 1), and point m has the offset (m − (d +
//! 1)/2)·gap along (−dy, dx)/|ab| from there, where gap = width/(d − 1). Both are rounded half away
//! from zero, so that a mirrored image has mirrored guides; all guides have the same offsets.

use std::ops::Range;

use super::{Request, Turn};
use crate::environment::Ended;
use crate::reserved;

/// A pixel position in an image: x to the right, y down, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixel {
    /// The column.
    pub x: i64,
    /// The row.
    pub y: i64,
}

/// The guides of a request.
#[derive(Clone, Debug)]
pub struct Geometry {
    request: Request,
    /// The offset of each point from the middle of a guide.
    offsets: Vec<Pixel>,
    /// The middle of each guide, and its points inside the image.
    guides: Vec<(Pixel, Range<usize>)>,
}

/// A guide.
#[derive(Clone, Debug)]
pub struct Guide<'a> {
    middle: Pixel,
    offsets: &'a [Pixel],
    /// The indices of its points inside the image, from 0.
    pub inside: Range<usize>,
}

impl Geometry {
    /// The guides of a request in an image of this size.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn new(request: &Request, width: usize, height: usize) -> Result<Self, Ended> {
        let Request { a, b, n_nodes, n_points: d, width: span, .. } = *request;
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let squared = (dx * dx + dy * dy) as u128;
        let mut offsets = reserved(d)?;
        for idx in 0..d {
            // (m − (d + 1)/2)·gap·dx/|ab| is o·span·dx/(2(d − 1)|ab|), with the offset o of Note
            // [Angles] in `turn.rs`.
            let offset = offset(idx as i64, d);
            let along = |component: i64| {
                let twice = (offset * component).unsigned_abs() as u128 * span as u128;
                let scale = (d as u128 - 1) * (d as u128 - 1) * squared;
                let rounded = (twice * twice / scale).isqrt().div_ceil(2) as i64;
                rounded * (offset * component).signum()
            };
            offsets.push(Pixel { x: along(-dy), y: along(dx) });
        }
        let n_links = n_nodes as i64 - 1;
        let mut guides = reserved(n_nodes.saturating_sub(2))?;
        for node in 1..n_links {
            let middle = Pixel {
                x: a.x + rounded(node * dx, n_links),
                y: a.y + rounded(node * dy, n_links),
            };
            let is_inside = |offset: &Pixel| {
                (0..width as i64).contains(&(middle.x + offset.x))
                    && (0..height as i64).contains(&(middle.y + offset.y))
            };
            // Coordinates rise or fall along a guide, so the points inside form one range.
            let start = offsets.iter().position(is_inside).unwrap_or(0);
            let n_inside = offsets[start..].iter().take_while(|offset| is_inside(offset)).count();
            guides.push((middle, start..start + n_inside));
        }
        Ok(Geometry { request: *request, offsets, guides })
    }

    /// The guides, from a to b.
    pub fn guides(&self) -> impl ExactSizeIterator<Item = Guide<'_>> {
        self.guides.iter().map(|(middle, inside)| Guide {
            middle: *middle,
            offsets: &self.offsets,
            inside: inside.clone(),
        })
    }

    /// The offset of each point from the middle of a guide.
    pub fn offsets(&self) -> &[Pixel] {
        &self.offsets
    }

    /// The limit of the angle between neighbouring links.
    pub fn turn(&self) -> Turn {
        let Request { a, b, n_nodes, n_points, width, max_turn } = self.request;
        let squared = ((b.x - a.x).pow(2) + (b.y - a.y).pow(2)) as u64;
        let n_links = n_nodes as u64 - 1;
        let along = ((squared << 18) / (n_links * n_links)).isqrt().div_ceil(2) as i64;
        let across = rounded(128 * width as i64, n_points as i64 - 1);
        Turn::new(along, across, max_turn)
    }

    /// The ends of the segment.
    pub(super) fn ends(&self) -> [Pixel; 2] {
        [self.request.a, self.request.b]
    }
}

/// The offset of the point with this index from 0 among d: 2m − (d + 1) with m counted from 1.
pub(super) fn offset(idx: i64, d: usize) -> i64 {
    2 * idx + 1 - d as i64
}

/// The quotient of a number and a positive divisor, rounded half away from zero.
pub(super) fn rounded(number: i64, divisor: i64) -> i64 {
    number.signum() * ((2 * number.abs() + divisor) / (2 * divisor))
}

impl Guide<'_> {
    /// The pixel at which the guide crosses the segment.
    pub fn middle(&self) -> Pixel {
        self.middle
    }

    /// The pixel of the point with this index.
    pub fn pixel(&self, idx: usize) -> Pixel {
        let Pixel { x, y } = self.offsets[idx];
        Pixel { x: self.middle.x + x, y: self.middle.y + y }
    }

    /// The pixels of the points inside the image.
    ///
    /// # Errors
    /// If memory allocation fails.
    pub fn pixels(&self) -> Result<Vec<Pixel>, Ended> {
        let mut pixels = reserved(self.inside.len())?;
        pixels.extend(self.inside.clone().map(|idx| self.pixel(idx)));
        Ok(pixels)
    }
}
