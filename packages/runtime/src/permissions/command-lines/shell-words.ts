import type { Redirect } from "./shell-text.ts";

/** Over this length nothing is proved. */
const MAX_COMMAND_LENGTH = 10_000;
const PLAIN = /[\w@%+=:,./^~-]/;
const ESCAPABLE = "()!;*?[]&|<> ";

/** Words that begin a command's place but are no command. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "if then elif else while until do ! { } time for case function select coproc".split(" "),
);

/** One command of a line whose every character is understood. */
export interface PlainCommand {
  words: string[];
  redirects: Redirect[];
  /** Whether some word is a pattern for file names, of which only its beginning is certain. */
  hasGlob: boolean;
  /** Whether the next command reads its output. */
  isPiped?: boolean;
}

/**
 * The commands of a line, each as its words with quotes resolved, or `undefined` when the text alone does not prove
 * what will run. Every character must have a meaning that is known here: plain words, quotes without expansion but
 * `$HOME` and `$PWD`, patterns behind a beginning that is no option, redirections to plain words, `&&`, `||`, `;`, `|`
 * and newline. What the commands themselves do with their words is not looked at.
 */
export function plainCommands(line: string): PlainCommand[] | undefined {
  if (line.length > MAX_COMMAND_LENGTH || hasControlCharacters(line, "\t\n")) return undefined;
  const commands: PlainCommand[] = [];
  let current: PlainCommand = { words: [], redirects: [], hasGlob: false };
  let word: string | undefined;
  let isGlob = false;
  let operator: string | undefined;

  /** False when what was read has no certain meaning. */
  const endWord = (): boolean => {
    if (word === undefined) return true;
    if (operator !== undefined) {
      if (isGlob || word === "" || /^[~!&-]/.test(word)) return false;
      current.redirects.push({ operator, target: word });
      operator = undefined;
    } else {
      if (isGlob && current.words.length === 0) return false;
      current.hasGlob ||= isGlob;
      current.words.push(word);
    }
    word = undefined;
    isGlob = false;
    return true;
  };
  const endCommand = (): boolean => {
    if (!endWord() || operator !== undefined) return false;
    const { words, redirects } = current;
    if (words.length === 0) return redirects.length === 0;
    commands.push(current);
    current = { words: [], redirects: [], hasGlob: false };
    return true;
  };

  let index = 0;
  let needsCommand = false;
  while (index < line.length) {
    const char = line[index] as string;
    const rest = line.slice(index, index + 8);
    const separator = /^(?:&&|\|\||[;|\n])(?!&)/.exec(rest)?.[0];
    const variable = /^\$(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/)/.exec(rest)?.[0];
    if (variable && word === undefined) {
      word = variable.includes("HOME") ? "~" : ".";
      index += variable.length;
    } else if (char === "'" || char === '"') {
      const end = line.indexOf(char, index + 1);
      if (end < 0) return undefined;
      let text = line.slice(index + 1, end);
      if (char === '"' && (word ?? "") === "")
        text = text
          .replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, "~")
          .replace(/^\$(?:PWD|\{PWD\})(?=\/|$)/, ".");
      if (char === '"' && /[$`\\!]/.test(text)) return undefined;
      word = (word ?? "") + text;
      index = end + 1;
    } else if (char === "\\" && ESCAPABLE.includes(line[index + 1] ?? "\n")) {
      word = (word ?? "") + (line[index + 1] ?? "");
      index += 2;
    } else if (
      /^(?:&>>?|\d?>>?|\d?<)(?![<>|!&(])/.test(rest) &&
      // A number that ends a word is a part of it.
      !(word !== undefined && /^\d/.test(rest))
    ) {
      const [found = ""] = /^(?:&>>?|\d?>>?|\d?<)/.exec(rest) ?? [];
      if (!endWord() || operator !== undefined) return undefined;
      operator = found.replace(/^\d/, "");
      index += found.length;
    } else if (/^\d?>&[\d-](?=$|[\s;|&)])/.test(rest) && word === undefined) {
      index += /^\d?>&[\d-]/.exec(rest)?.[0].length ?? 1;
    } else if (PLAIN.test(char)) {
      word = (word ?? "") + char;
      needsCommand = false;
      index += 1;
    } else if ("*?[]".includes(char) && word !== undefined && /^(?:[^-]|--[\w-]+=)/.test(word)) {
      word += char;
      isGlob = true;
      index += 1;
    } else if (separator) {
      index += separator.length;
      if (word === undefined && operator === undefined && current.words.length === 0) {
        // Nothing but an empty line may stand where a command should.
        if (separator !== "\n" || current.redirects.length > 0) return undefined;
        continue;
      }
      if (separator === "|") current.isPiped = true;
      if (!endCommand()) return undefined;
      needsCommand = separator !== ";" && separator !== "\n";
    } else if (char === " " || char === "\t") {
      if (!endWord()) return undefined;
      index += 1;
    } else {
      return undefined;
    }
  }
  if (needsCommand && word === undefined && current.words.length === 0) return undefined;
  if (!endCommand()) return undefined;
  const isProvable = commands.every(
    ({ words: [first = ""] }) => first === "time" || !RESERVED_WORDS.has(first),
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
