import { launchesOf } from "./shell-wrappers.ts";
import { RESERVED_WORDS } from "./shell-words.ts";

/** What a text may run, read generously: it serves refusals only, and never proves anything. */
export interface PossibleCommands {
  commands: (readonly string[])[];
  /** False when the text is too entangled to be read to its end. */
  isComplete: boolean;
}

/** Units of work (characters and words) that a short text may take. Long texts get more. */
const WORK = 500_000;

/**
 * Every command a line may run, together with what those start: behind assignments and wrappers such as `env` or
 * `sudo`, in substitutions also within double quotes, in texts given to `sh -c` or `eval`, and under its plain name
 * when called by a path. What variables, aliases, globs or scripts stand for is not known here.
 */
export function possibleCommands(command: string): PossibleCommands {
  const commands: (readonly string[])[] = [];
  const texts = [command];
  // A quote in a comment or a here-document pairs with nothing, so there each line is also read by itself.
  if (/#|<</.test(command) && command.includes("\n")) texts.push(...command.split("\n"));
  let work = WORK + 8 * command.length;

  for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
    work -= text.length;
    if (work < 0) return { commands, isComplete: false };
    const { commands: found, nested } = readText(text);
    texts.push(...nested);
    const pending: (readonly string[])[] = found;
    for (let words = pending.pop(); words !== undefined; words = pending.pop()) {
      if (words.length === 0) continue;
      commands.push(words);
      if (RESERVED_WORDS.has(words[0] ?? "")) pending.push(words.slice(1));
      work -= words.length;
      for (const launch of launchesOf(words)) {
        work -= "text" in launch ? launch.text.length : launch.words.length;
        if (work < 0) return { commands, isComplete: false };
        if ("text" in launch) texts.push(launch.text);
        else pending.push(launch.words);
      }
    }
  }
  return { commands, isComplete: true };
}

/** The commands of a text, and the texts of the substitutions in it. */
function readText(text: string): { commands: string[][]; nested: string[] } {
  const commands: string[][] = [];
  const nested: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isRedirected = false;
  const endWord = (): void => {
    if (word === undefined) return;
    // The target of a redirection is no word of the command.
    if (!isRedirected) words.push(word);
    isRedirected = false;
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    isRedirected = false;
    if (words.length > 0) commands.push(words);
    words = [];
  };

  let index = 0;
  while (index < text.length) {
    const char = text[index] as string;
    if (char === "\\") {
      const next = text[index + 1] ?? "";
      if (next !== "\n") word = (word ?? "") + next;
      index += 2;
    } else if (char === "$" && /["']/.test(text[index + 1] ?? "")) {
      index += 1;
    } else if (char === "'") {
      const end = endOr(text, text.indexOf("'", index + 1));
      word = (word ?? "") + text.slice(index + 1, end);
      index = end + 1;
    } else if (char === '"') {
      const end = closing(text, index + 1, '"');
      const quoted = text.slice(index + 1, end);
      word = (word ?? "") + quoted.replace(/\\([$`"\\])/g, "$1").replace(/\\\n/g, "");
      if (/\$\(|`/.test(quoted)) nested.push(...substitutions(quoted));
      index = end + 1;
    } else if (char === "`" || text.startsWith("$(", index)) {
      const start = index + (char === "`" ? 1 : 2);
      const end = closing(text, start, char === "`" ? "`" : ")");
      nested.push(inner(text, start, end, char));
      word = `${word ?? ""}${text.slice(index, end + 1)}`;
      index = end + 1;
    } else if (char === " " || char === "\t") {
      endWord();
      index += 1;
    } else if (char === "<" || char === ">" || text.startsWith("&>", index)) {
      if (word !== undefined && /^\d+$/.test(word)) word = undefined;
      endWord();
      index += /^&?[<>]+[&|-]?/.exec(text.slice(index, index + 6))?.[0].length ?? 1;
      isRedirected = true;
    } else if (/[;|&\n\r()]/.test(char)) {
      endCommand();
      index += 1;
    } else {
      word = (word ?? "") + char;
      index += 1;
    }
  }
  endCommand();
  return { commands, nested };
}

/** The texts of the substitutions in what stood between double quotes. */
function substitutions(quoted: string): string[] {
  const texts: string[] = [];
  let index = 0;
  while (index < quoted.length) {
    const char = quoted[index] as string;
    if (char === "\\") index += 2;
    else if (char === "`" || quoted.startsWith("$(", index)) {
      const start = index + (char === "`" ? 1 : 2);
      const end = closing(quoted, start, char === "`" ? "`" : ")");
      texts.push(inner(quoted, start, end, char));
      index = end + 1;
    } else index += 1;
  }
  return texts;
}

/** Within backticks, a backslash hides another backtick, a dollar or itself from the outer shell. */
function inner(text: string, start: number, end: number, opening: string): string {
  const found = text.slice(start, end);
  return opening === "`" ? found.replace(/\\([`$\\])/g, "$1") : found;
}

/** Where what was opened before `start` closes, with everything that opens and closes in between; else the end. */
function closing(text: string, start: number, closer: string): number {
  const open = [closer];
  let index = start;
  while (index < text.length) {
    const char = text[index] as string;
    const current = open.at(-1);
    if (char === "\\") index += 1;
    else if (char === current) {
      open.pop();
      if (open.length === 0) return index;
    } else if (current !== "`" && char === "`") open.push("`");
    else if (current !== "`" && text.startsWith("$(", index)) {
      open.push(")");
      index += 1;
    } else if (current === ")") {
      if (char === "(") open.push(")");
      else if (char === '"') open.push('"');
      else if (char === "'") index = endOr(text, text.indexOf("'", index + 1));
    }
    index += 1;
  }
  return text.length;
}

function endOr(text: string, index: number): number {
  return index < 0 ? text.length : index;
}
