// The real server with an independent client of the protocol. Skipped unless STAR names the command.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

import * as rpc from "vscode-jsonrpc/node";

const star = process.env.STAR;

/** Starts the server for a folder. */
async function begin(folder) {
  const child = spawn(star, ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(child.stdout),
    new rpc.StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const answer = await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: { general: { positionEncodings: ["utf-16"] } },
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "test" }],
    initializationOptions: { clientCommands: ["star.run", "star.bench"] },
  });
  await connection.sendNotification("initialized", {});
  const end = async () => {
    await connection.sendRequest("shutdown");
    await connection.sendNotification("exit");
    return new Promise((resolve) => child.on("exit", resolve));
  };
  return { connection, answer, end };
}

test("a session over standard input and output", { skip: star === undefined && "STAR is not set" }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "star-lsp-"));
  const uri = pathToFileURL(path.join(folder, "a.star")).href;
  const { connection, answer, end } = await begin(folder);
  assert.equal(answer.capabilities.positionEncoding, "utf-16");
  // Commands that the client carries out are not those of the server.
  assert.deepEqual(answer.capabilities.executeCommandProvider.commands, ["star.test", "star.plan"]);
  const published = new Promise((resolve) => connection.onNotification("textDocument/publishDiagnostics", resolve));
  const text = "/* 😀 ж */ procedure P(var X: slice);\nbegin\n  X = Y\nend;\n";
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "star-machine", version: 1, text },
  });
  const { diagnostics, version } = await published;
  assert.equal(version, 1);
  assert.deepEqual(diagnostics.map(({ code }) => code), ["W0101", "E0201"]);
  assert.deepEqual(diagnostics[1].range, { start: { line: 2, character: 6 }, end: { line: 2, character: 7 } });
  const symbols = await connection.sendRequest("textDocument/documentSymbol", { textDocument: { uri } });
  assert.deepEqual(symbols[0].selectionRange.start, { line: 0, character: 21 });
  const found = await connection.sendRequest("textDocument/completion", {
    textDocument: { uri },
    position: { line: 2, character: 3 },
  });
  assert.ok(found.items.some(({ label }) => label === "MATCH"));
  await assert.rejects(connection.sendRequest("star/unknown", {}), /unknown request/);
  assert.equal(await end(), 0);
});
