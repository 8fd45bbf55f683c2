import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { textOf } from "../output-text.ts";

const MISUSED = 2;
const BAD_PROGRAM = 3;
const valued = new Set(["--arg", "--argjson", "--slurpfile", "--rawfile"]);

/** Adds `-j` and `--indent` to the bundle's own, and reports an invalid program by its exit code. */
export const jq: ShellCommand = {
  name: "jq",
  async run(args, context): Promise<ShellCommandResult> {
    const words: string[] = [];
    let [isJoined, indent, hasProgram] = [false, "", false];
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? "";
      if (valued.has(arg)) {
        if (args[at + 2] === undefined) return usage(arg);
        words.push(arg, args[at + 1] ?? "", args[at + 2] ?? "");
        at += 2;
      } else if (arg === "--indent") indent = args[(at += 1)] ?? "2";
      else if (arg === "--join-output" || /^-[a-zA-Z]*j[a-zA-Z]*$/.test(arg)) {
        isJoined = true;
        const rest = arg.startsWith("--") ? "" : arg.slice(1).replace("j", "");
        words.push("-r", ...(rest === "" ? [] : [`-${rest}`]));
      } else if (!arg.startsWith("-") && !hasProgram) {
        hasProgram = true;
        words.push(arg);
      } else words.push(arg);
    }
    const result = await runWith(context, words);
    const text = textOf(result);
    if (isJoined) return { ...result, stdout: text.replaceAll("\n", "") };
    if (indent === "") return result;
    if (indent === "0") return runWith(context, ["-c", ...words]);
    const step = " ".repeat(Number(indent));
    const stdout = text.replace(/^(?: {2})+/gm, (blanks) => step.repeat(blanks.length / 2));
    return { ...result, stdout };
  },
};

function usage(option: string): ShellCommandResult {
  const second = option.startsWith("--arg") ? (option === "--arg" ? "value" : "text") : "filename";
  return {
    stderr: `jq: ${option} takes two parameters (e.g. ${option} varname ${second})\n`,
    exitCode: MISUSED,
  };
}

async function runWith(
  { original }: ShellCommandContext,
  words: readonly string[],
): Promise<Required<ShellCommandResult>> {
  const result = await original(words);
  const isProgram = /^jq: parse error: (?:Unexpected|Expected)/.test(result.stderr);
  return isProgram ? { ...result, exitCode: BAD_PROGRAM } : result;
}
