/** Members of the character classes: in ASCII, and of all of Unicode. */
const CLASSES: Readonly<Record<string, readonly [ascii: string, all: string]>> = {
  alnum: ["0-9A-Za-z", "\\p{L}\\p{M}\\p{N}"],
  alpha: ["A-Za-z", "\\p{L}\\p{M}"],
  blank: [" \\t", " \\t\\p{Zs}"],
  cntrl: ["\\x00-\\x1f\\x7f", "\\p{Cc}"],
  digit: ["0-9", "0-9"],
  graph: ["\\x21-\\x7e", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}"],
  lower: ["a-z", "\\p{Ll}"],
  print: ["\\x20-\\x7e", " \\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Zs}"],
  punct: ["\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e", "\\p{P}\\p{S}"],
  space: [" \\t-\\r", " \\t-\\r\\p{Z}"],
  upper: ["A-Z", "\\p{Lu}"],
  xdigit: ["0-9A-Fa-f", "0-9A-Fa-f"],
};

/** Most times that an expression may ask for. */
const MAX_TIMES = 32_767;

/** Translates a bracket expression: a backslash in it is literal, and classes are spelled out. */
function readBracket(
  source: string,
  from: number,
  isWide: boolean,
): { text: string; next: number } {
  let at = from + 1;
  let text = "[";
  if (source[at] === "^") {
    text += "^";
    at += 1;
  }
  for (let isFirst = true; ; isFirst = false) {
    const character = source[at];
    if (character === undefined) throw new SyntaxError("Unmatched [, [^, [:, [., or [=");
    if (character === "]" && !isFirst) return { text: `${text}]`, next: at + 1 };
    const [whole, kind, name = ""] = /^\[([:.=])(.*?)\1\]/.exec(source.slice(at)) ?? [];
    if (whole === undefined) {
      text += escapedMember(character);
      at += 1;
      continue;
    }
    at += whole.length;
    if (kind === ":") text += classOf(name, isWide);
    else if (Array.from(name).length === 1)
      text += /[!-/:-@[-`{-~]/.test(name) ? `\\${name}` : name;
    else throw new SyntaxError("Invalid collation character");
  }
}

/** Members of a class, between its brackets. @throws {SyntaxError} for an unknown one */
export function classOf(name: string, isWide: boolean): string {
  const members = Object.hasOwn(CLASSES, name) ? CLASSES[name]?.[isWide ? 1 : 0] : undefined;
  if (members === undefined) throw new SyntaxError("Invalid character class name");
  return members;
}

function escapedMember(character: string): string {
  return "\\[]^".includes(character) ? `\\${character}` : character;
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

interface Dialect {
  readonly isExtended: boolean;
  /** Classes have all of Unicode. */
  readonly isWide?: boolean | undefined;
  /** A repetition of nothing is an error, as to the C library. */
  readonly isStrict?: boolean;
}

/** Translates a POSIX expression, with GNU extensions, to Perl syntax. */
export function translatePosix(source: string, dialect: Dialect): string {
  return new Translation(source, dialect).read();
}

class Translation {
  readonly #source: string;
  readonly #isExtended: boolean;
  readonly #isWide: boolean;
  readonly #isStrict: boolean;
  #at = 0;
  #text = "";
  /** Where what a repetition would apply to starts; none where an expression starts. */
  #piece: number | undefined;
  #isRepeated = false;
  readonly #open: { readonly start: number; readonly group: number }[] = [];
  readonly #closed = new Set<number>();

  constructor(source: string, { isExtended, isWide = false, isStrict = false }: Dialect) {
    this.#source = source;
    this.#isExtended = isExtended;
    this.#isWide = isWide;
    this.#isStrict = isStrict;
  }

  read(): string {
    while (this.#at < this.#source.length) {
      const character = this.#source.charAt(this.#at++);
      if (character === "[") this.#bracket();
      else if (character === "\\") this.#escape();
      else if (character === "*") this.#repeat("*");
      else if (character === "." || character === "^" || character === "$")
        this.#special(character);
      else if (this.#isExtended && "(){|+?".includes(character)) this.#operator(character);
      else this.#atom(escaped(character));
    }
    return this.#text;
  }

  #bracket(): void {
    const { text, next } = readBracket(this.#source, this.#at - 1, this.#isWide);
    this.#at = next;
    this.#atom(text);
  }

  #special(character: string): void {
    if (character === "^" && this.#isStrict) return this.#begin("^");
    if (character === "." || this.#isExtended) return this.#atom(character);
    const isEnd = /^(?:$|\\[)|])/.test(this.#source.slice(this.#at));
    if (character === "^" && this.#piece === undefined) this.#begin("^");
    else this.#atom(character === "$" && isEnd ? "$" : `\\${character}`);
  }

  #escape(): void {
    const next = this.#source.charAt(this.#at++);
    if (next === "") throw new SyntaxError("Trailing backslash");
    if (next === "<" || next === ">") this.#atom(next === "<" ? "\\b(?=\\w)" : "\\b(?<=\\w)");
    else if (next === "`" || next === "'") this.#atom(next === "`" ? "(?-m:^)" : "(?-m:$)");
    else if (!this.#isExtended && "(){|+?".includes(next)) this.#operator(next);
    else if (/[1-9]/.test(next)) this.#reference(Number(next));
    else if (this.#isWide && /[wW]/.test(next))
      this.#atom(`[${next === "W" ? "^" : ""}_${classOf("alnum", true)}]`);
    else this.#atom(/[wWsSbB]/.test(next) ? `\\${next}` : escaped(next));
  }

  #reference(group: number): void {
    if (!this.#closed.has(group)) throw new SyntaxError("Invalid back reference");
    // In a group of its own, since a digit may follow.
    this.#atom(`(?:\\${group})`);
  }

  #operator(operator: string): void {
    if (operator === "(") {
      const group = this.#closed.size + this.#open.length + 1;
      this.#open.push({ start: this.#text.length, group });
      this.#begin("(");
    } else if (operator === ")") this.#close();
    else if (operator === "|") this.#begin("|");
    else if (operator === "{") this.#interval();
    else this.#repeat(operator);
  }

  #close(): void {
    const closed = this.#open.pop();
    if (!closed && !this.#isExtended) throw new SyntaxError("Unmatched ) or \\)");
    if (!closed) return this.#atom("\\)");
    this.#closed.add(closed.group);
    this.#text += ")";
    this.#piece = closed.start;
    this.#isRepeated = false;
  }

  #interval(): void {
    const rest = this.#source.slice(this.#at);
    const [whole, least = "", comma = "", most = ""] =
      (this.#isExtended ? /^(\d*)(,?)(\d*)\}/ : /^(\d*)(,?)(\d*)\\\}/).exec(rest) ?? [];
    if (whole === undefined) {
      if (this.#isStrict) throw new SyntaxError("Invalid preceding regular expression");
      if (this.#isExtended) return this.#atom("\\{");
      throw new SyntaxError(rest.includes("\\}") ? "Invalid content of \\{\\}" : "Unmatched \\{");
    }
    const [from, to] = [Number(least), Number(most === "" ? least : most)];
    if (least + comma === "" || (most !== "" && from > to))
      throw new SyntaxError("Invalid content of \\{\\}");
    if (Math.max(from, to) > MAX_TIMES) throw new SyntaxError("Regular expression too big");
    this.#at += whole.length;
    this.#repeat(`{${from}${comma}${most}}`);
  }

  /** Takes what an expression begins with. */
  #begin(text: string): void {
    this.#text += text;
    this.#piece = undefined;
  }

  #atom(text: string): void {
    this.#piece = this.#text.length;
    this.#isRepeated = false;
    this.#text += text;
  }

  /** Another repetition applies to the whole that the one before it makes: it is no mark for a lazy or possessive one. */
  #repeat(times: string): void {
    if (this.#piece === undefined) return this.#repeatNothing(times);
    if (this.#isRepeated)
      this.#text = `${this.#text.slice(0, this.#piece)}(?:${this.#text.slice(this.#piece)})`;
    this.#text += times;
    this.#isRepeated = true;
  }

  /** Where an expression begins, a repetition stands for itself or is ignored. */
  #repeatNothing(times: string): void {
    if (this.#isStrict) throw new SyntaxError("Invalid preceding regular expression");
    if (!this.#isExtended) this.#atom(escaped(times));
  }
}
