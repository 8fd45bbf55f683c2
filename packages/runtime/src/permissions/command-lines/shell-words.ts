import type { Redirect } from "./shell-text.ts";

/** Over this length nothing is proved. */
const MAX_COMMAND_LENGTH = 10_000;
const PLAIN = /[\w@%+=:,./^~-]/;
const ESCAPABLE = "()!;*?[]&|<> ";

/** Reserved words in the position of a command. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "if then elif else while until do ! { } time for case function select coproc".split(" "),
);

/** One command of a fully understood line. */
export interface PlainCommand {
  words: string[];
  redirects: Redirect[];
  /** True when some word is a file name pattern, of which only its beginning is certain. */
  hasGlob: boolean;
  /** True when the next command reads its output. */
  isPiped?: boolean;
}

/**
 * The commands of a line, each as its words with quotes resolved, or `undefined` when the text alone does not prove
 * what will run. Every character must have a known meaning: plain words, quotes without expansion but `$HOME` and
 * `$PWD`, patterns that do not begin like an option, redirections to plain words, `&&`, `||`, `;`, `|` and newline. The
 * effect of the commands themselves is not examined.
 */
export function plainCommands(line: string): PlainCommand[] | undefined {
  if (line.length > MAX_COMMAND_LENGTH || hasControlCharacters(line, "\t\n")) return undefined;
  return new LineReader(line).commands();
}

/** One reading of a line. Each method that returns a boolean: false when what was read has no certain meaning. */
class LineReader {
  readonly #line: string;
  #index = 0;
  readonly #commands: PlainCommand[] = [];
  #current: PlainCommand = { words: [], redirects: [], hasGlob: false };
  #word: string | undefined;
  #isGlob = false;
  /** The operator of a redirection whose target comes next. */
  #operator: string | undefined;
  #needsCommand = false;

  constructor(line: string) {
    this.#line = line;
  }

  commands(): PlainCommand[] | undefined {
    while (this.#index < this.#line.length) {
      if (!this.#readNext()) return undefined;
    }
    if (this.#needsCommand && this.#word === undefined && this.#current.words.length === 0) {
      return undefined;
    }
    if (!this.#endCommand()) return undefined;
    const isProvable = this.#commands.every(
      ({ words: [first = ""] }) => first === "time" || !RESERVED_WORDS.has(first),
    );
    return isProvable && this.#commands.length > 0 ? this.#commands : undefined;
  }

  #readNext(): boolean {
    const char = this.#line[this.#index] as string;
    const rest = this.#line.slice(this.#index, this.#index + 8);
    const separator = /^(?:&&|\|\||[;|\n])(?!&)/.exec(rest)?.[0];
    const variable = /^\$(?:HOME|PWD|\{HOME\}|\{PWD\})(?=\/)/.exec(rest)?.[0];
    if (variable && this.#word === undefined) {
      return this.#addToWord(variable.includes("HOME") ? "~" : ".", variable.length);
    }
    if (char === "'" || char === '"') return this.#readQuoted(char);
    if (char === "\\" && ESCAPABLE.includes(this.#line[this.#index + 1] ?? "\n")) {
      return this.#addToWord(this.#line[this.#index + 1] ?? "", 2);
    }
    if (this.#isRedirection(rest)) return this.#readRedirection(rest);
    if (/^\d?>&[\d-](?=$|[\s;|&)])/.test(rest) && this.#word === undefined) {
      return this.#skip(/^\d?>&[\d-]/.exec(rest)?.[0].length ?? 1);
    }
    if (PLAIN.test(char)) {
      this.#needsCommand = false;
      return this.#addToWord(char);
    }
    if ("*?[]".includes(char) && /^(?:[^-]|--[\w-]+=)/.test(this.#word ?? "")) {
      this.#isGlob = true;
      return this.#addToWord(char);
    }
    if (separator) return this.#readSeparator(separator);
    return (char === " " || char === "\t") && this.#endWord() && this.#skip(1);
  }

  #readQuoted(quote: string): boolean {
    const end = this.#line.indexOf(quote, this.#index + 1);
    if (end < 0) return false;
    let text = this.#line.slice(this.#index + 1, end);
    if (quote === '"' && (this.#word ?? "") === "")
      text = text
        .replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, "~")
        .replace(/^\$(?:PWD|\{PWD\})(?=\/|$)/, ".");
    if (quote === '"' && /[$`\\!]/.test(text)) return false;
    return this.#addToWord(text, end + 1 - this.#index);
  }

  #isRedirection(rest: string): boolean {
    // A number at the end of a word is part of it.
    if (this.#word !== undefined && /^\d/.test(rest)) return false;
    return /^(?:&>>?|\d?>>?|\d?<)(?![<>|!&(])/.test(rest);
  }

  #readRedirection(rest: string): boolean {
    const [found = ""] = /^(?:&>>?|\d?>>?|\d?<)/.exec(rest) ?? [];
    if (!this.#endWord() || this.#operator !== undefined) return false;
    this.#operator = found.replace(/^\d/, "");
    return this.#skip(found.length);
  }

  #readSeparator(separator: string): boolean {
    this.#index += separator.length;
    const { words, redirects } = this.#current;
    if (this.#word === undefined && this.#operator === undefined && words.length === 0) {
      // Only an empty line may be in a command's place.
      return separator === "\n" && redirects.length === 0;
    }
    if (separator === "|") this.#current.isPiped = true;
    if (!this.#endCommand()) return false;
    this.#needsCommand = separator !== ";" && separator !== "\n";
    return true;
  }

  #addToWord(text: string, length = 1): boolean {
    this.#word = (this.#word ?? "") + text;
    return this.#skip(length);
  }

  #skip(length: number): boolean {
    this.#index += length;
    return true;
  }

  #endWord(): boolean {
    const word = this.#word;
    if (word === undefined) return true;
    if (this.#operator !== undefined) {
      if (this.#isGlob || word === "" || /^[~!&-]/.test(word)) return false;
      this.#current.redirects.push({ operator: this.#operator, target: word });
      this.#operator = undefined;
    } else {
      if (this.#isGlob && this.#current.words.length === 0) return false;
      this.#current.hasGlob ||= this.#isGlob;
      this.#current.words.push(word);
    }
    this.#word = undefined;
    this.#isGlob = false;
    return true;
  }

  #endCommand(): boolean {
    if (!this.#endWord() || this.#operator !== undefined) return false;
    const { words, redirects } = this.#current;
    if (words.length === 0) return redirects.length === 0;
    this.#commands.push(this.#current);
    this.#current = { words: [], redirects: [], hasGlob: false };
    return true;
  }
}

/** Reports whether a text has control characters other than those in `allowed`. */
export function hasControlCharacters(text: string, allowed = ""): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 || code === 127) && !allowed.includes(text[index] as string)) return true;
  }
  return false;
}
