// The queue of tiles of a window, included by the kernels that append to it. A mark for each tile,
// the number of the last window for which it was appended, keeps it unique in the queue.

// The addresses of the queue, its marks and its length, and the number of its window.
struct Queue { list: u32, marks: u32, length: u32, window: u32 }

// Appends the neighbour `i` of a tile, from 0 at the upper left to 8 at the lower right; 4 is the
// tile itself. The order of tiles in a queue does not affect results.
fn append_neighbour(queue: Queue, x: u32, y: u32, i: u32) {
  let tiles = given[1].zw;
  let to = vec2<u32>(x + i % 3u - 1u, y + i / 3u - 1u);
  if (to.x >= tiles.x || to.y >= tiles.y) { return; }
  let tile = to.y * tiles.x + to.x;
  if (exchange(queue.marks + tile, queue.window) == queue.window) { return; }
  store(queue.list + fetch_add(queue.length, 1u), tile);
}
