// What a person waits for: the files that the command line, as it is installed, reads before its first prompt.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openTerminal } from "../../test/support/terminal/pseudo-terminal.ts";

export interface FirstPrompt {
  /** The modules by their paths, in the order in which they are loaded, also those that are loaded twice. */
  files: string[];
  /** The size of all of them. */
  bytes: number;
}

/** Starts the conversation of an installed `robota`, and counts what has been loaded when its prompt is there. */
export async function readFirstPrompt(node: string, command: string): Promise<FirstPrompt> {
  const home = mkdtempSync(join(tmpdir(), "robota-prompt-"));
  const [list, counter] = [join(home, "loaded"), join(home, "count.mjs")];
  writeFileSync(list, "");
  writeFileSync(
    counter,
    `
      import { appendFileSync } from "node:fs";
      import { registerHooks } from "node:module";
      registerHooks({
        load(url, context, next) {
          if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
          return next(url, context);
        },
      });
    `,
  );
  const { shows, kill, ended } = openTerminal({
    command: [node, command, "--provider", "offline"],
    cwd: home,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: home,
      TERM: "xterm-256color",
      // Kept for the restarted program.
      NODE_OPTIONS: `--import=${pathToFileURL(counter).href}`,
      // Hidden from it, so that it restarts.
      ROBOTA_TOKEN: "any",
    },
    nameFile: join(home, "tty"),
  });
  try {
    await shows("script-1 · ");
    const files = readFileSync(list, "utf8")
      .trim()
      .split("\n")
      .map((url) => fileURLToPath(url));
    return { files, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) };
  } finally {
    kill();
    await ended;
    rmSync(home, { recursive: true, maxRetries: 20, retryDelay: 50 });
  }
}
