import { decodeText, encodeText } from "@robota/runtime/ports";
import { toByteString } from "../../bytes.ts";
import type { ShellCommand, ShellCommandContext } from "../../command.ts";
import { parseArguments, readOperand, readTextOperand } from "../arguments.ts";
import { forEachOperand, splitLines } from "../byte-lines.ts";

/** Fills in exported variables; with a list as its operand only those that it names. */
export const envsubst: ShellCommand = {
  name: "envsubst",
  run(args, { env, stdin }) {
    const pattern = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;
    const [list] = args;
    const named =
      list === undefined
        ? undefined
        : new Set([...list.matchAll(pattern)].map((match) => match[1] ?? match[2]));
    const stdout = stdin().replace(pattern, (whole, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? "";
      return named && !named.has(name) ? whole : (env[name] ?? "");
    });
    return { stdout };
  },
};

/** Refills paragraphs to `-w` columns (75), with the indent of each line kept. */
export const fmt: ShellCommand = {
  name: "fmt",
  async run(args, context) {
    const { options, operands } = parseArguments(
      args.map((arg) => arg.replace(/^-(\d+)$/, "-w$1")),
      { flags: "csut", valued: "wpg", long: { width: "w" } },
    );
    const width = Number(options.get("w") ?? 75);
    // Lines aim at a little less than the width, as GNU's do.
    const goal = Math.floor((width * 187) / 200);
    const output: string[] = [];
    const failed = await forEachOperand("fmt", operands, async (operand) => {
      let words: string[] = [];
      let indent = "";
      const flush = async (): Promise<void> => {
        const lines = await fill(words, { indent, width, goal, pace: context.pace });
        for (const line of lines) output.push(line);
        words = [];
      };
      for (const line of splitLines(await readTextOperand(context, operand))) {
        const [, start = "", text = ""] = /^([ \t]*)(.*)$/.exec(line) ?? [];
        if (text === "" || (words.length > 0 && start !== indent)) await flush();
        if (text === "") output.push("");
        else {
          indent = start;
          words.push(...text.trim().split(/[ \t]+/));
        }
      }
      await flush();
    });
    return { stdout: output.map((line) => `${line}\n`).join(""), ...failed };
  },
};

/** The breaks with the least raggedness around the goal; the last line may be short. */
async function fill(
  words: readonly string[],
  {
    indent,
    width,
    goal,
    pace,
  }: { indent: string; width: number; goal: number; pace: ShellCommandContext["pace"] },
): Promise<string[]> {
  const best: { cost: number; next: number }[] = [];
  best[words.length] = { cost: 0, next: words.length };
  for (let from = words.length - 1; from >= 0; from--) {
    const turn = pace();
    if (turn) await turn;
    let length = indent.length - 1;
    let found = { cost: Number.POSITIVE_INFINITY, next: from + 1 };
    for (let to = from; to < words.length; to++) {
      length += (words[to] ?? "").length + 1;
      if (length > width && to > from) break;
      const isLast = to === words.length - 1;
      const cost = (isLast ? 0 : (goal - length) ** 2) + (best[to + 1]?.cost ?? 0);
      if (cost < found.cost) found = { cost, next: to + 1 };
    }
    best[from] = found;
  }
  const lines: string[] = [];
  for (let from = 0; from < words.length; from = best[from]?.next ?? words.length) {
    lines.push(indent + words.slice(from, best[from]?.next).join(" "));
  }
  return lines;
}

/** Lines of a sorted file that begin with a text. */
export const look: ShellCommand = {
  name: "look",
  async run(args, context) {
    const { options, operands } = parseArguments(args, { flags: "adf", valued: "t" });
    const [text, path] = operands;
    if (text === undefined || path === undefined)
      throw new Error("there is no dictionary here: name a file");
    const key = (line: string): string => (options.has("f") ? line.toLowerCase() : line);
    const lines = splitLines(await readTextOperand(context, path));
    // A binary search ends where the order does, and so does this one.
    const first = lines.findIndex((line) => key(line).startsWith(key(text)));
    const rest = first === -1 ? [] : lines.slice(first);
    const end = rest.findIndex((line) => !key(line).startsWith(key(text)));
    const found = end === -1 ? rest : rest.slice(0, end);
    return {
      stdout: found.map((line) => `${line}\n`).join(""),
      exitCode: found.length > 0 ? 0 : 1,
    };
  },
};

const latin1 = new Set(["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1"]);
const ascii = new Set(["ascii", "us-ascii", "ansi_x3.4-1968"]);

/** From anything that the host decodes to UTF-8, UTF-16, Latin-1 or ASCII; `//IGNORE` and `//TRANSLIT` for what does not fit. */
export const iconv: ShellCommand = {
  name: "iconv",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "cs",
      valued: "fto",
      long: { "from-code": "f", "to-code": "t", output: "o" },
    });
    const [to = "utf-8", how = ""] = (options.get("t") ?? "utf-8").toLowerCase().split("//");
    const from = (options.get("f") ?? "utf-8").toLowerCase().split("//")[0] ?? "utf-8";
    const bytes = await readOperand(context, operands[0] ?? "-");
    const text = latin1.has(from)
      ? toByteString(bytes)
      : new TextDecoder(ascii.has(from) ? "utf-8" : from, { ignoreBOM: true }).decode(bytes);
    const isLenient = options.has("c") || how.includes("ignore");
    const { output, stopped } = await encodeAs(
      context.pace,
      text,
      to,
      isLenient,
      how.includes("translit"),
    );
    const stderr =
      stopped === undefined ? "" : `iconv: illegal input sequence at position ${stopped}\n`;
    const target = options.get("o");
    const exitCode = stderr === "" ? 0 : 1;
    if (target === undefined) return { stdout: output, stderr, exitCode };
    await context.fs.writeFile(context.resolve(target), output);
    return { stderr, exitCode };
  },
};

async function encodeAs(
  pace: ShellCommandContext["pace"],
  text: string,
  to: string,
  isLenient: boolean,
  isTranslated: boolean,
): Promise<{ output: Uint8Array; stopped?: number }> {
  if (to === "utf-8" || to === "utf8") return { output: encodeText(text) };
  if (/^utf-?16(?:le|be)?$/.test(to)) {
    const bytes = new Uint8Array(text.length * 2);
    const view = new DataView(bytes.buffer);
    for (let at = 0; at < text.length; at++)
      view.setUint16(at * 2, text.charCodeAt(at), !to.endsWith("be"));
    return { output: to.endsWith("e") ? bytes : Uint8Array.from([255, 254, ...bytes]) };
  }
  if (!latin1.has(to) && !ascii.has(to))
    throw new Error(`conversion to \`${to}' is not supported here`);
  const most = latin1.has(to) ? 255 : 127;
  const bytes: number[] = [];
  let position = 0;
  for (const character of text) {
    const turn = pace(0.1);
    if (turn) await turn;
    const code = character.codePointAt(0) ?? 0;
    const base =
      isTranslated && code > most
        ? character.normalize("NFKD").replace(/[^\0-\x7f]/g, "") || "?"
        : "";
    if (code <= most) bytes.push(code);
    else if (isTranslated) bytes.push(...encodeText(base));
    else if (!isLenient) return { output: Uint8Array.from(bytes), stopped: position };
    position += encodeText(character).length;
  }
  return { output: Uint8Array.from(bytes) };
}

/** Prints whole files: there is nobody to page through them. */
function pagerNamed(name: string): ShellCommand {
  return {
    name,
    async run(args, context) {
      const operands = args.filter((arg) => arg === "-" || !/^[-+]/.test(arg));
      let stdout = "";
      const failed = await forEachOperand(name, operands, async (operand) => {
        if (name === "more" && operand !== "-")
          stdout += `::::::::::::::\n${operand}\n::::::::::::::\n`;
        stdout += decodeText(await readOperand(context, operand));
      });
      return { stdout, ...failed };
    },
  };
}

export const less = pagerNamed("less");
export const more = pagerNamed("more");
