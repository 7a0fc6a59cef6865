//! Depths, nodes, and the positions of nodes in the field.

use std::fmt;

/// The number of levels below the root: 1 to 30.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u32);

/// A node, identified by its heap index, which is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

/// A decoded leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The node.
    pub node: Node,
    /// Its level, 0 to D.
    pub level: u32,
}

/// Errors in the data from which a tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeError {
    /// A depth outside 1 to 30.
    Depth(i64),
    /// A level below the depth.
    Level {
        /// The level.
        level: i64,
        /// The depth.
        depth: u32,
    },
    /// The bits do not encode a tree: the leaf at this bit, from 0, is not a node.
    NoTree {
        /// The first such bit.
        bit: usize,
    },
    /// The length does not fit a field or heap.
    Length {
        /// The number of bits.
        n_bits: usize,
    },
    /// Element 0 of a heap does not encode its depth.
    Marker {
        /// The depth that follows from the length.
        depth: u32,
    },
    /// A count in a heap does not match its bits.
    Count {
        /// The first limb, from 0, that differs.
        limb: usize,
    },
    /// Memory allocation failed.
    OutOfMemory,
}

impl Depth {
    /// The smallest depth.
    pub const MIN: Depth = Depth(1);
    /// The greatest depth.
    pub const MAX: Depth = Depth(30);

    /// Creates a depth.
    ///
    /// # Errors
    /// [`TreeError::Depth`] if it is out of range.
    pub fn new(depth: i64) -> Result<Depth, TreeError> {
        match u32::try_from(depth) {
            Ok(levels) if (Depth::MIN.0..=Depth::MAX.0).contains(&levels) => Ok(Depth(levels)),
            Ok(_) | Err(_) => Err(TreeError::Depth(depth)),
        }
    }

    /// The depth of a tree with a field of `n_bits` bits.
    ///
    /// # Errors
    /// [`TreeError::Length`] if there is none.
    pub fn of_bits(n_bits: usize) -> Result<Depth, TreeError> {
        let depth = Depth::new(i64::from(n_bits.trailing_zeros()));
        depth.ok().filter(|depth| depth.n_bits() == n_bits).ok_or(TreeError::Length { n_bits })
    }

    /// The number of levels below the root.
    #[inline]
    pub fn levels(self) -> u32 {
        self.0
    }

    /// The number of bits of the field: 2^D.
    #[inline]
    pub fn n_bits(self) -> usize {
        1 << self.0
    }

    /// The number of limbs of the field.
    #[inline]
    pub fn n_limbs(self) -> usize {
        self.n_bits().div_ceil(64)
    }

    /// The node with this heap index, if a tree of this depth can have it.
    #[inline]
    pub fn node(self, index: u64) -> Option<Node> {
        u32::try_from(index).ok().map(Node).filter(|node| index > 0 && node.level() <= self.0)
    }

    /// The bit, from 0, at which a node begins.
    #[inline]
    pub fn bit(self, node: Node) -> usize {
        ((node.0 as usize) << (self.0 - node.level())) - self.n_bits()
    }

    /// The width of a node in bits.
    #[inline]
    pub fn width(self, node: Node) -> usize {
        1 << (self.0 - node.level())
    }

    /// The nodes that can begin at a bit, from level D upwards: each is the parent of the previous
    /// one.
    ///
    /// # Panics
    /// If the bit is outside the field.
    pub fn nodes_at(self, bit: usize) -> impl Iterator<Item = Node> {
        assert!(bit < self.n_bits(), "bit {bit} of {}", self.n_bits());
        let deepest = self.n_bits() + bit;
        let n = deepest.trailing_zeros().min(self.0);
        (0..=n).map(move |up| Node((deepest >> up) as u32))
    }

    /// The leaf that begins at a bit and has the given width in bits.
    #[inline]
    pub(super) fn leaf(self, bit: usize, width: usize) -> Leaf {
        let up = width.ilog2();
        Leaf { node: Node(((self.n_bits() + bit) >> up) as u32), level: self.0 - up }
    }
}

impl Node {
    /// The root.
    pub const ROOT: Node = Node(1);

    /// The node of a decoded index.
    #[inline]
    pub(crate) fn decoded(index: u32) -> Node {
        debug_assert!(index > 0, "no node has index 0");
        Node(index)
    }

    /// The heap index.
    #[inline]
    pub fn index(self) -> u32 {
        self.0
    }

    /// The level: 0 for the root.
    #[inline]
    pub fn level(self) -> u32 {
        self.0.ilog2()
    }

    /// The parent, or `None` for the root.
    #[inline]
    pub fn parent(self) -> Option<Node> {
        (self.0 > 1).then_some(Node(self.0 / 2))
    }

    /// The other child of the parent, or `None` for the root.
    #[inline]
    pub fn sibling(self) -> Option<Node> {
        (self.0 > 1).then_some(Node(self.0 ^ 1))
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::Depth(depth) => write!(f, "a depth of {depth}: it is from 1 to 30"),
            TreeError::Level { level, depth } => write!(f, "level {level} of {depth} levels"),
            TreeError::NoTree { bit } => write!(f, "the leaf at bit {bit} is not a node of a tree"),
            TreeError::Length { n_bits } => write!(f, "a tree cannot have {n_bits} bits"),
            TreeError::Marker { depth } => write!(f, "element 0 does not encode depth {depth}"),
            TreeError::Count { limb } => write!(f, "a count in limb {limb} is wrong"),
            TreeError::OutOfMemory => f.write_str("out of memory"),
        }
    }
}

impl std::error::Error for TreeError {}
