// An editor without windows: the part of the interface `vscode` that the extension and its client
// need to work with a real server. It has one document and collects what is registered and shown.

import fs from "node:fs";
import Module from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = Module.createRequire(import.meta.url);

/** Waits until `found` returns something; `what` is named if it does not. */
export async function until(what, found, milliseconds = 30_000) {
  for (const end = Date.now() + milliseconds; Date.now() < end; ) {
    const result = await found();
    if (result) {
      return result;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`timed out: ${what}`);
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(...ends) {
    const [a, b, c, d] = ends;
    const [start, end] = ends.length === 4 ? [new Position(a, b), new Position(c, d)] : [a, b];
    Object.assign(this, { start, end });
  }
}

class Uri {
  constructor(text) {
    const { protocol, pathname } = new URL(text);
    Object.assign(this, { text, scheme: protocol.slice(0, -1), path: decodeURIComponent(pathname) });
  }
  static parse = (text) => new Uri(text);
  static file = (path) => new Uri(pathToFileURL(path).href);
  get fsPath() {
    return fileURLToPath(this.text);
  }
  toString() {
    return this.text;
  }
}

class EventEmitter {
  listeners = [];
  event = (listener, self, disposables) => {
    this.listeners.push(self === undefined ? listener : listener.bind(self));
    const disposable = { dispose: () => (this.listeners = this.listeners.filter((one) => one !== listener)) };
    disposables?.push(disposable);
    return disposable;
  };
  fire(event) {
    this.listeners.forEach((listener) => listener(event));
  }
  dispose() {}
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  cancel() {
    this.token.isCancellationRequested = true;
  }
  dispose() {}
}

class Disposable {
  static from = (...all) => ({ dispose: () => all.forEach((one) => one.dispose()) });
  constructor(dispose) {
    this.dispose = dispose;
  }
}

class WorkspaceEdit {
  edits = [];
  set(uri, edits) {
    this.edits.push(...edits.map((edit) => ({ uri, edit })));
  }
  replace(uri, range, newText) {
    this.set(uri, [{ range, newText }]);
  }
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  static Empty = new CodeActionKind("");
  append(part) {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

/** A class of values with these fields, in the order of its constructor. */
function values(...fields) {
  return class {
    static create(...given) {
      return new this(...given);
    }
    constructor(...given) {
      given.forEach((value, idx) => (this[fields[idx] ?? `field${idx}`] = value));
    }
  };
}

/** What an editor defines and this one does not need: a class whose members are their own names. */
function unknown(name) {
  return new Proxy(values(), {
    get: (target, member) => Reflect.get(target, member) ?? (typeof member === "string" ? `${name}.${member}` : undefined),
  });
}

/** An object whose absent events never happen, and whose other absent members are `other`. */
function quiet(object, other) {
  const event = () => ({ dispose() {} });
  return new Proxy(object, {
    get: (target, name) => target[name] ?? (/^on(Did|Will)/.test(String(name)) ? event : other?.(String(name))),
  });
}

class Document {
  version = 1;
  isDirty = false;
  isClosed = false;
  languageId = "star-machine";
  constructor(uri, text) {
    Object.assign(this, { uri, text, fileName: uri.fsPath });
  }
  getText() {
    return this.text;
  }
  async save() {
    this.isDirty = false;
    return true;
  }
  offsetAt({ line, character }) {
    const lines = this.text.split("\n").slice(0, line);
    return lines.reduce((sum, one) => sum + one.length + 1, 0) + character;
  }
  positionAt(offset) {
    const before = this.text.slice(0, offset).split("\n");
    return new Position(before.length - 1, before.at(-1).length);
  }
  /** The range of the first occurrence of a piece of the text. */
  rangeOf(piece) {
    const at = this.text.indexOf(piece);
    return new Range(this.positionAt(at), this.positionAt(at + piece.length));
  }
}

/** An editor for one folder. */
export class Editor {
  providers = new Map();
  commands = new Map();
  collections = [];
  messages = [];
  errors = [];
  documents = [];
  changed = new EventEmitter();
  opened = new EventEmitter();
  tabs = new EventEmitter();
  token = new CancellationTokenSource().token;

  constructor(folder, settings) {
    const registered = (name) => {
      const kind = /^register(.*)Provider$/.exec(name)?.[1];
      return kind && ((...given) => (this.providers.set(kind, given.find(isProvider)), new Disposable(() => {})));
    };
    const isProvider = (one) => Object.values(one).some((member) => typeof member === "function");
    const shown = (list) => async (text) => void list.push(text);
    const log = { append: shown(this.messages), appendLine: shown(this.messages), show() {}, dispose() {} };
    const editor = this;
    const workspace = {
      textDocuments: this.documents,
      notebookDocuments: [],
      workspaceFolders: [{ uri: Uri.file(folder), name: "test", index: 0 }],
      onDidOpenTextDocument: this.opened.event,
      onDidChangeTextDocument: this.changed.event,
      getConfiguration: (section) => ({ get: (name, other) => (section === "star" ? settings[name] : undefined) ?? other }),
      createFileSystemWatcher: () => quiet({ dispose() {} }),
      openTextDocument: async (uri) => this.documents.find((one) => one.uri.toString() === uri.toString()),
      applyEdit: async (edit) => (this.apply(edit), true),
    };
    const window = {
      state: { focused: true },
      terminals: [],
      visibleTextEditors: [],
      tabGroups: quiet({ all: [], onDidChangeTabs: this.tabs.event }),
      createStatusBarItem: () => ({ show() {}, dispose() {} }),
      createOutputChannel: () => quiet(log, () => () => {}),
      showInformationMessage: shown(this.messages),
      showWarningMessage: shown(this.errors),
      showErrorMessage: shown(this.errors),
      get activeTextEditor() {
        return editor.documents[0] && { document: editor.documents[0] };
      },
    };
    const known = {
      Position, Range, Uri, EventEmitter, CancellationTokenSource, Disposable, WorkspaceEdit, CodeActionKind,
      CancellationError: class extends Error {},
      Diagnostic: values("range", "message", "severity"),
      CodeAction: values("title", "kind"),
      CodeLens: values("range", "command"),
      InlayHint: values("position", "label", "kind"),
      InlayHintLabelPart: values("value"),
      TabInputText: values("uri"),
      TextEdit: values("range", "newText"),
      DiagnosticTag: { Unnecessary: 1, Deprecated: 2 },
      version: "1.91.0",
      env: { language: "en", appName: "test" },
      extensions: quiet({}),
      commands: {
        registerCommand: (name, run) => (this.commands.set(name, run), new Disposable(() => {})),
        executeCommand: (name, ...given) => this.commands.get(name)?.(...given),
      },
      languages: quiet({ match: () => 10, createDiagnosticCollection: () => this.collection() }, registered),
      workspace: quiet(workspace),
      window: quiet(window),
    };
    for (const kind of ["QuickFix", "Refactor", "RefactorExtract", "RefactorInline", "RefactorRewrite", "Source"]) {
      CodeActionKind[kind] = new CodeActionKind(kind);
    }
    const declarations = fs.readFileSync(require.resolve("@types/vscode/index.d.ts"), "utf8");
    for (const [, name] of declarations.matchAll(/^\texport (?:class|enum) (\w+)/gm)) {
      known[name] ??= unknown(name);
    }
    this.vscode = known;
  }

  /** Loads a bundle of the extension and activates it. */
  async activate(bundle) {
    const original = Module._load;
    Module._load = (request, ...rest) => (request === "vscode" ? this.vscode : original(request, ...rest));
    try {
      this.extension = require(bundle);
    } finally {
      Module._load = original;
    }
    await this.extension.activate({ subscriptions: [] });
  }

  collection() {
    const shown = new Map();
    this.collections.push(shown);
    return {
      set: (uri, found) => shown.set(uri.toString(), found ?? []),
      delete: (uri) => shown.delete(uri.toString()),
      clear: () => shown.clear(),
      dispose() {},
    };
  }

  open(path, text) {
    const document = new Document(Uri.file(path), text);
    this.documents.push(document);
    const tab = { input: new this.vscode.TabInputText(document.uri) };
    this.vscode.window.tabGroups.all.push({ tabs: [tab] });
    this.opened.fire(document);
    this.tabs.fire({ opened: [tab], closed: [] });
    return document;
  }

  /** Applies the edits of a document, the last one first. */
  apply({ edits }) {
    const [document] = this.documents;
    const offset = ({ edit }) => document.offsetAt(edit.range.start);
    for (const { edit } of [...edits].sort((one, other) => offset(other) - offset(one))) {
      this.edit(document, edit.range, edit.newText);
    }
  }

  /** Replaces a part of a document. */
  edit(document, range, text) {
    const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
    document.text = document.text.slice(0, start) + text + document.text.slice(end);
    document.version += 1;
    document.isDirty = true;
    const change = { range, rangeOffset: start, rangeLength: end - start, text };
    this.changed.fire({ document, contentChanges: [change] });
  }

  /** The diagnostics shown for a document. */
  diagnostics(document) {
    return this.collections.flatMap((shown) => shown.get(document.uri.toString()) ?? []);
  }
}
