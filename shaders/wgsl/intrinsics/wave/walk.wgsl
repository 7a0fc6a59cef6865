// A part of a path, from a cell to the neighbours whose labels are one less (Note [Paths] in
// star-shaders). One workgroup: it finds the first such neighbour of all cells in a region, with a
// thread for each row; then one thread walks to the edge of the region.

// A map is the rows of the region, with a row of zeros before and after. First the maps of
// transitions and labels, then those of the neighbours: three bits of its number, and whether there
// is one.
const MAP = REGION_ROWS + 2u;
var<workgroup> maps: array<vec4<u32>, 6u * MAP>;
// The cell, its place on the path, and the last place of this dispatch.
var<workgroup> state: vec4<u32>;

fn load_row(slice: u32, x: u32, y: u32) -> vec4<u32> {
  let bits = vec3<u32>(row_bits(slice, x + 32u, y), row_bits(slice, x + 64u, y), row_bits(slice, x + 96u, y));
  return vec4<u32>(row_bits(slice, x, y), bits);
}

// Moves the cells of a row to the right, or to the left.
fn to_right(v: vec4<u32>) -> vec4<u32> {
  return (v << vec4<u32>(1u)) | (vec4<u32>(0u, v.xyz) >> vec4<u32>(31u));
}
fn to_left(v: vec4<u32>) -> vec4<u32> {
  return (v >> vec4<u32>(1u)) | (vec4<u32>(v.yzw, 0u) << vec4<u32>(31u));
}

// The lowest two bits and the highest one of the labels of a row.
struct Labels { low: vec4<u32>, next: vec4<u32>, high: vec4<u32> }

fn labels_at(row: u32) -> Labels {
  return Labels(maps[MAP + row], maps[2u * MAP + row], maps[3u * MAP + row]);
}
fn right_labels(of_row: Labels) -> Labels {
  return Labels(to_left(of_row.low), to_left(of_row.next), to_left(of_row.high));
}
fn left_labels(of_row: Labels) -> Labels {
  return Labels(to_right(of_row.low), to_right(of_row.next), to_right(of_row.high));
}

// Returns the cells whose labels, modulo 4, are one more than those of their neighbours. A label
// without the highest bit has no neighbour with it: that excludes neighbours without a label.
fn follows(own: Labels, other: Labels) -> vec4<u32> {
  let low = own.low ^ other.low; let next = own.next ^ other.next;
  return low & ~(next ^ ~own.low) & (own.high | ~other.high);
}

fn bit_of(map: u32, row: u32, x: u32) -> u32 { return (maps[map * MAP + row][x >> 5u] >> (x & 31u)) & 1u; }

@compute @workgroup_size(REGION_ROWS)
fn main(@builtin(local_invocation_index) id: u32) {
  let width = given[0].x;
  let labels = given[1].x; let stride = given[1].y; let columns = given[1].z; let notes = given[1].w;
  let list = given[3].x;
  if (id == 0u) {
    let cell = load(notes + CELL); let done = load(notes + DONE);
    let end = min(load(notes + LABEL), done + given[3].y);
    state = vec4<u32>(cell % width, cell / width, done, end);
  }
  loop {
    let now = workgroupUniformLoad(&state);
    if (now.z >= now.w) { break; }
    let x0 = max(now.x, 64u) - 64u; let y0 = max(now.y, REGION_ROWS / 2u) - REGION_ROWS / 2u;
    let y = y0 + id; let row = id + 1u;
    let right = load_row(given[2].x, x0, y);
    let down = load_row(given[2].y, x0, y);
    maps[row] = down;
    maps[MAP + row] = load_row(labels + (columns - 1u) * stride, x0, y);
    maps[2u * MAP + row] = vec4<u32>(0u);
    if (columns > 1u) { maps[2u * MAP + row] = load_row(labels + (columns - 2u) * stride, x0, y); }
    maps[3u * MAP + row] = load_row(labels, x0, y);
    if (DIAGONALS == SQUARES) { maps[4u * MAP + row] = right; }
    if (DIAGONALS == ANY) {
      maps[4u * MAP + row] = load_row(given[2].z, x0, y);
      maps[5u * MAP + row] = load_row(given[2].w, x0, y);
    }
    workgroupBarrier();
    let own = labels_at(row); let above = labels_at(row - 1u); let below = labels_at(row + 1u);
    var open: array<vec4<u32>, 8>;
    open[0] = to_right(right) & follows(own, left_labels(own));
    open[1] = maps[row - 1u] & follows(own, above);
    open[2] = right & follows(own, right_labels(own));
    open[3] = down & follows(own, below);
    if (DIAGONALS != NONE) {
      var fall: vec4<u32>; var rise: vec4<u32>; var fall_above: vec4<u32>; var rise_above: vec4<u32>;
      if (DIAGONALS == SQUARES) {
        let down_above = maps[row - 1u];
        fall = right & maps[4u * MAP + row + 1u] & down & to_left(down);
        fall_above = maps[4u * MAP + row - 1u] & right & down_above & to_left(down_above);
        rise = fall; rise_above = fall_above;
      } else {
        fall = maps[4u * MAP + row]; rise = maps[5u * MAP + row];
        fall_above = maps[4u * MAP + row - 1u]; rise_above = maps[5u * MAP + row - 1u];
      }
      open[4] = to_right(fall_above) & follows(own, left_labels(above));
      open[5] = rise_above & follows(own, right_labels(above));
      open[6] = fall & follows(own, right_labels(below));
      open[7] = to_right(rise) & follows(own, left_labels(below));
    }
    workgroupBarrier();
    // The first of these neighbours.
    var numbers = array<vec4<u32>, 3>(); var has_one = vec4<u32>(0u);
    for (var i = 0u; i < select(8u, 4u, DIAGONALS == NONE); i++) {
      let first = open[i] & ~has_one;
      has_one |= first;
      for (var bit = 0u; bit < 3u; bit++) {
        if (((i >> bit) & 1u) == 1u) { numbers[bit] |= first; }
      }
    }
    for (var bit = 0u; bit < 3u; bit++) { maps[bit * MAP + row] = numbers[bit]; }
    maps[3u * MAP + row] = has_one;
    workgroupBarrier();
    if (id == 0u) {
      var at = now;
      while (at.z < at.w) {
        let x = at.x - x0; let line = at.y - y0 + 1u;
        // The neighbours of cells at an edge of the region may be outside.
        let is_at_start = (x == 0u && at.x > 0u) || (line == 1u && at.y > 0u);
        if (is_at_start || x == 127u || line == REGION_ROWS) { break; }
        if (bit_of(3u, line, x) == 0u) {
          store(notes + WRONG, 1u);
          at.w = at.z;
          break;
        }
        let step = 2u * (bit_of(0u, line, x) | (bit_of(1u, line, x) << 1u) | (bit_of(2u, line, x) << 2u));
        at.x += ((STEPS_RIGHT >> step) & 3u) - 1u;
        at.y += ((STEPS_DOWN >> step) & 3u) - 1u;
        at.z++;
        store(list + at.z, (at.x << 16u) | at.y);
      }
      state = at;
    }
  }
  if (id == 0u) {
    store(notes + CELL, state.y * width + state.x);
    store(notes + DONE, state.z);
  }
}
