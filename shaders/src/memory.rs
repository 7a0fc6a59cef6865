//! The memory of a device in a kernel: `load(at)` and `store(at, value)`, on any number of buffers.
//!
//! Note [Banks]. A binding of a buffer has a limit, 2 GiB − 1 at most, and an address has 32 bits
//! for words of 32. So memory is *banks*: buffers of one size, a power of two, selected by the
//! upper bits of an address. An object begins at a multiple of 64 bytes and may continue in the
//! next bank, a limb never does. A kernel is written once, with calls of `load` and `store`; these
//! are an access to the only bank, or a switch over all banks. A thread waits at the end of a
//! switch for the loaded value: pairs and fours also have `load_four(at)`, which switches once for
//! four addresses, and with pairs also for those `more` after them. Data other than values (frames,
//! descriptors) is in the first bank, for `near(at)` and `put_near(at, value)`: a driver takes long
//! to compile hundreds of switches. There are texts for 1, 2, 4, 8 and 16 banks, so that a device
//! with one bank has no overhead.

use std::fmt::Write;

/// The unit of memory of a kernel. Addresses count these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limb {
    /// Words of 32 bits.
    Word,
    /// Two words.
    Pair,
    /// Four words.
    Four,
    /// Words in which threads join their results, by `join_max`, `join_add` and `join_or`, or take
    /// numbers, by `fetch_add`, `fetch_min`, `fetch_or`, `fetch_and` and `exchange`, which return
    /// the word before. `replace` returns whether it has replaced one value by another; it may also
    /// fail where the word has that value. Loads and stores are atomic.
    Joined,
}

/// The banks of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Banks {
    /// The number of banks: 1, 2, 4, 8 or 16.
    pub count: u32,
    /// The binary logarithm of the words in each.
    pub log_words: u32,
}

/// Maximum number of banks.
pub const MOST_BANKS: u32 = 16;

impl Banks {
    /// Memory in one buffer.
    pub const ONE: Banks = Banks { count: 1, log_words: 31 };

    /// Returns the binding of a bank; the first one's is 0. Other bindings of kernels are between
    /// it and the rest.
    pub fn binding(bank: u32) -> u32 {
        if bank == 0 { 0 } else { 2 + bank }
    }
}

/// A kernel, independent of the memory on which it will run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shader {
    /// The unit of its memory.
    pub limb: Limb,
    /// Everything but the declaration of memory.
    pub body: String,
}

impl Shader {
    /// Returns the whole text.
    pub fn text(&self, banks: Banks) -> String {
        memory(self.limb, banks) + &self.body
    }
}

/// Declares the banks, `load`, and the functions that change memory.
fn memory(limb: Limb, banks: Banks) -> String {
    let (element, value, log_limb) = match limb {
        Limb::Word => ("u32", "u32", 0),
        Limb::Pair => ("vec2<u32>", "vec2<u32>", 1),
        Limb::Four => ("vec4<u32>", "vec4<u32>", 2),
        Limb::Joined => ("atomic<u32>", "u32", 0),
    };
    let mut text = String::new();
    let mut put = |line: String| {
        writeln!(text, "{line}").expect("writing to a string does not fail");
    };
    for bank in 0..banks.count {
        let binding = Banks::binding(bank);
        put(format!(
            "@group(0) @binding({binding}) var<storage, read_write> bank{bank}: array<{element}>;"
        ));
    }
    // Generates an access to the memory at an address.
    let each = |act: &dyn Fn(String) -> String| -> String {
        if banks.count == 1 {
            return act("bank0[at]".to_owned());
        }
        let shift = banks.log_words - log_limb;
        let mut all =
            format!("let i = at & {}u; switch (at >> {shift}u) {{ ", (1_u64 << shift) - 1);
        for bank in 1..banks.count {
            let _ = write!(all, "case {bank}u: {{ {} }} ", act(format!("bank{bank}[i]")));
        }
        let _ = write!(all, "default: {{ {} }} }}", act("bank0[i]".to_owned()));
        all
    };
    let load = each(&|place| match limb {
        Limb::Word | Limb::Pair | Limb::Four => format!("value = {place};"),
        Limb::Joined => format!("value = atomicLoad(&{place});"),
    });
    put(format!("fn load(at: u32) -> {value} {{ var value: {value}; {load} return value; }}"));
    let mut change = |name: &str, given: &str, act: &dyn Fn(String) -> String| {
        put(format!("fn {name}(at: u32, {given}) {{ {} }}", each(act)));
    };
    match limb {
        Limb::Word => {
            change("store", "value: u32", &|place| format!("{place} = value;"));
            put("fn near(at: u32) -> u32 { return bank0[at]; }".to_owned());
            put("fn put_near(at: u32, value: u32) { bank0[at] = value; }".to_owned());
        }
        Limb::Pair | Limb::Four => {
            change("store", &format!("value: {value}"), &|place| format!("{place} = value;"));
            change("store_word", "part: u32, value: u32", &|place| {
                format!("{place}[part] = value;")
            });
        }
        Limb::Joined => {
            change("store", "value: u32", &|place| format!("atomicStore(&{place}, value);"));
            change("join_max", "value: u32", &|place| format!("atomicMax(&{place}, value);"));
            change("join_add", "value: u32", &|place| format!("atomicAdd(&{place}, value);"));
            change("join_or", "value: u32", &|place| format!("atomicOr(&{place}, value);"));
            let fetches = [
                ("fetch_add", "atomicAdd"),
                ("fetch_min", "atomicMin"),
                ("fetch_or", "atomicOr"),
                ("fetch_and", "atomicAnd"),
                ("exchange", "atomicExchange"),
            ];
            for (name, atomic) in fetches {
                let act = each(&|place| format!("before = {atomic}(&{place}, value);"));
                put(format!(
                    "fn {name}(at: u32, value: u32) -> u32 {{ var before: u32; {act} return before; }}"
                ));
            }
            let act = each(&|place| {
                format!("is_done = atomicCompareExchangeWeak(&{place}, before, value).exchanged;")
            });
            let head = "fn replace(at: u32, before: u32, value: u32) -> bool";
            put(format!("{head} {{ var is_done: bool; {act} return is_done; }}"));
        }
    }
    text + &load_four(limb, banks)
}

/// Declares `load_four`: four addresses of four words, or of pairs, each with the one `more` after
/// it.
fn load_four(limb: Limb, banks: Banks) -> String {
    let (given, joins) = match limb {
        Limb::Four => ("at: vec4<u32>", false),
        Limb::Pair => ("at: vec4<u32>, more: u32", true),
        Limb::Word | Limb::Joined => return String::new(),
    };
    let four = |one: &dyn Fn(String) -> String| {
        let each = |part| match (format!("at.{part}"), joins) {
            (at, false) => one(at),
            (at, true) => format!("vec4<u32>({}, {})", one(at.clone()), one(at + " + more")),
        };
        format!("return Four({});", ["x", "y", "z", "w"].map(each).join(", "))
    };
    let mut text = format!(
        "struct Four {{ a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }}
fn load_four({given}) -> Four {{ "
    );
    if banks.count == 1 {
        return text + &four(&|at| format!("bank0[{at}]")) + " }\n";
    }
    let shift = banks.log_words - if joins { 1 } else { 2 };
    let inside = (1_u64 << shift) - 1;
    let in_bank = |bank| four(&|at| format!("bank{bank}[({at}) & {inside}u]"));
    // They are nearly always in the same bank.
    let last = if joins { " | ((at + vec4<u32>(more)) ^ at.xxxx)" } else { "" };
    text += &format!("let others = (at ^ at.xxxx){last}; ");
    text += &format!("if (all(others <= vec4<u32>({inside}u))) {{ switch (at.x >> {shift}u) {{ ");
    for bank in 1..banks.count {
        text += &format!("case {bank}u: {{ {} }} ", in_bank(bank));
    }
    text += &format!("default: {{ {} }} }} }} ", in_bank(0));
    text + &four(&|at| format!("load({at})")) + " }\n"
}
