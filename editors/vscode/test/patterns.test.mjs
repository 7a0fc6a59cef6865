// Every regular expression of the extension, compiled by Node and tried on lines.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";

const root = path.join(import.meta.dirname, "..");
const json = (name) => JSON.parse(fs.readFileSync(path.join(root, name), "utf8"));
const configuration = json("language-configuration.json");
const manifest = json("package.json");
const grammar = json("syntaxes/star.tmLanguage.json");

/** Compiles a pattern as the editor does: a text, or an object with flags. */
function compiled(pattern) {
  return typeof pattern === "string" ? new RegExp(pattern) : new RegExp(pattern.pattern, pattern.flags);
}

/** Returns all patterns of a configuration. */
function patterns(value, key = "") {
  if (typeof value === "string") {
    return /Pattern$|^beforeText$|^afterText$|^firstLine$/.test(key) ? [value] : [];
  }
  if (value !== null && typeof value === "object") {
    if ("pattern" in value) {
      return [value];
    }
    return Object.entries(value).flatMap(([name, inner]) => patterns(inner, name));
  }
  return [];
}

test("every pattern of the configuration is JavaScript", () => {
  const all = [...patterns(configuration), ...patterns(manifest.contributes)];
  assert.ok(all.length >= 6, `${all.length}`);
  all.forEach(compiled);
});

test("every pattern of the grammar compiles", () => {
  const found = [];
  const visit = (value) => {
    for (const [key, inner] of Object.entries(value ?? {})) {
      if (["match", "begin", "end"].includes(key) && typeof inner === "string") {
        found.push(inner);
      } else if (typeof inner === "object") {
        visit(inner);
      }
    }
  };
  visit(grammar);
  assert.ok(found.length > 15);
  // TextMate grammars use Oniguruma: `(?i)` at the beginning is the flag `i` there.
  for (const pattern of found) {
    const flags = pattern.startsWith("(?i)") ? "iu" : "u";
    new RegExp(pattern.replace(/^\(\?i\)/, "").replace(/\\([-"'])/g, "$1"), flags);
  }
});

test("lines are indented as by the formatter", () => {
  const rules = configuration.indentationRules;
  const increase = compiled(rules.increaseIndentPattern);
  const decrease = compiled(rules.decreaseIndentPattern);
  const next = compiled(rules.indentNextLinePattern);
  for (const line of ["begin", "  BEGIN", "while SOME(X) do begin", "repeat i:=STEP(X);"]) {
    assert.ok(increase.test(line), line);
  }
  for (const line of ["begin X:=Y end;", "// begin", "beginning:=1;", "repeat X:=Y until ZERO(X);"]) {
    assert.ok(!increase.test(line), line);
  }
  for (const line of ["end;", "  End.", "until ZERO(X);"]) {
    assert.ok(decrease.test(line), line);
  }
  assert.ok(!decrease.test("ending:=1"));
  assert.ok(next.test("if a then") && next.test("ELSE") && !next.test("if a then X:=Y;"));
});

test("the first line tells Star from Starlark", () => {
  const first = compiled(manifest.contributes.languages[0].firstLine);
  for (const line of ["program P;", "PROCEDURE Q(n: integer);", "/* text */", 'import "a.star";', "proc R;"]) {
    assert.ok(first.test(line), line);
  }
  for (const line of ['load("//a:b.bzl", "c")', "def f():", "# comment", "programs = 1"]) {
    assert.ok(!first.test(line), line);
  }
});

test("words are names of all alphabets", () => {
  const word = compiled(configuration.wordPattern);
  assert.equal("жолб_1:=2".match(word)[0], "жолб_1");
});

test("commands, snippets and settings are complete", () => {
  const snippets = json("snippets/star.json");
  for (const [name, { prefix, body }] of Object.entries(snippets)) {
    assert.ok(prefix.length > 0 && body.length > 0, name);
    assert.ok(body.every((line) => !line.includes("\t")), name);
  }
  const readme = fs.readFileSync(path.join(root, "README.md"), "utf8");
  for (const { title } of manifest.contributes.commands) {
    assert.ok(readme.includes(`Star: ${title}`), title);
  }
  for (const name of Object.keys(manifest.contributes.configuration.properties)) {
    assert.ok(readme.includes(`\`${name}\``), name);
  }
});
