// The TextMate grammar and the compiler agree on every token of every program of the repository.
// Skipped unless STAR names the command.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import * as rpc from "vscode-jsonrpc/node";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const star = process.env.STAR;
const repository = process.env.REPOSITORY ?? path.join(import.meta.dirname, "../../..");

/** The scopes in which a token of the compiler may lie. Names are left to the compiler. */
const SCOPES = {
  keyword: /^(storage\.type|keyword\.control|keyword\.operator|constant\.language)/,
  comment: /^comment/,
  string: /^(string|constant\.other\.bits)/,
  number: /^constant\.(numeric|language)/,
  operator: /^keyword\.operator/,
  type: /^support\.type/,
};

/** Returns all programs below folders. */
function programs(folders) {
  const found = folders.flatMap((folder) => {
    const names = fs.readdirSync(path.join(repository, folder), { recursive: true });
    return names.filter((name) => name.endsWith(".star")).map((name) => path.join(repository, folder, name));
  });
  return found.sort();
}

async function grammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const file = path.join(import.meta.dirname, "../syntaxes/star.tmLanguage.json");
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  return registry.loadGrammar("source.star-machine");
}

test("both know the same tokens", { skip: star === undefined && "STAR is not set" }, async () => {
  const found = await grammar();
  const child = spawn(star, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const { capabilities } = await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  await connection.sendNotification("initialized", {});
  const kinds = capabilities.semanticTokensProvider.legend.tokenTypes;
  const files = programs(["stdlib", "examples", "benches", "tests/programs"]);
  assert.ok(files.length > 50, `${files.length}`);
  let compared = 0;
  const wrong = [];
  for (const file of files) {
    const text = fs.readFileSync(file, "utf8");
    const uri = pathToFileURL(file).href;
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri, languageId: "star-machine", version: 1, text },
    });
    const { data } = await connection.sendRequest("textDocument/semanticTokens/full", { textDocument: { uri } });
    await connection.sendNotification("textDocument/didClose", { textDocument: { uri } });
    let state = textmate.INITIAL;
    const lines = text.split(/\r?\n/).map((line) => {
      const { tokens, ruleStack } = found.tokenizeLine(line, state);
      state = ruleStack;
      return { line, tokens };
    });
    let [row, column] = [0, 0];
    for (let at = 0; at < data.length; at += 5) {
      row += data[at];
      column = data[at] === 0 ? column + data[at + 1] : data[at + 1];
      const wanted = SCOPES[kinds[data[at + 3]]];
      if (wanted === undefined) {
        continue;
      }
      const { line, tokens } = lines[row];
      const scopes = tokens.find(({ startIndex, endIndex }) => startIndex <= column && column < endIndex).scopes;
      compared += 1;
      if (!scopes.some((scope) => wanted.test(scope))) {
        const word = line.slice(column, column + data[at + 2]);
        wrong.push(`${file}:${row + 1}:${column + 1}: ${word} is ${kinds[data[at + 3]]}, not ${scopes.at(-1)}`);
      }
    }
  }
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  assert.ok(compared > 10_000, `${compared}`);
  assert.deepEqual(wrong.slice(0, 20), []);
});
