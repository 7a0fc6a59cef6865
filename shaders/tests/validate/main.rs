//! Validation of every shader as WGSL, with barriers only in uniform control flow.

mod uniform;

use naga::Module;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use star_shaders::layout::INST_WORDS;
use star_shaders::{Banks, Generator, Limb, Op, Shader, Variant};

fn parsed(text: &str) -> Module {
    naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)))
}

fn valid(text: &str) -> Module {
    let module = parsed(text);
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    module
}

#[test]
fn all_shaders_are_valid_for_every_workgroup_size() {
    for threads in [1, 8, 128, 256, 1024] {
        star_shaders::all(threads).iter().for_each(|(_, shader)| on_all_banks(shader));
    }
}

/// Checks that every text of a shader is valid, with barriers in uniform control flow.
fn on_all_banks(shader: &Shader) {
    for count in [1, 2, 4, 8, star_shaders::memory::MOST_BANKS] {
        let text = shader.text(Banks { count, log_words: 28 });
        assert_eq!(uniform::check(&valid(&text)), Ok(()), "{count} banks\n{text}");
    }
}

/// The control unit would ignore an operation without a case.
#[test]
fn the_control_unit_has_a_case_for_every_operation() {
    // The second instruction of a code begins with this word.
    let has = |first: u32, wanted: &str| {
        let mut code = [0; 2 * INST_WORDS as usize];
        code[INST_WORDS as usize] = first;
        let text = star_shaders::control_unit(8, Variant::of(&code)).body;
        let is_case = |line: &str| {
            let case = line.trim_start().strip_prefix("case ");
            let names = case.and_then(|case| case.split_once(": {")).map_or("", |(names, _)| names);
            names.split(", ").any(|name| name == wanted)
        };
        assert!(text.lines().any(is_case), "{wanted}");
    };
    Op::ALL.iter().for_each(|op| has(*op as u32 | 0xabcd_ef00, op.constant()));
    for from in Generator::ALL {
        has(Op::Line as u32 | (*from as u32) << 12, from.constant());
    }
}

#[test]
fn memory_of_every_unit_is_valid() {
    let body = |calls: &str| {
        let head =
            "@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>)";
        format!("{head} {{ let x = id.x; {calls} }}")
    };
    for (limb, calls) in [
        (Limb::Word, "store(x, load(x + 1u));"),
        (Limb::Pair, "store(x, load(x + 1u)); store_word(x, x & 1u, 3u);"),
        (Limb::Four, "store(x, load(x + 1u)); store_word(x, x & 3u, 3u);"),
        (
            Limb::Joined,
            "store(x, 2u); join_max(x, load(x + 1u)); join_add(x, fetch_add(x, exchange(x, 1u)));
             if (replace(x, 1u, fetch_min(x, 3u))) { join_or(x, 4u); }",
        ),
    ] {
        on_all_banks(&Shader { limb, body: body(calls) });
    }
}

/// Builds a shader with this body of its entry.
fn shader(body: &str) -> Module {
    parsed(&format!(
        "@group(0) @binding(0) var<storage, read_write> mem: array<u32>;
         @group(0) @binding(1) var<storage, read> code: array<u32>;
         var<workgroup> shared_word: u32;
         fn same(a: u32) -> u32 {{ if (a > 3u) {{ return 1u; }} return a; }}
         fn loaded(a: u32) -> u32 {{ return mem[a]; }}
         fn waits() {{ workgroupBarrier(); }}
         @compute @workgroup_size(8)
         fn main(@builtin(local_invocation_index) id: u32, @builtin(workgroup_id) group: vec3<u32>) {{
           {body}
         }}"
    ))
}

#[test]
fn barriers_in_uniform_control_flow_are_accepted() {
    for body in [
        "workgroupBarrier();",
        "if (group.x == 1u) { workgroupBarrier(); }",
        "for (var i = 0u; i < code[3]; i++) { mem[id] = i; workgroupBarrier(); }",
        "if (mem[id] == 0u) { mem[id] = 1u; } workgroupBarrier();",
        "if (id == 0u) { shared_word = mem[1]; } let w = workgroupUniformLoad(&shared_word); if (w == 2u) { workgroupBarrier(); }",
        "for (var i = id; i < 64u; i += 8u) { mem[i] = 0u; } storageBarrier();",
        "var a = 1u; while (same(a) < 3u) { a++; waits(); }",
        "switch (code[0]) { case 1u: { if (id == 3u) { break; } mem[0] = 1u; } default: {} } workgroupBarrier();",
    ] {
        assert_eq!(uniform::check(&shader(body)), Ok(()), "{body}");
    }
}

#[test]
fn barriers_in_divergent_control_flow_are_rejected() {
    for body in [
        "if (id == 0u) { workgroupBarrier(); }",
        "if (mem[0] == 1u) { workgroupBarrier(); }",
        "var a = 0u; if (id == 0u) { a = 1u; } if (a == 1u) { storageBarrier(); }",
        "for (var i = id; i < 64u; i += 8u) { workgroupBarrier(); }",
        "if (id == 3u) { return; } workgroupBarrier();",
        "loop { if (id == 3u) { break; } workgroupBarrier(); }",
        "for (var i = 0u; i < 4u; i++) { if (mem[i] == id) { continue; } workgroupBarrier(); }",
        "if (shared_word == 1u) { workgroupBarrier(); }",
        "if (loaded(1u) == 1u) { workgroupBarrier(); }",
        "if (same(id) == 1u) { workgroupBarrier(); }",
        "switch (id) { case 1u: { workgroupBarrier(); } default: {} }",
        "if (id == 0u) { waits(); }",
        "var a = array<u32, 4>(); a[id & 3u] = 1u; if (a[0] == 1u) { workgroupBarrier(); }",
    ] {
        assert!(uniform::check(&shader(body)).is_err(), "{body}");
    }
}
