// The picture in the README, drawn from the answers of the server about a program. Skipped unless
// STAR names the command; STAR_BLESS=1 draws it anew.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import * as rpc from "vscode-jsonrpc/node";

const star = process.env.STAR;
const repository = process.env.REPOSITORY ?? path.join(import.meta.dirname, "../../..");
const picture = path.join(repository, "editors/vscode/editor.svg");

const TEXT = `procedure REACH(n: integer; var P: table);
var X: slice(P); w: word; i,k: integer;
begin
  for k:=1 to n do
  begin
    X:=COL(k,P); w:=ROW(k,P);
    foreach i in X do ROW(i,P):=ROW(i,P) or w;
  end;
end;

procedure COUNT(X: slice; var n: integer);
begin
  n:=0;
  while SOME(X) do n:=n+STEP(X);
  m:=n
end;

/* @test three vertices in a row
   run REACH
   n = 3
   P = 010 001 000
   expect P = 011 001 000 */
`;

const COLOURS = {
  keyword: "#0000c0",
  type: "#007070",
  comment: "#607060",
  string: "#a02020",
  number: "#086048",
  function: "#705000",
  macro: "#705000",
};
const [WIDTH, HEIGHT] = [8.4, 21];

const escaped = (text) => text.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

/** Draws a text with its tokens, hints, lenses and diagnostics. */
function draw(text, { tokens, hints, lenses, diagnostics }) {
  const drawn = [];
  let y = 6;
  let widest = 0;
  const write = (column, shown, style) => {
    drawn.push(`<text x="${(column * WIDTH + 14).toFixed(1)}" y="${y}" ${style}>${escaped(shown)}</text>`);
    widest = Math.max(widest, column + shown.length);
  };
  text.trimEnd().split("\n").forEach((line, row) => {
    const above = lenses.filter(({ range }) => range.start.line === row).map(({ command }) => command.title);
    if (above.length > 0) {
      y += HEIGHT;
      write(line.search(/\S/), above.join(" | "), 'class="lens"');
    }
    y += HEIGHT;
    // Hints move what follows them.
    const here = hints.filter(({ position }) => position.line === row);
    const label = ({ label: shown }) => (typeof shown === "string" ? shown : shown.map(({ value }) => value).join(""));
    const padded = (hint) => `${hint.paddingLeft ? " " : ""}${label(hint)}${hint.paddingRight ? " " : ""}`;
    const moved = (column, also) =>
      here
        .filter(({ position }) => position.character < column || (also && position.character === column))
        .reduce((sum, hint) => sum + padded(hint).length, column);
    const ends = new Set([0, line.length]);
    const of = tokens.filter((token) => token.row === row);
    of.forEach(({ column, length }) => ends.add(column).add(column + length));
    here.forEach(({ position }) => ends.add(position.character));
    const sorted = [...ends].sort((a, b) => a - b);
    sorted.slice(1).forEach((end, idx) => {
      const start = sorted[idx];
      const token = of.find(({ column, length }) => column <= start && start < column + length);
      const part = line.slice(start, end);
      if (part.trim() !== "") {
        write(moved(start, true) + part.search(/\S/), part.trim(), `fill="${COLOURS[token?.kind] ?? "#202020"}"`);
      }
    });
    for (const hint of here) {
      const column = moved(hint.position.character, false) + (hint.paddingLeft ? 1 : 0);
      const x = column * WIDTH + 13;
      const width = label(hint).length * WIDTH + 2;
      drawn.push(`<rect x="${x.toFixed(1)}" y="${y - 14}" width="${width.toFixed(1)}" height="18" rx="3" class="back"/>`);
      write(column, label(hint), 'class="hint"');
    }
    for (const { range, message, severity } of diagnostics.filter((one) => one.range.start.line === row)) {
      const [from, to] = [moved(range.start.character, true), moved(range.end.character, false)].map((at) => at * WIDTH + 14);
      const colour = severity === 1 ? "#c00000" : "#a06000";
      drawn.push(`<path d="M${from.toFixed(1)} ${y + 4}H${to.toFixed(1)}" stroke="${colour}" stroke-width="2" stroke-dasharray="3 2"/>`);
      y += HEIGHT;
      write(moved(range.start.character, true), message.split("\n")[0], `fill="${colour}" font-style="italic"`);
    }
  });
  const [width, height] = [Math.ceil(widest * WIDTH) + 28, y + 16];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>text{font:14px monospace;white-space:pre}.hint{fill:#606060}.lens{fill:#808080}.back{fill:#e8e8f0}</style>
<rect width="${width}" height="${height}" fill="#fcfcfc"/>
${drawn.join("\n")}
</svg>
`;
}

test("the picture in the README shows the parts that the server answers", { skip: star === undefined && "STAR is not set" }, async () => {
  const uri = pathToFileURL(path.join(repository, "examples/picture.star")).href;
  const child = spawn(star, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const answer = await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
  await connection.sendNotification("initialized", {});
  // Loops and sizes are those of the last text without errors.
  const correct = TEXT.replace("  m:=n\n", "");
  const ask = (method, more = {}) => connection.sendRequest(`textDocument/${method}`, { textDocument: { uri }, ...more });
  const range = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "star-machine", version: 1, text: correct },
  });
  await ask("inlayHint", { range });
  await connection.sendNotification("textDocument/didChange", {
    textDocument: { uri, version: 2 },
    contentChanges: [{ text: TEXT }],
  });
  const { data } = await ask("semanticTokens/full");
  const kinds = answer.capabilities.semanticTokensProvider.legend.tokenTypes;
  const tokens = [];
  let [row, column] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    row += data[at];
    column = data[at] === 0 ? column + data[at + 1] : data[at + 1];
    tokens.push({ row, column, length: data[at + 2], kind: kinds[data[at + 3]] });
  }
  const { items: diagnostics } = await ask("diagnostic");
  const [hints, lenses] = [await ask("inlayHint", { range }), await ask("codeLens")];
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  // The words of messages and plans change more often than the picture needs to.
  assert.ok(diagnostics.length === 1 && lenses.length > 0 && hints.length > 3, JSON.stringify({ diagnostics, lenses, hints }));
  const drawn = draw(TEXT, { tokens, hints, lenses, diagnostics });
  if (process.env.STAR_BLESS === "1") {
    fs.writeFileSync(picture, drawn);
  }
  const texts = (svg) => svg.match(/<text /g).length;
  assert.equal(texts(fs.readFileSync(picture, "utf8")), texts(drawn));
});
