//! Tests of whole requests, from pixels.

use super::super::{
    Blur, Geometry, Gradient, GreyImage, Guide, LinkScores, Pixel, Polyline, Refusal, Request,
    grey, trace,
};
use super::reference::Instance;
use star_base::Random;

use super::threads;

/// An image of random pixels, or of random bright squares.
fn image(random: &mut Random, width: usize, height: usize) -> GreyImage {
    let rough = random.below(2) == 0;
    let mut pixels: Vec<u8> = Vec::new();
    for at in 0..width * height {
        let same = !rough && at > width && random.below(8) > 0;
        pixels.push(if same { pixels[at - width] } else { random.next_u64() as u8 });
    }
    GreyImage::new(width, height, pixels).unwrap()
}

fn pixel(random: &mut Random, width: usize, height: usize) -> Pixel {
    Pixel { x: random.below(width) as i64, y: random.below(height) as i64 }
}

/// A valid request.
fn request(random: &mut Random, width: usize, height: usize) -> Request {
    loop {
        let request = Request {
            a: pixel(random, width, height),
            b: pixel(random, width, height),
            n_nodes: 3 + random.below(4),
            n_points: 2 + random.below(7),
            width: 1 + random.below(30),
            max_turn: [0, 10, 30, 60, 90, 140, 180][random.below(7)],
        };
        if request.check(width, height).is_ok() {
            return request;
        }
    }
}

/// The pixel, with the border repeated.
fn repeated(image: &GreyImage, x: i64, y: i64) -> f64 {
    let x = x.clamp(0, image.width as i64 - 1) as usize;
    let y = y.clamp(0, image.height as i64 - 1) as usize;
    f64::from(image.pixels[y * image.width + x])
}

/// The score of a link by its definition, in floating point except for the rounded parts.
fn score(image: &GreyImage, from: Pixel, to: Pixel) -> u32 {
    let (dx, dy) = ((to.x - from.x) as f64, (to.y - from.y) as f64);
    let n = dx.abs().max(dy.abs());
    let mut sum = 0.0;
    for t in 0..=n as i64 {
        // `round` rounds half away from zero.
        let part = |delta: f64| (t as f64 * delta / n.max(1.0)).round() as i64;
        let (x, y) = (from.x + part(dx), from.y + part(dy));
        let at = |right: i64, down: i64| repeated(image, x + right, y + down);
        let side = |s: i64| at(s, -1) + 2.0 * at(s, 0) + at(s, 1);
        let line = |s: i64| at(-1, s) + 2.0 * at(0, s) + at(1, s);
        let (gx, gy) = (side(1) - side(-1), line(1) - line(-1));
        let length = gx.hypot(gy).max(1.0);
        let [u, v] = [gx, gy].map(|part| (part / length * 16_384.0).round());
        sum += (u * dy - v * dx).abs();
    }
    let length = (1_048_576.0 * (dx * dx + dy * dy)).sqrt().floor();
    if length == 0.0 { 0 } else { (sum * 4096.0 / length).floor() as u32 }
}

/// The scores of a request by the definition, as input for brute force.
fn instance(image: &GreyImage, request: &Request) -> Instance {
    let geometry = Geometry::new(request, image.width, image.height).unwrap();
    let pixels: Vec<Vec<Pixel>> = geometry.guides().map(|guide| guide.pixels().unwrap()).collect();
    let between = |from: &[Pixel], to: &[Pixel]| {
        let all = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
        all.map(|(from, to)| score(image, from, to)).collect::<Vec<u32>>()
    };
    let (dx, dy) = (request.b.x - request.a.x, request.b.y - request.a.y);
    let part = (dx as f64).hypot(dy as f64) / (request.n_nodes - 1) as f64;
    Instance {
        d: request.n_points,
        guides: geometry.guides().map(|guide| guide.inside).collect(),
        first: between(&[request.a], &pixels[0]),
        links: pixels.windows(2).map(|two| between(&two[0], &two[1])).collect(),
        last: between(&pixels[pixels.len() - 1], &[request.b]),
        a: (256.0 * part).round() as i64,
        b: (128.0 * request.width as f64 / (request.n_points - 1) as f64).round() as i64,
        degrees: request.max_turn,
    }
}

fn answer(image: &GreyImage, request: &Request) -> Polyline {
    let mut answers = trace(image, 0, &[*request], threads()).unwrap();
    answers.pop().unwrap()
}

/// Score and indices in the form returned by brute force.
fn plain(answer: &Polyline) -> Option<(u32, Vec<usize>)> {
    answer.found.as_ref().map(|found| (found.score, found.indices.clone()))
}

#[test]
fn answers_match_the_definition() {
    let mut random = Random::new(14);
    let mut n_clipped = 0;
    for round in 0..400 {
        let (width, height) = (1 + random.below(40), 2 + random.below(40));
        let image = image(&mut random, width, height);
        let request = request(&mut random, width, height);
        let answer = answer(&image, &request);
        let instance = instance(&image, &request);
        assert_eq!(answer.inside, instance.guides, "round {round}: {request:?}");
        n_clipped +=
            usize::from(answer.inside.iter().any(|inside| inside.len() < request.n_points));
        assert_eq!(plain(&answer), instance.brute_force(), "round {round}: {request:?}");
    }
    assert!((50..350).contains(&n_clipped), "{n_clipped} were clipped");
}

#[test]
fn points_match_the_definition() {
    let mut random = Random::new(13);
    for _ in 0..2000 {
        let request = request(&mut random, 300, 200);
        let Request { a, b, n_nodes, n_points, width, .. } = request;
        let geometry = Geometry::new(&request, 300, 200).unwrap();
        let (dx, dy) = ((b.x - a.x) as f64, (b.y - a.y) as f64);
        let gap = width as f64 / (n_points - 1) as f64;
        for (node, guide) in (1..).zip(geometry.guides()) {
            let part = f64::from(node) / (n_nodes - 1) as f64;
            for m in 1..=n_points {
                let away = (m as f64 - (n_points as f64 + 1.0) / 2.0) * gap / dx.hypot(dy);
                // Slightly further from zero, so that a half is not lost to the last bit.
                let round = |number: f64| (number + number.signum() * 1e-9).round() as i64;
                let expected = Pixel {
                    x: a.x + round(part * dx) + round(-away * dy),
                    y: a.y + round(part * dy) + round(away * dx),
                };
                assert_eq!(guide.pixel(m - 1), expected, "{request:?}: node {node}, point {m}");
                let is_inside = (0..300).contains(&expected.x) && (0..200).contains(&expected.y);
                assert_eq!(guide.inside.contains(&(m - 1)), is_inside, "{request:?}, point {m}");
            }
        }
    }
}

#[test]
fn a_mirrored_image_gives_the_same_score() {
    let mut random = Random::new(16);
    for _ in 0..100 {
        let (width, height) = (20 + random.below(20), 20 + random.below(20));
        let image = image(&mut random, width, height);
        let request = request(&mut random, width, height);
        let mirrored = {
            let rows = image.pixels.chunks(width);
            let pixels = rows.flat_map(|row| row.iter().rev().copied()).collect();
            GreyImage::new(width, height, pixels).unwrap()
        };
        let turned = {
            let columns = (0..width).flat_map(|x| (0..height).map(move |y| (x, y)));
            let pixels = columns.map(|(x, y)| image.pixels[y * width + x]).collect();
            GreyImage::new(height, width, pixels).unwrap()
        };
        let mirror = |Pixel { x, y }: Pixel| Pixel { x: width as i64 - 1 - x, y };
        let turn = |Pixel { x, y }: Pixel| Pixel { x: y, y: x };
        let expected = answer(&image, &request).found.map(|found| found.score);
        let of = |image: &GreyImage, map: &dyn Fn(Pixel) -> Pixel| {
            let request = Request { a: map(request.a), b: map(request.b), ..request };
            answer(image, &request).found.map(|found| found.score)
        };
        assert_eq!(of(&mirrored, &mirror), expected, "left and right: {request:?}");
        assert_eq!(of(&turned, &turn), expected, "x and y: {request:?}");
    }
}

#[test]
fn one_call_with_several_requests_equals_several_calls() {
    let mut random = Random::new(17);
    let image = image(&mut random, 50, 40);
    let requests: Vec<Request> = (0..8).map(|_| request(&mut random, 50, 40)).collect();
    for n_blurs in [0, 1, 3] {
        let together = trace(&image, n_blurs, &requests, threads()).unwrap();
        for (request, answer) in requests.iter().zip(together) {
            assert_eq!(
                trace(&image, n_blurs, &[*request], threads()).unwrap(),
                [answer],
                "{request:?}"
            );
        }
    }
}

#[test]
fn points_that_share_pixels_score_as_each_alone() {
    let mut random = Random::new(18);
    let image = image(&mut random, 90, 70);
    // Along a general direction and along both axes, where pixels of neighbouring links are
    // neighbours.
    let ends = [((5, 40), (80, 20)), ((30, 3), (50, 68)), ((10, 10), (60, 60))];
    // Both ways, so that positions rise and fall along the guides.
    let along =
        [((5, 35), (85, 35)), ((45, 65), (45, 5)), ((85, 35), (5, 35)), ((45, 5), (45, 65))];
    for (a, b) in ends.into_iter().chain(along) {
        let [a, b] = [a, b].map(|(x, y)| Pixel { x, y });
        let request = Request { a, b, n_nodes: 5, n_points: 150, width: 60, max_turn: 40 };
        let geometry = Geometry::new(&request, 90, 70).unwrap();
        let gradient = Gradient::new(&image, 0, threads()).unwrap();
        let links = LinkScores::new(&gradient);
        let guides: Vec<Vec<Pixel>> =
            geometry.guides().map(|guide| guide.pixels().unwrap()).collect();
        let guides_of: Vec<Guide<'_>> = geometry.guides().collect();
        for (two, of) in guides.windows(2).zip(guides_of.windows(2)) {
            let scores = links.between(&two[0], &two[1], threads()).unwrap();
            let table = links.table(&of[0], &of[1], threads()).unwrap();
            for (at, &from) in two[0].iter().enumerate() {
                for (to_at, &to) in two[1].iter().enumerate().step_by(7) {
                    let expected = score(&image, from, to);
                    assert_eq!(links.score(from, to), expected);
                    let [start, end] = [of[0].inside.start + at, of[1].inside.start + to_at];
                    assert_eq!(table.value(start, end), expected as i32);
                    assert_eq!(scores[at * two[1].len() + to_at], expected, "{from:?} to {to:?}");
                }
            }
        }
        // The part of the image that the request needs gives the same result as the whole.
        let part = Gradient::within(&image, 0, &geometry, threads()).unwrap();
        for &point in guides.iter().flatten() {
            assert_eq!(part.at(point), gradient.at(point), "{point:?}");
        }
    }
}

#[test]
fn smoothing_a_part_equals_smoothing_the_whole() {
    let mut random = Random::new(19);
    let image = image(&mut random, 60, 50);
    let request = Request {
        a: Pixel { x: 20, y: 25 },
        b: Pixel { x: 40, y: 22 },
        n_nodes: 4,
        n_points: 9,
        width: 12,
        max_turn: 60,
    };
    let geometry = Geometry::new(&request, 60, 50).unwrap();
    for n_blurs in 0..5 {
        let whole = Gradient::new(&image, n_blurs, threads()).unwrap();
        let part = Gradient::within(&image, n_blurs, &geometry, threads()).unwrap();
        for point in geometry.guides().flat_map(|guide| guide.pixels().unwrap()) {
            assert_eq!(part.at(point), whole.at(point), "{n_blurs} times, {point:?}");
        }
    }
}

#[test]
fn smoothing_spreads_a_point_by_the_binomial_weights() {
    let mut pixels = [0; 25];
    pixels[12] = 16;
    let mut blur = Blur::new(5, pixels.into_iter()).unwrap();
    blur.smooth(threads()).unwrap();
    let expected = [
        0, 0, 0, 0, 0, //
        0, 16, 32, 16, 0, //
        0, 32, 64, 32, 0, //
        0, 16, 32, 16, 0, //
        0, 0, 0, 0, 0,
    ];
    assert_eq!(blur.pixels(), expected);
    // A constant image stays constant, even at the border.
    let mut blur = Blur::new(3, [200; 9].into_iter()).unwrap();
    blur.smooth(threads()).unwrap();
    assert_eq!(blur.pixels(), [200 * 16; 9]);
}

#[test]
fn a_straight_edge_scores_one_for_each_pixel() {
    // Dark above, bright below: gradients point down along rows 4 and 5.
    let pixels = (0..20 * 10).map(|at| if at < 20 * 5 { 40 } else { 200 }).collect();
    let image = GreyImage::new(20, 10, pixels).unwrap();
    let request = Request {
        a: Pixel { x: 1, y: 5 },
        b: Pixel { x: 17, y: 5 },
        n_nodes: 5,
        n_points: 5,
        width: 4,
        max_turn: 180,
    };
    let answer = answer(&image, &request);
    let found = answer.found.unwrap();
    // Four links of five pixels each. All points on the edge have the same score there, and no
    // other link has more.
    assert_eq!(found.score, 4 * 5 * 65_536);
    assert!(found.nodes.iter().all(|node| [4, 5].contains(&node.y)), "{:?}", found.nodes);
}

#[test]
fn grey_values_weigh_the_colours() {
    assert_eq!([grey(0, 0, 0), grey(255, 255, 255)], [0, 255]);
    assert_eq!([grey(255, 0, 0), grey(0, 255, 0), grey(0, 0, 255)], [76, 150, 29]);
}

#[test]
fn rejects_invalid_requests() {
    let good = Request {
        a: Pixel { x: 0, y: 0 },
        b: Pixel { x: 9, y: 4 },
        n_nodes: 4,
        n_points: 5,
        width: 3,
        max_turn: 180,
    };
    assert_eq!(good.check(10, 5), Ok(()));
    let cases = [
        (Request { b: good.a, ..good }, Refusal::SameEnds),
        (Request { a: Pixel { x: -1, y: 0 }, ..good }, Refusal::OutsideImage),
        (Request { b: Pixel { x: 9, y: 5 }, ..good }, Refusal::OutsideImage),
        (Request { n_nodes: 2, ..good }, Refusal::NoGuide),
        (Request { n_nodes: 0, ..good }, Refusal::NoGuide),
        (Request { n_points: 1, ..good }, Refusal::OnePoint),
        (Request { width: 0, ..good }, Refusal::NoWidth),
        (Request { max_turn: 181, ..good }, Refusal::Angle),
        (Request { width: 4097, ..good }, Refusal::TooLong),
        (Request { width: 4096, n_nodes: 9, ..good }, Refusal::TooManyPixels),
        (Request { n_points: 4097, ..good }, Refusal::TooManyPoints),
    ];
    for (request, refusal) in cases {
        assert_eq!(request.check(10, 5), Err(refusal), "{request:?}");
    }
    // In an image of one pixel both ends are the same.
    assert_eq!(Request { b: good.a, ..good }.check(1, 1), Err(Refusal::SameEnds));
}
