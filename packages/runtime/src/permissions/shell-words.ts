import { isBeyondProof } from "./shell-launchers.ts";

/** Over this length nothing is proved. */
const MAX_COMMAND_LENGTH = 10_000;
const PLAIN = /[\w@%+=:,./^~-]/;

/** Words that begin a command's place but are no command. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "if then elif else while until do ! { } time for case function select coproc".split(" "),
);

/**
 * The commands of a line, each as its words with quotes resolved, or `undefined` when the text alone does not prove
 * what will run. Every character must have a meaning that is known here (plain words, quotes without expansion, `&&`,
 * `||`, `;`, `|`, newline), and no command may be one that runs what its arguments say.
 */
export function provableCommands(command: string): string[][] | undefined {
  if (command.length > MAX_COMMAND_LENGTH || hasControlCharacters(command, "\t\n"))
    return undefined;
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };

  let index = 0;
  let needsCommand = false;
  while (index < command.length) {
    const char = command[index] as string;
    const operator = /^(?:&&|\|\||[;|\n])/.exec(command.slice(index, index + 2))?.[0];
    if (char === "'" || char === '"') {
      const end = command.indexOf(char, index + 1);
      if (end < 0) return undefined;
      const text = command.slice(index + 1, end);
      if (char === '"' && /[$`\\!]/.test(text)) return undefined;
      word = (word ?? "") + text;
      index = end + 1;
    } else if (PLAIN.test(char)) {
      word = (word ?? "") + char;
      needsCommand = false;
      index += 1;
    } else if (operator) {
      endCommand();
      needsCommand = operator !== ";" && operator !== "\n";
      index += operator.length;
    } else if (char === " " || char === "\t") {
      endWord();
      index += 1;
    } else {
      return undefined;
    }
  }
  if (needsCommand && word === undefined && words.length === 0) return undefined;
  endCommand();
  const isProvable = commands.every(
    (line) => !RESERVED_WORDS.has(line[0] ?? "") && !isBeyondProof(line),
  );
  return isProvable && commands.length > 0 ? commands : undefined;
}

/** Whether a text has control characters other than those in `allowed`. */
export function hasControlCharacters(text: string, allowed = ""): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 || code === 127) && !allowed.includes(text[index] as string)) return true;
  }
  return false;
}
