#!/usr/bin/env python3
"""Mutation tests: all mutants are built once and switched on by an environment variable.

A mutant is an edit of the form `if mutant(17) { changed } else { original }`; `mutant` compares its
number with the variable STAR_MUTANT. Code after `#[cfg(test)]` is not changed.
"""
import argparse, collections, os, random, re, subprocess, threading, time

SIMPLE = r"[\w.&*]+(?:\([\w.,&* ]*\))?(?:\.\w+(?:\([\w.,&* ]*\))?)*"
COMPARE = re.compile(rf"(?<![\w.)\]])(?<![-+*/%&|^] )(?<!as )({SIMPLE}) (<=|<|>=|>|==|!=) ({SIMPLE})(?=[\s,;)}}]|$)(?! [-+*/%] )")
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
    def __init__(self, chosen=None):
        """`chosen` are the numbers of the mutants to make; all if it is missing."""
        self.mutants = []
        self.chosen = chosen

    def new(self, file, line, kind, text):
        """Returns the switch of a new mutant; `None` if it is not chosen."""
        number = len(self.mutants) + 1
        self.mutants.append((number, file, line, kind, text.strip()))
        is_made = self.chosen is None or number in self.chosen
        return f"star_base::mutant({number})" if is_made else None

    def file(self, root, file):
        """Returns the text of the file with its mutants."""
        lines = open(os.path.join(root, file)).read().split("\n")
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
        return "\n".join(out)

    def function(self, file, line, signature):
        found = re.search(r"\)(?: -> (.*?))?(?: where .*)? \{$", signature)
        result = (found.group(1) or "") if found else "?"
        name = re.search(r"fn (\w+)", signature).group(1)
        for pattern, values in DEFAULTS:
            if pattern.match(result):
                for value in values:
                    switch = self.new(file, line + 1, "function", f"{name} gives {value or 'nothing'}")
                    if switch:
                        yield f"if {switch} {{ return {value}; }}"
                return

    def body_line(self, file, idx, line):
        at, text = idx + 1, line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        if text.startswith(("//", "#", "assert", "debug_assert", "use ", "pub", "fn ", "drop(", "impl", "type ", "where ")):
            return line
        if text.count('"') or "'" in text:
            return line
        condition = re.match(r"^((?:\} else )?if|while) (.*) \{$", text)
        if condition and " let " not in text and not text.startswith(("while", "if let", "} else if let")):
            test = self.compare(file, at, condition.group(2))
            switch = self.new(file, at, "condition", f"not ({condition.group(2)})")
            test = f"{switch} != ({test})" if switch else test
            return f"{indent}{condition.group(1)} {test} {{"
        call = re.match(r"^(self|[a-z_]+)(\.\w+)*\.\w+\(.*\)\??;$", text) or re.match(r"^[a-z_:]+\(.*\)\??;$", text)
        if call and text.count("(") == text.count(")") and not text.startswith("return"):
            switch = self.new(file, at, "statement", f"without {text}")
            return f"{indent}if !{switch} {{ {text} }}" if switch else line
        step = re.match(r"^([\w.]+) (\+=|-=) (.*);$", text)
        if step:
            switch = self.new(file, at, "statement", f"without {text}")
            return f"{indent}if !{switch} {{ {text} }}" if switch else line
        arm = re.match(r"^(.* => )(.* && .*),$", text)
        if arm and "{" not in text:
            switch = self.new(file, at, "arm", f"true for {arm.group(2)}")
            return f"{indent}{arm.group(1)}{switch} || ({arm.group(2)})," if switch else line
        arm = re.match(r"^(.* => )((?:keeps|knows|inside|holds)\(.*\)),$", text)
        if arm:
            switch = self.new(file, at, "arm", f"true for {arm.group(2)}")
            return f"{indent}{arm.group(1)}{switch} || {arm.group(2)}," if switch else line
        if text.startswith(("let ", "&& ", "|| ", "return ", "Some(", "Ok(")) and "|" not in text.replace("||", ""):
            return indent + self.compare(file, at, text)
        return line

    def compare(self, file, line, text):
        def other(found):
            left, op, right = found.groups()
            switch = self.new(file, line, "comparison", f"{left} {OTHER[op]} {right} in {text}")
            if not switch:
                return found.group(0)
            return f"(if {switch} {{ {left} {OTHER[op]} {right} }} else {{ {left} {op} {right} }})"

        return COMPARE.sub(other, text, count=2)


MUTANT_FN = """
/// Returns whether this mutant is switched on.
#[inline]
pub fn mutant(number: u32) -> bool {
    static NUMBER: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let on = NUMBER.get_or_init(|| {
        std::env::var("STAR_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)
    });
    *on == number
}
"""


def table_of(folder):
    lines = open(os.path.join(folder, "mutants.tsv")).read().splitlines()
    return [line.split("\t") for line in lines]


def write_table(folder, rows):
    with open(os.path.join(folder, "mutants.tsv"), "w") as table:
        table.writelines("\t".join(map(str, row)) + "\n" for row in rows)


def make(options):
    files = subprocess.check_output(["git", "ls-files", "--", *options.files], cwd=options.folder, text=True)
    files = [file for file in files.split() if file.endswith(".rs") and "/tests" not in file]
    everything = Maker()
    for file in files:
        everything.file(options.folder, file)
    numbers = [mutant[0] for mutant in everything.mutants]
    n_chosen = min(options.sample or len(numbers), len(numbers))
    chosen = set(random.Random(options.seed).sample(numbers, n_chosen))
    maker = Maker(chosen)
    texts = {file: maker.file(options.folder, file) for file in files}
    for file in {mutant[1] for mutant in maker.mutants if mutant[0] in chosen}:
        open(os.path.join(options.folder, file), "w").write(texts[file])
    lib = os.path.join(options.folder, "compiler/base/src/lib.rs")
    text = open(lib).read()
    if "pub fn mutant" not in text:
        open(lib, "w").write(text + MUTANT_FN)
    write_table(options.folder, [mutant for mutant in maker.mutants if mutant[0] in chosen])
    print(f"{len(chosen)} of {len(numbers)} mutants in {len(files)} files")


def fit(options):
    """Runs the command until it succeeds, each time without the mutants that do not compile."""
    while True:
        done = subprocess.run(options.command, shell=True, capture_output=True, text=True, cwd=options.folder)
        if done.returncode == 0:
            return
        gone = set()
        for error in re.split(r"(?m)^(?=error)", done.stderr)[1:]:
            for file, line in re.findall(r"(?m)^ *(?:-->|:::) (\S+?):(\d+):", error):
                if not os.path.exists(os.path.join(options.folder, file)):
                    continue
                lines = open(os.path.join(options.folder, file)).read().split("\n")
                gone.update(re.findall(r"star_base::mutant\((\d+)\)", lines[int(line) - 1]))
        if not gone:
            raise SystemExit(done.stderr)
        rows = table_of(options.folder)
        for file in {row[1] for row in rows if row[0] in gone}:
            path = os.path.join(options.folder, file)
            text = open(path).read()
            for number in gone:
                text = text.replace(f"star_base::mutant({number})", "false")
            open(path, "w").write(text)
        write_table(options.folder, [row for row in rows if row[0] not in gone])
        print(len(gone), "mutants do not compile", flush=True)


def verdict_of(number, commands, options):
    """Returns what kills the mutant, and the seconds that it took."""
    begin = time.time()
    for command in commands:
        left = options.seconds - (time.time() - begin)
        if left <= 0:
            break
        environment = {**os.environ, "STAR_MUTANT": number}
        try:
            done = subprocess.run(
                ["timeout", "-k", "1", f"{left:.1f}", "bash", "-c", command],
                capture_output=True, text=True, errors="replace", cwd=options.folder, env=environment,
            )
        except OSError as error:
            raise SystemExit(error)
        if done.returncode == 0:
            continue
        failed = re.findall(r"^test (.*) \.\.\. FAILED", done.stdout, re.M)
        failed = failed or re.findall(r"^    (\S+)$", done.stdout, re.M)
        if done.returncode in (124, 137) and not failed:
            return "no answer in time", time.time() - begin
        return f"killed by {failed[0] if failed else f'exit {done.returncode}'}", time.time() - begin
    return "survives", time.time() - begin


def run(options):
    suites = [line.rstrip("\n").split("\t") for line in open(options.suites) if line.strip()]
    rows = [row for row in table_of(options.folder) if not options.numbers or int(row[0]) in options.numbers]
    left, lock, verdicts = iter(rows), threading.Lock(), collections.Counter()
    out = open(os.path.join(options.folder, "results.tsv"), "a")

    def worker():
        while True:
            with lock:
                row = next(left, None)
            if row is None:
                return
            number, file, line, kind, text = row
            commands = [command for prefix, command in suites if file.startswith(prefix)]
            verdict, seconds = verdict_of(number, commands, options)
            with lock:
                verdicts[verdict.split(" by ")[0]] += 1
                print(number, f"{file}:{line}", text, "->", verdict, f"{seconds:.1f} s", flush=True)
                out.write("\t".join([number, file, line, kind, text, verdict]) + "\n")
                out.flush()

    threads = [threading.Thread(target=worker) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(", ".join(f"{verdict} {n}" for verdict, n in sorted(verdicts.items())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make", help="put mutants into a copy of the checkout; writes mutants.tsv there")
    command.add_argument("folder", help="the copy")
    command.add_argument("files", nargs="+", help="files or folders in it")
    command.add_argument("--sample", type=int, help="number of mutants to choose at random (all)")
    command.add_argument("--seed", type=int, default=1, help="seed of the choice (1)")
    command.set_defaults(of=make)
    command = commands.add_parser("fit", help="drop the mutants that do not compile")
    command.add_argument("folder")
    command.add_argument("command", help="command that builds, such as 'cargo check --workspace'")
    command.set_defaults(of=fit)
    command = commands.add_parser("run", help="run test suites for each mutant; appends to results.tsv")
    command.add_argument("folder")
    command.add_argument("suites", help="lines `FILE-PREFIX<tab>COMMAND`; a mutant runs all that match, in order")
    command.add_argument("numbers", nargs="*", type=int, help="mutants to run (all)")
    command.add_argument("--jobs", type=int, default=1, help="number of mutants at the same time (1)")
    command.add_argument("--seconds", type=float, default=90.0, help="limit for each mutant (90)")
    command.set_defaults(of=run)
    options = parser.parse_args()
    options.of(options)


if __name__ == "__main__":
    main()
