// The bit field of a tree of depth D, included by the kernels of concurrent binary trees: a bit is
// one where a leaf begins. The preceding constants are generated from the tables of star-shaders.
//
// The first parameter of all kernels is D.

// Returns the number of bits of the field.
fn n_bits() -> u32 { return 1u << given[0].x; }

// Returns the number of words of the field.
fn n_words() -> u32 { return (n_bits() + 31u) >> 5u; }

// Returns the bits of the last word.
fn in_word() -> u32 { return min(n_bits(), 32u); }

// Returns a bit of the field; a leaf also begins after the last bit.
fn bit_of(field: u32, x: u32) -> u32 {
  if (x >= n_bits()) { return 1u; }
  return (load(field + (x >> 5u)) >> (x & 31u)) & 1u;
}

// Returns whether the node of this width at bit x is a leaf: one begins there and one after it, but
// none in its middle.
fn is_leaf(field: u32, x: u32, width: u32) -> bool {
  if ((bit_of(field, x) & bit_of(field, x + width)) == 0u) { return false; }
  return width == 1u || bit_of(field, x + width / 2u) == 0u;
}

// Returns the width of the leaf at bit x, which is at least `least`: the first such power of two
// after which a bit is one.
fn width_from(field: u32, x: u32, least: u32) -> u32 {
  var width = least;
  while (bit_of(field, x + width) == 0u) { width *= 2u; }
  return width;
}

// Returns the bits of a word at which right children of width h begin, for h from 1 to 16: the bits
// whose number has h as its lowest one.
fn right_children(h: u32) -> u32 {
  switch (h) {
    case 1u: { return 0xaaaaaaaau; }
    case 2u: { return 0x44444444u; }
    case 4u: { return 0x10101010u; }
    case 8u: { return 0x01000100u; }
    default: { return 0x00010000u; }
  }
}

// A word of the field. `ends` are its bits, and the end of the field if that is inside the word;
// `next` is the bit after the word, 0 if the field ends before.
struct Word { bits: u32, ends: u32, next: u32 }

fn word_of(field: u32, at: u32, bits: u32) -> Word {
  if (n_bits() < 32u) { return Word(bits, bits | (1u << n_bits()), 0u); }
  return Word(bits, bits, bit_of(field, 32u * (at + 1u)));
}

// Moves bits up by h: bit y of the result is that of y - h.
fn before(bits: u32, h: u32) -> u32 { return bits << h; }

// Bit y of the result is one if a leaf begins, or the field ends, at y + h.
fn after(word: Word, h: u32) -> u32 { return (word.ends >> h) | (word.next << (32u - h)); }

// Returns whether every leaf that begins in a word of the field, number `at`, is a node. The field
// encodes a tree iff all words do: the first bit is one, and where a right child of width h begins,
// a leaf begins at its sibling, and one after it.
fn is_of_tree(field: u32, at: u32, bits: u32) -> bool {
  let word = word_of(field, at, bits);
  var wrong = 0u;
  for (var h = 1u; h < 32u; h *= 2u) {
    wrong |= right_children(h) & bits & ~(before(bits, h) & after(word, h));
  }
  if (at == 0u) { return wrong == 0u && (bits & 1u) == 1u; }
  if ((bits & 1u) == 1u) {
    let y = 32u * at; let h = y & (~y + 1u);
    if ((bit_of(field, y - h) & bit_of(field, y + h)) == 0u) { return false; }
  }
  return wrong == 0u;
}
