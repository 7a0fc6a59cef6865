// The command `star` and the options of the language server.

import * as fs from "node:fs";
import * as path from "node:path";

/** Settings of the extension that concern the server. */
export interface Settings {
  path: string;
  allowRead: string[];
}

/** The commands that the extension carries out in a terminal instead of the server. */
export const CLIENT_COMMANDS = ["star.run", "star.bench"];

/** Returns the command `star`: the setting, or the first one on the PATH; undefined without any. */
export function findStar(settings: Settings, env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (settings.path !== "") {
    return fs.existsSync(settings.path) ? settings.path : undefined;
  }
  const name = process.platform === "win32" ? "star.exe" : "star";
  const folders = (env.PATH ?? "").split(path.delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** Returns the options that the server reads when it starts. */
export function initializationOptions(settings: Settings): object {
  return { allowRead: settings.allowRead, clientCommands: CLIENT_COMMANDS };
}

/** Returns a command line that a shell of this system reads as these words. */
export function commandLine(words: string[], platform: string = process.platform): string {
  const plain = /^[\w@%+=:,./\\-]+$/;
  const quote = (word: string): string => {
    if (plain.test(word)) {
      return word;
    }
    return platform === "win32" ? `"${word.replace(/"/g, '""')}"` : `'${word.replace(/'/g, `'\\''`)}'`;
  };
  return words.map(quote).join(" ");
}

/** The argument of a lens of the server. */
export interface LensArgument {
  uri: string;
  at?: { routine?: string; title?: string; line?: number };
}

/** Returns the words of the command that a lens stands for. */
export function lensCommand(command: string, star: string, file: string, argument: LensArgument): string[] {
  switch (command) {
    case "star.run":
      return [star, "run", file];
    case "star.bench": {
      const title = argument.at?.title ?? "";
      return title === "" ? [star, "bench", file] : [star, "bench", file, "--filter", title];
    }
    default:
      throw new Error(`unknown command ${command}`);
  }
}
