// The rank directory of a field, included by kernels that read it: for each block of 512 bits the
// leaves that begin before it in its tile, for each tile the leaves before it, then the number of
// all leaves, and whether the field encodes no tree.

// Returns the blocks and the tiles of the field.
fn n_blocks() -> u32 { return (n_bits() + 511u) >> 9u; }
fn n_tiles() -> u32 { return (n_blocks() + TILE_BLOCKS - 1u) / TILE_BLOCKS; }

// Returns the number of leaves that begin before a block.
fn rank_of(directory: u32, block: u32) -> u32 {
  let tiles = directory + n_blocks();
  if (block == n_blocks()) { return load(tiles + n_tiles()); }
  return load(directory + block) + load(tiles + block / TILE_BLOCKS);
}
