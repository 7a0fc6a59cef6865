// The extension: starts `star lsp`, runs programs in a terminal, shows the state in the status bar.

import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { commandLine, findStar, initializationOptions, lensCommand, type LensArgument, type Settings } from "./server";

const LANGUAGE = "star-machine";

let client: LanguageClient | undefined;
let status: vscode.StatusBarItem | undefined;

function settings(): Settings {
  const found = vscode.workspace.getConfiguration("star");
  return { path: found.get("path", ""), allowRead: found.get("allowRead", []) };
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  status.command = "star.restart";
  context.subscriptions.push(status);
  const register = (name: string, run: (...words: never[]) => unknown): void => {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  };
  register("star.runFile", () => inTerminal("star.run"));
  register("star.benchFile", () => inTerminal("star.bench"));
  register("star.run", (argument: LensArgument) => inTerminal("star.run", argument));
  register("star.bench", (argument: LensArgument) => inTerminal("star.bench", argument));
  register("star.testFile", () => onServer("star.test"));
  register("star.planFile", () => onServer("star.plan"));
  register("star.repl", () => terminal(["repl"]));
  register("star.restart", restart);
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("star.path")) {
        void restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

async function start(): Promise<void> {
  const star = findStar(settings());
  if (star === undefined) {
    show("$(error) Star", "The command `star` was not found. Install it, or set `star.path`.");
    const open = "Open Settings";
    const message = "The command `star` was not found. Install it, or set its path.";
    void vscode.window.showErrorMessage(message, open).then((chosen) => {
      if (chosen === open) {
        void vscode.commands.executeCommand("workbench.action.openSettings", "star.path");
      }
    });
    return;
  }
  const server: ServerOptions = { command: star, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: LANGUAGE, scheme: "file" }, { language: LANGUAGE, scheme: "untitled" }],
    initializationOptions: initializationOptions(settings()),
    synchronize: {
      configurationSection: "star",
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.star"),
    },
  };
  client = new LanguageClient("star", "Star", server, options);
  client.onDidChangeState(({ newState }) => {
    switch (newState) {
      case State.Running:
        show("$(check) Star", `${star} lsp is running. Select to restart it.`);
        break;
      case State.Starting:
        show("$(sync~spin) Star", "The language server is starting.");
        break;
      default:
        show("$(circle-slash) Star", "The language server has stopped. Select to restart it.");
    }
  });
  await client.start();
}

function show(text: string, tooltip: string): void {
  if (status !== undefined) {
    status.text = text;
    status.tooltip = tooltip;
    status.show();
  }
}

/** Returns the file of a lens or of the active editor, saved. */
async function file(argument?: LensArgument): Promise<string | undefined> {
  const uri = argument !== undefined ? vscode.Uri.parse(argument.uri) : vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) {
    return undefined;
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.isDirty) {
    await document.save();
  }
  return document.uri.fsPath;
}

async function inTerminal(command: string, argument?: LensArgument): Promise<void> {
  const star = findStar(settings());
  const path = await file(argument);
  if (star === undefined || path === undefined) {
    return;
  }
  const [, ...words] = lensCommand(command, star, path, argument ?? { uri: "" });
  terminal(words);
}

function terminal(words: string[]): void {
  const star = findStar(settings());
  if (star === undefined) {
    return;
  }
  const name = "Star";
  const found = vscode.window.terminals.find((one) => one.name === name) ?? vscode.window.createTerminal(name);
  found.show(true);
  found.sendText(commandLine([star, ...words]));
}

async function onServer(command: string): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  if (client !== undefined && uri !== undefined) {
    await client.sendRequest("workspace/executeCommand", { command, arguments: [{ uri }] });
  }
}
