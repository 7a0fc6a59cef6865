// An image with a word for each pixel, row by row from the top, included by the kernels that read
// one. Their first parameters: the image, its width and height.

// Returns the pixel of a thread: x to the right, y down, from 0.
fn place_of(at: u32) -> vec2<i32> {
  return vec2<i32>(i32(at % given[1].y), i32(at / given[1].y));
}

// Returns a pixel; the border is repeated.
fn pixel(x: i32, y: i32) -> u32 {
  let last = vec2<i32>(given[1].yz) - 1;
  let at = clamp(vec2<i32>(x, y), vec2<i32>(0), last);
  return load(given[1].x + u32(at.y) * given[1].y + u32(at.x));
}
