import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import type * as unicode11 from "@xterm/addon-unicode11";
import xterm from "@xterm/headless";

export interface PseudoTerminalOptions {
  command: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** A file that this writes, for the name of the terminal. */
  nameFile: string;
  columns?: number | undefined;
  rows?: number | undefined;
}

// Node finds no names in this package, which is a script; its types have no default.
const { Unicode11Addon } = createRequire(import.meta.url)(
  "@xterm/addon-unicode11",
) as typeof unicode11;

/** Longer than anything takes on a busy machine; a test waits for texts, and this only ends one that never comes. */
const GIVE_UP_MS = 90_000;

/**
 * A program in a terminal of its own: `script` of util-linux, which every Debian has, makes the pseudo terminal, and xterm
 * reads what is written to it, as the terminals of browsers and editors do.
 */
export function openTerminal(options: PseudoTerminalOptions) {
  const { command, cwd, env, nameFile, columns = 100, rows = 40 } = options;
  const screen = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 2000,
  });
  // Emoji are two columns wide, as in terminals of this decade.
  screen.loadAddon(new Unicode11Addon());
  screen.unicode.activeVersion = "11";
  const line = `stty cols ${columns} rows ${rows}; tty > ${quoted(nameFile)}; exec ${command.map(quoted).join(" ")}`;
  const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd,
    env: { ...env, SHELL: "/bin/bash" },
  });
  let raw = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    raw += chunk;
    screen.write(chunk);
  });
  // Answers to questions about the terminal.
  screen.onData((data) => child.stdin.write(data));
  child.stdin.on("error", () => undefined);
  // The terminal reads what it gets a moment later: the last words are on the screen, too.
  const ended = once(child, "close").then(async () => {
    await new Promise<void>((resolve) => screen.write("", resolve));
    return child.exitCode;
  });
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));

  const text = (): string => {
    const buffer = screen.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, at) =>
      (buffer.getLine(at)?.translateToString(true) ?? "").trimEnd(),
    );
    return lines.join("\n").trimEnd();
  };
  const waitUntil = async (isDone: () => boolean, what: string): Promise<void> => {
    const limit = performance.now() + GIVE_UP_MS;
    while (!isDone()) {
      if (performance.now() > limit || hasEnded)
        throw new Error(`${what}. On the screen:\n${text()}`);
      await delay(20);
    }
  };
  return {
    /** Everything on the screen and above it. */
    text,
    /** The lines that are visible. */
    visible: (): string => text().split("\n").slice(-screen.rows).join("\n"),
    /** The output, with its control sequences. */
    raw: (): string => raw,
    type: (keys: string): void => void child.stdin.write(keys),
    shows: (wanted: string | RegExp) =>
      waitUntil(
        () => (typeof wanted === "string" ? text().includes(wanted) : wanted.test(text())),
        `${String(wanted)} did not come`,
      ),
    hides: (unwanted: string) =>
      waitUntil(() => !text().includes(unwanted), `${unwanted} did not go`),
    resize: async (width: number, height: number): Promise<void> => {
      const name = (await readFile(nameFile, "utf8")).trim();
      screen.resize(width, height);
      // Tells the program, too.
      await promisify(execFile)("stty", ["-F", name, "cols", `${width}`, "rows", `${height}`]);
    },
    ended,
    kill: (): void => void child.kill("SIGKILL"),
  };
}

export type PseudoTerminal = ReturnType<typeof openTerminal>;

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
