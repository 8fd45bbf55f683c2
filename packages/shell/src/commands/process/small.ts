import { encodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";

/** In place of an endless text where nobody can end it by not reading on. */
const YES_LINES = 10_000;
const YES_PART = 8_192;

export const yes: ShellCommand = {
  name: "yes",
  async run(args, { print, pace, signal }) {
    const line = `${args.length > 0 ? args.join(" ") : "y"}\n`;
    if (!print) return { stdout: line.repeat(YES_LINES) };
    const part = encodeText(line.repeat(Math.ceil(YES_PART / line.length)));
    while (!signal.aborted) {
      await print(part);
      await pace(YES_PART);
    }
    return {};
  },
};

export const nproc: ShellCommand = { name: "nproc", run: () => ({ stdout: "1\n" }) };

const system: Record<string, string> = {
  s: "Linux",
  n: "localhost",
  r: "6.0.0-virtual",
  v: "#1",
  m: "x86_64",
  o: "GNU/Linux",
};

export const uname: ShellCommand = {
  name: "uname",
  run(args) {
    const { options } = parseArguments(args, {
      flags: "asnrvmpio",
      long: {
        all: "a",
        "kernel-name": "s",
        nodename: "n",
        "kernel-release": "r",
        machine: "m",
        "operating-system": "o",
      },
    });
    const wanted = Object.keys(system).filter((name) => options.has("a") || options.has(name));
    if (options.has("p") || options.has("i")) wanted.push("m");
    const names = wanted.length > 0 ? wanted : ["s"];
    return { stdout: `${names.map((name) => system[name]).join(" ")}\n` };
  },
};

const MAX_NUMBERS = 5_000_000;

export const shuf: ShellCommand = {
  name: "shuf",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "e",
      valued: "ni",
      long: { "head-count": "n", "input-range": "i", echo: "e" },
    });
    let lines: string[];
    const range = /^(\d+)-(\d+)$/.exec(options.get("i") ?? "");
    if (range) {
      const [low, high] = [Number(range[1]), Number(range[2])];
      if (high - low >= MAX_NUMBERS) throw new Error(`more than ${MAX_NUMBERS} numbers`);
      lines = [];
      for (let value = low; value <= high; value++) {
        const turn = context.pace(0.1);
        if (turn) await turn;
        lines.push(String(value));
      }
    } else if (options.has("e")) {
      lines = [...operands];
    } else {
      const text = await readTextOperand(context, operands[0] ?? "-");
      lines = text.split("\n");
      if (lines.at(-1) === "") lines.pop();
    }
    for (let last = lines.length - 1; last > 0; last--) {
      const turn = context.pace(0.1);
      if (turn) await turn;
      const other = Math.floor(Math.random() * (last + 1));
      [lines[last], lines[other]] = [lines[other] ?? "", lines[last] ?? ""];
    }
    const kept = lines.slice(0, Number(options.get("n") ?? lines.length));
    return { stdout: kept.length === 0 ? "" : `${kept.join("\n")}\n` };
  },
};

const separators: Record<string, string> = { n: "\n", t: "\t", "\\": "\\" };

/** Only adds to the interpreter's own: no file means standard input, and `-d '\n'` is the end of a line. */
export const paste: ShellCommand = {
  name: "paste",
  run(args, { original }) {
    const { options, operands } = parseArguments(args, {
      flags: "sz",
      valued: "d",
      long: { serial: "s", delimiters: "d" },
    });
    const words = operands.length > 0 ? [...operands] : ["-"];
    for (const flag of ["s", "z"]) if (options.has(flag)) words.unshift(`-${flag}`);
    const list = options
      .get("d")
      ?.replace(/\\(.)/g, (_pair, letter) => separators[letter] ?? letter);
    return original(list === undefined ? words : ["-d", list, ...words]);
  },
};

/** Only says of hard links that there are none. */
export const ln: ShellCommand = {
  name: "ln",
  run(args, { original }) {
    if (args.some((arg) => /^-[a-zA-Z]*s|^--(?:symbolic|help)$/.test(arg))) return original(args);
    const name = args.findLast((arg) => !arg.startsWith("-"));
    if (name === undefined) return original(args);
    const stderr = `ln: failed to create hard link '${name}': there are no hard links here, use ln -s\n`;
    return { stderr, exitCode: 1 };
  },
};

export const mktemp: ShellCommand = {
  name: "mktemp",
  async run(args, { fs, env, resolve }) {
    const { options, operands } = parseArguments(args, {
      flags: "dqut",
      valued: "p",
      long: { directory: "d", tmpdir: "p", "dry-run": "u", quiet: "q", suffix: "suffix" },
    });
    const template = operands[0] ?? "tmp.XXXXXXXXXX";
    const [, head, marks, tail] = /^(.*?)(X{3,})([^X]*)$/.exec(template) ?? [];
    if (marks === undefined) throw new Error(`too few X's in template '${template}'`);
    const random = Array.from(crypto.getRandomValues(new Uint8Array(marks.length)), (byte) =>
      (byte % 36).toString(36),
    ).join("");
    const name = `${head}${random}${tail}${options.get("suffix") ?? ""}`;
    const isInTemporary = operands.length === 0 || options.has("p") || options.has("t");
    const directory = options.get("p") || env["TMPDIR"] || "/tmp";
    const path = isInTemporary ? `${directory}/${name}` : name;
    if (!options.has("u")) {
      if (options.has("d")) await fs.mkdir(resolve(path));
      else await fs.writeFile(resolve(path), "");
      await fs.chmod(resolve(path), options.has("d") ? 0o700 : 0o600);
    }
    return { stdout: `${path}\n` };
  },
};
