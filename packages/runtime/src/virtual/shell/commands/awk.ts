import type { ShellCommand } from "../command.ts";
import { textOf } from "./additions.ts";
import { readTextOperand } from "./arguments.ts";

const TROUBLE = 2;
const separators = new Set(["FS", "OFS", "ORS", "RS", "SUBSEP", "OFMT", "CONVFMT"]);

/**
 * Adds to the interpreter's own: programs from files (`-f`), separators set by `-v` and between the files, separators
 * that are signs of regular expressions, `length` without parentheses, and elements that come to be by being named.
 */
export const awk: ShellCommand = {
  name: "awk",
  async run(args, context) {
    const words = [...args];
    const programs: string[] = [];
    const own: string[] = [];
    let head = "";
    const set = (assignment: string): void => {
      const [name = "", ...value] = assignment.split("=");
      if (separators.has(name))
        head += `BEGIN{${name}="${value.join("=").replaceAll('"', '\\"')}"}`;
      else own.push("-v", assignment);
    };
    while (words[0] !== undefined && /^-./.test(words[0]) && words[0] !== "--") {
      const word = words.shift() ?? "";
      const value = (): string => (word.length > 2 ? word.slice(2) : (words.shift() ?? ""));
      if (word.startsWith("-f")) programs.push(await readTextOperand(context, value()));
      else if (word.startsWith("-v")) set(value());
      else if (word.startsWith("-F")) {
        const separator = value();
        own.push(
          "-F",
          /^[|.*+?^$()[\]{}]$/.test(separator)
            ? `[${separator === "^" || separator === "]" ? "\\" : ""}${separator}]`
            : separator === "t"
              ? "\\t"
              : separator,
        );
      } else return { stderr: `awk: not an option: ${word}\n`, exitCode: TROUBLE };
    }
    if (words[0] === "--") words.shift();
    const program = programs.length > 0 ? programs.join("\n") : words.shift();
    if (program === undefined) return { stderr: "awk: missing program\n", exitCode: TROUBLE };
    const files = words.filter((word) => {
      if (!/^[A-Za-z_]\w*=/.test(word)) return true;
      set(word);
      return false;
    });
    const piped = pipedOutput(repaired(program));
    const result = await context.original([...own, head + piped.program, ...files]);
    for (const { command, file } of piped.pipes) {
      const input = await readTextOperand(context, file).catch(() => undefined);
      await context.fs.remove(file, { force: true });
      if (input === undefined) continue;
      const { stdout, stderr } = await context.run("bash", ["-c", command], input);
      result.stdout = textOf(result) + textOf({ stdout });
      result.stderr += stderr;
    }
    // A mistake in the program or a file that is not there is trouble; 1 is what a program may exit with.
    const isTrouble = result.exitCode === 1 && result.stderr.startsWith("awk: ");
    return isTrouble ? { ...result, exitCode: TROUBLE } : result;
  },
};

/** `print | "sort"`: what is printed so goes to a file first, and to the command at the end of the program. */
function pipedOutput(program: string): {
  program: string;
  pipes: { command: string; file: string }[];
} {
  const pipes: { command: string; file: string }[] = [];
  const changed = program.replace(
    /(?<=\bprintf?\b[^;{}\n|]*)\|\s*"((?:\\.|[^"\\])*)"/g,
    (_whole, text: string) => {
      const command = text.replace(/\\(.)/g, "$1");
      let pipe = pipes.find((known) => known.command === command);
      if (!pipe) pipes.push((pipe = { command, file: `/tmp/awk-${crypto.randomUUID()}` }));
      return `> "${pipe.file}"`;
    },
  );
  return { program: changed, pipes };
}

function repaired(program: string): string {
  return program.replace(
    /"(?:\\.|[^"\\])*"|(?<=[(,~{;!&|]\s*|^\s*)\/(?:\\.|[^/\\\n])+\/|#.*|\blength\b(?!\s*\()|(?<=[{;]\s*)([A-Za-z_]\w*\[[^\]]*\])(?=\s*[;}])/g,
    (whole, element?: string) => {
      if (element !== undefined) return `${element}=${element}`;
      return whole === "length" ? "length($0)" : whole;
    },
  );
}
