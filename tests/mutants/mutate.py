#!/usr/bin/env python3
"""Mutants that are switched when a test runs, so that all of them are built once.

    mutate.py make FOLDER FILE...          put mutants into these files of the checkout in FOLDER, a copy
    mutate.py drop FOLDER NUMBER...        switch mutants off that do not compile
    mutate.py run FOLDER SUITES NUMBER...  run these mutants, or all; a line of SUITES is `FILE-PREFIX<tab>COMMAND`

A mutant is an edit of the form `if mutant(17) { other } else { as it was }`; `mutant` compares its number with the
variable STAR_MUTANT. `make` writes FOLDER/mutants.tsv: number, file, line, kind, text. Code under `#[cfg(test)]`
is left alone. `run` appends to FOLDER/results.tsv what killed each. docs/mutation.md says what came of it.
"""
import os, re, subprocess, sys, time

SIMPLE = r"[\w.&*]+(?:\([\w.,&* ]*\))?(?:\.\w+(?:\([\w.,&* ]*\))?)*"
COMPARE = re.compile(rf"(?<![\w.)\]])(?<![-+*/%] )({SIMPLE}) (<=|<|>=|>|==|!=) ({SIMPLE})(?=[\s,;)}}]|$)(?! [-+*/%] )")
OTHER = {"<=": "<", "<": "<=", ">=": ">", ">": ">=", "==": "!=", "!=": "=="}
DEFAULTS = [
    (re.compile(r"^bool$"), ["true", "false"]),
    (re.compile(r"^$"), [""]),
    (re.compile(r"^(Run|Result)<\(\)(, .*)?>$"), ["Ok(())"]),
    (re.compile(r"^(Run|Result)<bool(, .*)?>$"), ["Ok(true)", "Ok(false)"]),
    (re.compile(r"^Option<.*>$"), ["None"]),
    (re.compile(r"^(Run|Result)<Option<.*>>$"), ["Ok(None)"]),
    (re.compile(r"^Vec<.*>$"), ["Vec::new()"]),
    (re.compile(r"^(usize|u64|u32|i64)$"), ["0", "1"]),
]


class Maker:
    def __init__(self):
        self.mutants = []

    def new(self, file, line, kind, text):
        self.mutants.append((len(self.mutants) + 1, file, line, kind, text.strip()))
        return f"star_base::mutant({len(self.mutants)})"

    def file(self, root, file):
        path = os.path.join(root, file)
        lines = open(path).read().split("\n")
        end = next((i for i, line in enumerate(lines) if line == "#[cfg(test)]"), len(lines))
        out, i, in_const = [], 0, False
        while i < len(lines):
            line = lines[i]
            if i >= end:
                out.append(line)
                i += 1
                continue
            if re.match(r"^\s*(pub(\(.*?\))? )?(const|static) ", line) and "fn " not in line:
                in_const = True
            begins = not out or out[-1].strip().endswith((";", "{", "}", ",")) or out[-1].strip().startswith("//")
            out.append(self.body_line(file, i, line) if begins and not in_const else line)
            if in_const and line.rstrip().endswith(";"):
                in_const = False
            if re.match(r"^\s*(pub(\([\w :]+\))? )?fn \w+", line):
                # The signature ends at the brace that ends a line.
                j = i
                while j < end and not lines[j].rstrip().endswith(("{", ";", "}")):
                    j += 1
                    out.append(lines[j])
                signature = " ".join(part.strip() for part in lines[i : j + 1])
                if lines[j].rstrip().endswith("{"):
                    out.extend(self.function(file, i, signature))
                i = j
            i += 1
        open(path, "w").write("\n".join(out))

    def function(self, file, line, signature):
        found = re.search(r"\)(?: -> (.*?))?(?: where .*)? \{$", signature)
        result = (found.group(1) or "") if found else "?"
        name = re.search(r"fn (\w+)", signature).group(1)
        for pattern, values in DEFAULTS:
            if pattern.match(result):
                for value in values:
                    switch = self.new(file, line + 1, "function", f"{name} gives {value or 'nothing'}")
                    yield f"if {switch} {{ return {value}; }}"
                return

    def body_line(self, file, idx, line):
        at, text = idx + 1, line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        if text.startswith(("//", "#", "assert", "debug_assert", "use ", "pub", "fn ", "impl", "type ", "where ")):
            return line
        if text.count('"') or "'" in text:
            return line
        condition = re.match(r"^((?:\} else )?if|while) (.*) \{$", text)
        if condition and " let " not in text and not text.startswith(("while", "if let", "} else if let")):
            test = self.compare(file, at, condition.group(2))
            switch = self.new(file, at, "condition", f"not ({condition.group(2)})")
            return f"{indent}{condition.group(1)} {switch} != ({test}) {{"
        call = re.match(r"^(self|[a-z_]+)(\.\w+)*\.\w+\(.*\)\??;$", text) or re.match(r"^[a-z_:]+\(.*\)\??;$", text)
        if call and text.count("(") == text.count(")") and not text.startswith("return"):
            switch = self.new(file, at, "statement", f"without {text}")
            return f"{indent}if !{switch} {{ {text} }}"
        step = re.match(r"^([\w.]+) (\+=|-=) (.*);$", text)
        if step:
            switch = self.new(file, at, "statement", f"without {text}")
            return f"{indent}if !{switch} {{ {text} }}"
        arm = re.match(r"^(.* => )(.* && .*),$", text)
        if arm and "{" not in text:
            switch = self.new(file, at, "arm", f"true for {arm.group(2)}")
            return f"{indent}{arm.group(1)}{switch} || ({arm.group(2)}),"
        arm = re.match(r"^(.* => )((?:keeps|knows|inside|holds)\(.*\)),$", text)
        if arm:
            switch = self.new(file, at, "arm", f"true for {arm.group(2)}")
            return f"{indent}{arm.group(1)}{switch} || {arm.group(2)},"
        if text.startswith(("let ", "&& ", "|| ", "return ", "Some(", "Ok(")) and "|" not in text.replace("||", ""):
            return indent + self.compare(file, at, text)
        return line

    def compare(self, file, line, text):
        def other(found):
            left, op, right = found.groups()
            switch = self.new(file, line, "comparison", f"{left} {OTHER[op]} {right} in {text}")
            return f"(if {switch} {{ {left} {OTHER[op]} {right} }} else {{ {left} {op} {right} }})"

        return COMPARE.sub(other, text, count=2)


MUTANT_FN = """
/// Is this the mutant that is switched on?
#[inline]
pub fn mutant(number: u32) -> bool {
    static NUMBER: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let on = NUMBER.get_or_init(|| {
        std::env::var("STAR_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *on == number
}
"""


def make(folder, files):
    maker = Maker()
    for file in files:
        maker.file(folder, file)
    lib = os.path.join(folder, "compiler/base/src/lib.rs")
    text = open(lib).read()
    if "pub fn mutant" not in text:
        open(lib, "w").write(text + MUTANT_FN)
    with open(os.path.join(folder, "mutants.tsv"), "w") as table:
        for mutant in maker.mutants:
            table.write("\t".join(map(str, mutant)) + "\n")
    print(len(maker.mutants), "mutants")


def drop(folder, numbers):
    """Switches mutants that do not compile off for good: their text becomes `false`."""
    table = os.path.join(folder, "mutants.tsv")
    rows = [line.rstrip("\n").split("\t") for line in open(table)]
    gone = {str(number) for number in numbers}
    for file in {row[1] for row in rows if row[0] in gone}:
        path = os.path.join(folder, file)
        text = open(path).read()
        for number in gone:
            text = text.replace(f"star_base::mutant({number})", "false")
        open(path, "w").write(text)
    with open(table, "w") as out:
        out.writelines("\t".join(row) + "\n" for row in rows if row[0] not in gone)


def run(folder, suites, numbers):
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(folder, "mutants.tsv"))]
    suites = [line.rstrip("\n").split("\t") for line in open(suites) if line.strip()]
    out = open(os.path.join(folder, "results.tsv"), "a")
    for number, file, line, kind, text in rows:
        if numbers and int(number) not in numbers:
            continue
        verdict = "survives"
        for prefix, command in suites:
            if not file.startswith(prefix):
                continue
            begun = time.time()
            try:
                done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, cwd=folder,
                                      env={**os.environ, "STAR_MUTANT": number})
                if done.returncode != 0:
                    failed = re.findall(r"^test (.*) \.\.\. FAILED", done.stdout, re.M)
                    failed = failed or re.findall(r"^    (\S+)$", done.stdout, re.M)
                    verdict = "killed by " + (failed[0] if failed else f"exit {done.returncode}")
            except subprocess.TimeoutExpired:
                verdict = "killed by time"
            if verdict != "survives":
                break
        print(number, file, line, text, "->", verdict, f"{time.time() - begun:.1f}s", flush=True)
        out.write("\t".join([number, file, line, kind, text, verdict]) + "\n")
        out.flush()


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "drop":
        drop(sys.argv[2], sys.argv[3:])
    else:
        run(sys.argv[2], sys.argv[3], [int(n) for n in sys.argv[4:]])
