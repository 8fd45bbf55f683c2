/** A command line taken apart as far as its text alone can prove what will run. */
export interface ParsedCommands {
  /** Each command's words with quotes resolved. When `isProvable` is false, a best effort for refusals. */
  commands: string[][];
  /** Every character has a meaning that is known here: plain words, quotes without expansion, `&&`, `||`, `;`, `|`, newline. */
  isProvable: boolean;
}

/** Over this length nothing is proved. */
const MAX_COMMAND_LENGTH = 10_000;
const PLAIN = /[\w@%+=:,./^~-]/;
/** Commands that run what their arguments say: a rule for them proves nothing of what happens. */
const LAUNCHERS = new Set(
  "bash sh zsh dash eval exec source . env sudo su xargs nohup timeout time nice watch setsid ssh find awk sed vim less man trap export declare typeset alias hash enable command builtin".split(
    " ",
  ),
);

/** Words that begin a command's place but are no command. */
const RESERVED = new Set([
  "if",
  "then",
  "elif",
  "else",
  "while",
  "until",
  "do",
  "!",
  "{",
  "}",
  "time",
  "for",
  "case",
  "function",
  "select",
  "coproc",
]);

/**
 * Splits a command line. Any expansion, redirection, subshell, assignment, glob, comment or launcher makes it
 * unprovable, so that an allowing rule never covers it.
 */
export function parseCommands(command: string): ParsedCommands {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isProvable = command.length <= MAX_COMMAND_LENGTH && !hasControlCharacters(command);
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    while (RESERVED.has(words[0] ?? "")) {
      isProvable = false;
      words.shift();
    }
    if (words.length > 0) commands.push(words);
    words = [];
  };

  let index = 0;
  let needsCommand = false;
  while (index < command.length) {
    const char = command[index] as string;
    if (char === "'" || char === '"') {
      const end = command.indexOf(char, index + 1);
      if (end < 0) isProvable = false;
      const text = command.slice(index + 1, end < 0 ? undefined : end);
      if (char === '"' && /[$`\\!]/.test(text)) isProvable = false;
      word = (word ?? "") + text;
      index = end < 0 ? command.length : end + 1;
      continue;
    }
    if (PLAIN.test(char)) {
      word = (word ?? "") + char;
      needsCommand = false;
      index += 1;
      continue;
    }
    const operator = /^(?:&&|\|\||[;|\n])/.exec(command.slice(index, index + 2))?.[0];
    if (operator) {
      endCommand();
      needsCommand = operator !== ";" && operator !== "\n";
      index += operator.length;
    } else if (char === " " || char === "\t") {
      endWord();
      index += 1;
    } else {
      // Something this reader gives no meaning to. For refusals it still ends a command, as most such characters do.
      isProvable = false;
      endCommand();
      index += 1;
    }
  }
  if (needsCommand && word === undefined && words.length === 0) isProvable = false;
  endCommand();
  if (commands.some(isUnprovableCommand)) isProvable = false;
  return { commands, isProvable };
}

function isUnprovableCommand([name = ""]: readonly string[]): boolean {
  return name.includes("=") || name.startsWith("~") || LAUNCHERS.has(name);
}

function hasControlCharacters(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9 && code !== 10) || code === 127) return true;
  }
  return false;
}
