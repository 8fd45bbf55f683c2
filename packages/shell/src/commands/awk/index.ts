import { errorMessage } from "@robota/runtime/ports";
import { isBrokenPipe, type ShellCommand } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";
import { unescaped } from "./lexer.ts";
import { runProgram } from "./program.ts";

const TROUBLE = 2;

/**
 * POSIX awk with the common GNU extensions: `gensub`, `match` with groups, `strftime`, regular expressions as
 * separators.
 */
export const awk: ShellCommand = {
  name: "awk",
  async run(args, context) {
    const words = [...args];
    const programs: string[] = [];
    const assignments: [string, string][] = [];
    const set = (text: string): void => {
      const at = text.indexOf("=");
      if (at < 1) throw new Error(`not an assignment: ${text}`);
      assignments.push([text.slice(0, at), unescaped(text.slice(at + 1))]);
    };
    try {
      while (words[0] !== undefined && /^-./.test(words[0]) && words[0] !== "--") {
        const word = words.shift() ?? "";
        const long = /^--(field-separator|assign|file)(?:=([^]*))?$/.exec(word);
        const letter = long ? { f: "F", a: "v" }[long[1]?.slice(0, 1) ?? ""] : word.charAt(1);
        const value = (): string =>
          long ? (long[2] ?? words.shift() ?? "") : word.slice(2) || (words.shift() ?? "");
        if (long?.[1] === "file" || letter === "f")
          programs.push(await readTextOperand(context, value()));
        else if (letter === "v") set(value());
        else if (letter === "F") {
          const separator = word === "-F" && words[0] === "" ? (words.shift() ?? "") : value();
          set(`FS=${separator === "t" ? "\\t" : separator}`);
        } else if (word !== "--posix" && word !== "--traditional") {
          return { stderr: `awk: not an option: ${word}\n`, exitCode: TROUBLE };
        }
      }
      if (words[0] === "--") words.shift();
      const program = programs.length > 0 ? programs.join("\n") : words.shift();
      if (program === undefined) {
        return {
          stderr: "usage: awk [-F fs] [-v var=value] 'program' [file ...]\n",
          exitCode: TROUBLE,
        };
      }
      return await runProgram(program, { assignments, operands: words, context });
    } catch (error) {
      if (isBrokenPipe(error) || context.signal.aborted) throw error;
      return { stderr: `awk: ${errorMessage(error)}\n`, exitCode: TROUBLE };
    }
  },
};
