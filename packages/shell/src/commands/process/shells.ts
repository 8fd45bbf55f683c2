import type { ShellCommand } from "../../command.ts";
import { readTextOperand } from "../arguments.ts";

/** Creates a shell for scripts to start: `-e`, `-u`, `-x` and `-o` are set, `-n` only parses, `-s` reads its input. */
function shellNamed(name: string): ShellCommand {
  return {
    name,
    async run(args, context) {
      const words = [...args];
      const set: string[] = [];
      let [isCommand, isReading, isInput] = [false, false, false];
      while (
        words[0] !== undefined &&
        /^-[a-zA-Z]+$|^--?(?:norc|noprofile|login|posix)$/.test(words[0])
      ) {
        const word = words.shift() ?? "";
        if (word.startsWith("--")) continue;
        for (const letter of word.slice(1)) {
          if (letter === "c") isCommand = true;
          else if (letter === "n") isReading = true;
          else if (letter === "s") isInput = true;
          else if (letter === "o") set.push("-o", words.shift() ?? "");
          else if ("euxvfC".includes(letter)) set.push(`-${letter}`);
        }
      }
      if (set.length === 0 && !isReading && !isInput) return context.original(args);
      const [first = "-", ...rest] = words;
      const script = isCommand
        ? first
        : isInput
          ? context.stdin()
          : await readTextOperand(context, first);
      const head = isReading ? "set -n\n" : set.length > 0 ? `set ${set.join(" ")}\n` : "";
      const names = isCommand ? rest : isInput ? ["bash", ...words] : [first, ...rest];
      return context.original(["-c", head + script, ...names]);
    },
  };
}

export const bash = shellNamed("bash");
export const sh = shellNamed("sh");
