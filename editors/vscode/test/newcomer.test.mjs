// The first steps of a newcomer: the bundled extension and its client with the real server. Skipped
// unless STAR names the command.

import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { Editor, until } from "./editor.mjs";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const repository = process.env.REPOSITORY ?? path.join(root, "../..");
const star = process.env.STAR;

test("an example is opened, corrected, renamed and tested", { skip: star === undefined && "STAR is not set" }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "star-newcomer-"));
  const file = path.join(folder, "tested.star");
  const original = fs.readFileSync(path.join(repository, "examples/tested.star"), "utf8");
  fs.writeFileSync(file, original);
  const editor = new Editor(folder, { path: star });
  await editor.activate(path.join(root, "dist/extension.js"));
  const document = editor.open(file, original);
  const codes = () => editor.diagnostics(document).map(({ code }) => code?.value ?? code);
  const lenses = () => editor.providers.get("CodeLens").provideCodeLenses(document, editor.token);
  const actions = (diagnostic) =>
    editor.providers.get("CodeActions").provideCodeActions(document, diagnostic.range, { diagnostics: [diagnostic] }, editor.token);
  const fix = async (diagnostic, title) => {
    const found = await actions(diagnostic);
    const wanted = found.find((action) => action.title === title);
    assert.ok(wanted, `${title}: ${found.map((action) => action.title)}`);
    editor.apply(wanted.edit);
  };
  try {
    await until("the server answers", () => editor.providers.has("CodeLens"));

    // A typo, and the fix that the message proposes.
    editor.edit(document, document.rangeOf("COL(k,Q)"), "COLL(k,Q)");
    const typo = await until("the typo is reported", () => editor.diagnostics(document)[0]);
    assert.deepEqual(codes(), ["E0201"]);
    await fix(typo, "Change to `COL`");
    await until("the fix is checked", () => codes().length === 0);
    assert.equal(document.text, original);

    // A variable that nothing uses is greyed, and a fix removes it.
    editor.edit(document, document.rangeOf("var k: integer;"), "var k, unneeded: integer;");
    const unused = await until("the unused variable is reported", () => editor.diagnostics(document)[0]);
    assert.deepEqual([codes(), unused.tags], [["W0108"], [1]]);
    await fix(unused, "Remove `unneeded`");
    await until("the fix is checked", () => codes().length === 0);
    assert.equal(document.text, original);

    // A variable gets another name everywhere.
    const { start } = document.rangeOf("k:=1");
    const rename = editor.providers.get("Rename");
    editor.apply(await rename.provideRenameEdits(document, start, "vertex", editor.token));
    assert.ok(document.text.includes("for vertex:=1 to n do COL(vertex,Q):=CONVERT(ROW(vertex,P));"), document.text);

    // The lens of a test runs it, and shows the result.
    const lens = await until("the lens of the test", async () =>
      (await lenses()).find(({ command }) => command.title === "▶ Run test (1 case)"),
    );
    await editor.commands.get(lens.command.command)(...lens.command.arguments);
    await until("the result of the test", async () =>
      (await lenses()).some(({ command }) => command.title === "✓ passed, 1 case"),
    );

    // A hint at each loop says that it becomes a kernel, or why not.
    const closure = path.join(folder, "closure.star");
    fs.copyFileSync(path.join(repository, "examples/closure.star"), closure);
    const other = editor.open(closure, fs.readFileSync(closure, "utf8"));
    const whole = { start: other.positionAt(0), end: other.positionAt(other.text.length) };
    const hints = await until("the hints of the loops", async () => {
      const found = await editor.providers.get("InlayHints").provideInlayHints(other, whole, editor.token);
      const texts = found.map(({ label }) => (typeof label === "string" ? label : label.map(({ value }) => value).join("")));
      const ofLoops = texts.filter((text) => /^[⚡·]/u.test(text));
      return ofLoops.length > 0 && ofLoops;
    });
    assert.deepEqual(hints, [
      "· as written: a check in its body may fail: `P` may be unset",
      "⚡ forall, then a kernel over the rows of `P`",
    ]);
    assert.deepEqual(editor.errors, []);
  } finally {
    await editor.extension.deactivate();
  }
});
