//! Depths, nodes, and which bit a node begins at.

use std::fmt;

/// How many levels there are below the root: 1 to 30.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depth(u32);

/// A node by its heap index, which is at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);

/// A leaf as it is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The node.
    pub node: Node,
    /// Its level, 0 to D.
    pub level: u32,
}

/// What is wrong with what a tree is to be made of.
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
    /// The bits code no tree: the leaf at this bit, from 0, is no node.
    NoTree {
        /// The first such bit.
        bit: usize,
    },
    /// A field or heap of another length.
    Length {
        /// Its bits.
        n_bits: usize,
    },
    /// Element 0 of a heap does not say its depth.
    Marker {
        /// The depth that its length says.
        depth: u32,
    },
    /// A count in a heap is not that of its bits.
    Count {
        /// The first limb, from 0, that differs.
        limb: usize,
    },
    /// The system refuses the memory.
    OutOfMemory,
}

impl Depth {
    /// The least depth.
    pub const MIN: Depth = Depth(1);
    /// The greatest depth.
    pub const MAX: Depth = Depth(30);

    /// A depth.
    ///
    /// # Errors
    /// [`TreeError::Depth`] if it is none.
    pub fn new(depth: i64) -> Result<Depth, TreeError> {
        match u32::try_from(depth) {
            Ok(levels) if (Depth::MIN.0..=Depth::MAX.0).contains(&levels) => Ok(Depth(levels)),
            Ok(_) | Err(_) => Err(TreeError::Depth(depth)),
        }
    }

    /// The depth of a tree with a field of so many bits.
    ///
    /// # Errors
    /// [`TreeError::Length`] if there is none.
    pub fn of_bits(n_bits: usize) -> Result<Depth, TreeError> {
        let depth = Depth::new(i64::from(n_bits.trailing_zeros()));
        depth.ok().filter(|depth| depth.n_bits() == n_bits).ok_or(TreeError::Length { n_bits })
    }

    /// Number of levels below the root.
    #[inline]
    pub fn levels(self) -> u32 {
        self.0
    }

    /// Bits of the field: 2^D.
    #[inline]
    pub fn n_bits(self) -> usize {
        1 << self.0
    }

    /// Limbs of the field.
    #[inline]
    pub fn n_limbs(self) -> usize {
        self.n_bits().div_ceil(64)
    }

    /// The node with this heap index, if there may be one in a tree of this depth.
    #[inline]
    pub fn node(self, index: u64) -> Option<Node> {
        u32::try_from(index).ok().map(Node).filter(|node| index > 0 && node.level() <= self.0)
    }

    /// The bit, from 0, at which a node begins.
    #[inline]
    pub fn bit(self, node: Node) -> usize {
        ((node.0 as usize) << (self.0 - node.level())) - self.n_bits()
    }

    /// How many bits a node is wide.
    #[inline]
    pub fn width(self, node: Node) -> usize {
        1 << (self.0 - node.level())
    }

    /// The nodes that may begin at a bit, from level D upwards: each is the parent of the one before.
    ///
    /// # Panics
    /// If the field has no such bit.
    pub fn nodes_at(self, bit: usize) -> impl Iterator<Item = Node> {
        assert!(bit < self.n_bits(), "bit {bit} of {}", self.n_bits());
        let deepest = self.n_bits() + bit;
        let n = deepest.trailing_zeros().min(self.0);
        (0..=n).map(move |up| Node((deepest >> up) as u32))
    }

    /// The leaf that begins at a bit and is so many bits wide.
    #[inline]
    pub(super) fn leaf(self, bit: usize, width: usize) -> Leaf {
        let up = width.ilog2();
        Leaf { node: Node(((self.n_bits() + bit) >> up) as u32), level: self.0 - up }
    }
}

impl Node {
    /// The root.
    pub const ROOT: Node = Node(1);

    /// The node whose index was decoded.
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

    /// The parent; `None` for the root.
    #[inline]
    pub fn parent(self) -> Option<Node> {
        (self.0 > 1).then_some(Node(self.0 / 2))
    }

    /// The other child of the parent; `None` for the root.
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
            TreeError::NoTree { bit } => write!(f, "the leaf at bit {bit} is no node of a tree"),
            TreeError::Length { n_bits } => write!(f, "{n_bits} bits hold no tree"),
            TreeError::Marker { depth } => write!(f, "element 0 does not say depth {depth}"),
            TreeError::Count { limb } => write!(f, "a count in limb {limb} is wrong"),
            TreeError::OutOfMemory => f.write_str("the system refuses the memory"),
        }
    }
}

impl std::error::Error for TreeError {}
