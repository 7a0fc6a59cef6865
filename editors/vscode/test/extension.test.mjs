// The extension against a mock of the editor.

import assert from "node:assert/strict";
import fs from "node:fs";
import Module from "node:module";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const require = Module.createRequire(import.meta.url);

/** Bundles a source of the extension, without the editor and its client, and loads it. */
async function load(name, mocks) {
  const outfile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "star-vscode-")), "bundle.cjs");
  await esbuild.build({
    entryPoints: [path.join(root, "src", name)],
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["vscode", "vscode-languageclient/node"],
    outfile,
  });
  const original = Module._load;
  Module._load = (request, ...rest) => mocks[request] ?? original(request, ...rest);
  try {
    return require(outfile);
  } finally {
    Module._load = original;
  }
}

/** Creates an editor that records what the extension does. */
function editor(settings) {
  const log = { commands: new Map(), sent: [], errors: [], status: {}, clients: [], requests: [] };
  const document = { isDirty: true, saved: false, uri: { fsPath: "/w/a b.star", toString: () => "file:///w/a%20b.star" } };
  document.save = async () => (document.saved = true);
  const vscode = {
    StatusBarAlignment: { Left: 1 },
    Uri: { parse: (text) => ({ fsPath: decodeURIComponent(text.slice(7)), toString: () => text }) },
    window: {
      terminals: [],
      activeTextEditor: { document },
      createStatusBarItem: () => Object.assign(log.status, { show: () => (log.shown = true), dispose() {} }),
      createTerminal: (name) => {
        const terminal = { name, show() {}, sendText: (text) => log.sent.push(text) };
        vscode.window.terminals.push(terminal);
        return terminal;
      },
      showErrorMessage: async (text) => void log.errors.push(text),
    },
    workspace: {
      getConfiguration: () => ({ get: (name, other) => settings[name] ?? other }),
      createFileSystemWatcher: () => ({}),
      onDidChangeConfiguration: () => ({ dispose() {} }),
      openTextDocument: async () => document,
    },
    commands: {
      registerCommand: (name, run) => (log.commands.set(name, run), { dispose() {} }),
      executeCommand: async () => {},
    },
  };
  class LanguageClient {
    constructor(_id, _name, server, options) {
      Object.assign(this, { server, options });
      log.clients.push(this);
    }
    onDidChangeState(listener) {
      this.listener = listener;
    }
    async start() {
      this.listener({ newState: 2 });
    }
    async stop() {
      this.stopped = true;
    }
    async sendRequest(...request) {
      log.requests.push(request);
    }
  }
  const client = { LanguageClient, State: { Stopped: 1, Running: 2, Starting: 3 } };
  return { log, document, mocks: { vscode, "vscode-languageclient/node": client } };
}

const star = process.execPath; // a file that exists

test("the server is started and its state is shown", async () => {
  const { log, mocks } = editor({ path: star, allowRead: ["/data"] });
  const extension = await load("extension.ts", mocks);
  const context = { subscriptions: [] };
  await extension.activate(context);
  const [client] = log.clients;
  assert.equal(client.server.command, star);
  assert.deepEqual(client.server.args, ["lsp"]);
  assert.deepEqual(client.options.initializationOptions.allowRead, ["/data"]);
  assert.ok(log.shown && log.status.text.includes("Star"), log.status.text);
  await log.commands.get("star.restart")();
  assert.ok(client.stopped && log.clients.length === 2);
});

test("programs run in a terminal after they were saved", async () => {
  const { log, document, mocks } = editor({ path: star });
  const extension = await load("extension.ts", mocks);
  await extension.activate({ subscriptions: [] });
  await log.commands.get("star.run")({ uri: "file:///w/a%20b.star", at: { routine: "P" } });
  assert.ok(document.saved);
  assert.equal(log.sent[0], `${star} run '/w/a b.star'`);
  await log.commands.get("star.repl")();
  assert.equal(log.sent[1], `${star} repl`);
  await log.commands.get("star.testFile")();
  assert.equal(log.requests[0][1].command, "star.test");
  const declared = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")).contributes.commands;
  for (const { command } of declared) {
    assert.ok(log.commands.has(command), command);
  }
});

test("a missing command is reported once, with a way out", async () => {
  const { log, mocks } = editor({ path: "/nowhere/star" });
  const extension = await load("extension.ts", mocks);
  await extension.activate({ subscriptions: [] });
  assert.equal(log.errors.length, 1);
  assert.equal(log.clients.length, 0);
});

test("command lines are quoted for the shell", async () => {
  const { commandLine, findStar, lensCommand } = await load("server.ts", {});
  assert.equal(commandLine(["star", "run", "it's.star"], "linux"), "star run 'it'\\''s.star'");
  assert.equal(commandLine(["a b", "c"], "win32"), '"a b" c');
  assert.equal(findStar({ path: "", allowRead: [] }, { PATH: "" }), undefined);
  const words = lensCommand("star.bench", "star", "a.star", { uri: "", at: { title: "t" } });
  assert.deepEqual(words, ["star", "bench", "a.star", "--filter", "t"]);
});
