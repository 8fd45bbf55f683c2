import { compileGroups, type GroupPattern } from "../search/pattern.ts";
import { readEscape } from "./escapes.ts";
import { replacementOf } from "./replacement.ts";
import type { Address, Command, Substitution } from "./script.ts";

/** @throws {Error} `-e expression #1, char 5: ...` */
export async function parseScript(source: string, isExtended: boolean): Promise<Command[]> {
  return new ScriptParser(source, isExtended).commands();
}

class ScriptParser {
  readonly #source: string;
  readonly #isExtended: boolean;
  readonly #commands: Command[] = [];
  /** Blocks without a closing `}` so far. */
  readonly #open: Command[] = [];
  #at = 0;

  constructor(source: string, isExtended: boolean) {
    this.#source = source;
    this.#isExtended = isExtended;
  }

  async commands(): Promise<Command[]> {
    for (;;) {
      this.#skip(/[\s;]/);
      if (this.#at >= this.#source.length) break;
      if (this.#source.charAt(this.#at) === "#") this.#endOfLine();
      else await this.#command();
    }
    if (this.#open.length > 0) this.#fail("unmatched `{'");
    return this.#commands;
  }

  async #command(): Promise<void> {
    const addresses = await this.#addresses();
    const isNegated = this.#source.charAt(this.#at) === "!";
    if (isNegated) {
      this.#at += 1;
      this.#skip(/[ \t!]/);
    }
    const name = this.#source.charAt(this.#at);
    this.#at += 1;
    const command: Command = {
      name,
      ...addresses,
      isNegated,
      range: { isOpen: false, until: 0, hasStarted: false },
      text: "",
      number: undefined,
      end: -1,
    };
    await this.#readOperands(command);
    this.#commands.push(command);
    if ("{}aice".includes(name)) return;
    this.#skip(/[ \t]/);
    if (this.#at < this.#source.length && !/[;\n}#]/.test(this.#source.charAt(this.#at)))
      this.#fail(name === "s" ? "unknown option to `s'" : "extra characters after command");
  }

  async #addresses(): Promise<Pick<Command, "from" | "to">> {
    const from = await this.#address();
    this.#skip(/[ \t]/);
    if (!from) return {};
    if (this.#source.charAt(this.#at) !== ",") return { from };
    this.#at += 1;
    this.#skip(/[ \t]/);
    const to = await this.#secondAddress();
    this.#skip(/[ \t]/);
    return { from, to };
  }

  /** Reads the operands of a command. */
  async #readOperands(command: Command): Promise<void> {
    const { name } = command;
    if (name === "") this.#fail("missing command");
    if (name === "}") {
      const start = this.#open.pop() ?? this.#fail("unexpected `}'");
      start.end = this.#commands.length;
    } else if (name === "{") this.#open.push(command);
    else if ("aic".includes(name) && name !== "") command.text = this.#insertedBy(name);
    else if (name === ":" || "btT".includes(name)) {
      command.text = this.#word();
      if (name === ":" && command.text === "") this.#fail('":" lacks a label');
    } else if ("rRwW".includes(name)) {
      this.#skip(/[ \t]/);
      command.text = this.#endOfLine().trimEnd();
      if (command.text === "") this.#fail("missing filename in r/R/w/W commands");
    } else if ("qQlL".includes(name)) {
      this.#skip(/[ \t]/);
      command.number = this.#digits();
    } else if (name === "e" || name === "v") {
      this.#skip(/[ \t]/);
      command.text = name === "e" ? this.#endOfLine() : this.#word();
    } else if (name === "s") command.substitution = await this.#substitution();
    else if (name === "y") command.letters = this.#transliteration();
    else if (!"=dDgGhHnNpPxzF".includes(name)) this.#fail(`unknown command: \`${name}'`);
  }

  #insertedBy(name: string): string {
    const text = this.#inserted();
    const isMissing =
      text === "" &&
      this.#source.charAt(this.#at - 1) !== "\\" &&
      this.#at >= this.#source.length &&
      name !== "c" &&
      !/\\/.test(this.#source);
    if (isMissing) this.#fail("expected \\ after `a', `c' or `i'");
    return text;
  }

  #fail(reason: string): never {
    throw new Error(`-e expression #1, char ${this.#at}: ${reason}`);
  }

  #skip(pattern: RegExp): void {
    while (this.#at < this.#source.length && pattern.test(this.#source.charAt(this.#at)))
      this.#at += 1;
  }

  #digits(): number | undefined {
    const start = this.#at;
    this.#skip(/\d/);
    return this.#at === start ? undefined : Number(this.#source.slice(start, this.#at));
  }

  /** Reads up to an unescaped delimiter; an escaped one is literal, and brackets hide it in an expression. */
  #delimited(delimiter: string, isExpression: boolean): string {
    let text = "";
    for (let isInBracket = false; this.#at < this.#source.length; this.#at++) {
      const character = this.#source.charAt(this.#at);
      const next = this.#source.charAt(this.#at + 1);
      if (character === "\\" && !isInBracket) {
        this.#at += 1;
        if (next === delimiter)
          text +=
            isExpression && /[|+?(){}]/.test(delimiter)
              ? `[${delimiter}]`
              : isExpression
                ? delimiter
                : delimiter === "&"
                  ? "\\&"
                  : delimiter;
        else if (next === "n" && isExpression) text += "\n";
        else text += `\\${next}`;
        continue;
      }
      if (isExpression && character === "[" && !isInBracket) {
        isInBracket = true;
        text += character;
        if (next === "^") text += this.#source.charAt((this.#at += 1));
        if (this.#source.charAt(this.#at + 1) === "]") text += this.#source.charAt((this.#at += 1));
        continue;
      }
      if (isInBracket && character === "[" && /[:.=]/.test(next)) {
        const close = this.#source.indexOf(`${next}]`, this.#at + 2);
        if (close !== -1) {
          text += this.#source.slice(this.#at, close + 2);
          this.#at = close + 1;
          continue;
        }
      }
      if (isInBracket && character === "\\" && next === "n") {
        text += "\n";
        this.#at += 1;
        continue;
      }
      if (isInBracket && character === "]") isInBracket = false;
      else if (character === delimiter && !isInBracket) {
        this.#at += 1;
        return text;
      }
      if (character === "\n" && isExpression) break;
      text += character;
    }
    return this.#fail(isExpression ? "unterminated address regex" : "unterminated `s' command");
  }

  async #compile(text: string, flags: string): Promise<GroupPattern | undefined> {
    if (text === "") return undefined;
    const options = {
      isExtended: this.#isExtended,
      isCaseIgnored: /[iI]/.test(flags),
      isMultiline: /[mM]/.test(flags),
      isWide: true,
    };
    return compileGroups(withCharacters(text), options);
  }

  async #address(): Promise<Address | undefined> {
    const number = this.#digits();
    if (number !== undefined) {
      if (this.#source.charAt(this.#at) !== "~") return { kind: "line", line: number };
      this.#at += 1;
      return { kind: "step", first: number, step: this.#digits() ?? 0 };
    }
    const character = this.#source.charAt(this.#at);
    if (character === "$") {
      this.#at += 1;
      return { kind: "last" };
    }
    if (character !== "/" && character !== "\\") return undefined;
    this.#at += character === "\\" ? 2 : 1;
    const text = this.#delimited(this.#source.charAt(this.#at - 1), true);
    const start = this.#at;
    this.#skip(/[IM]/);
    return {
      kind: "match",
      pattern: await this.#compile(text, this.#source.slice(start, this.#at)),
    };
  }

  async #secondAddress(): Promise<Address> {
    const sign = this.#source.charAt(this.#at);
    if (sign === "+" || sign === "~") {
      this.#at += 1;
      const count = this.#digits() ?? 0;
      return sign === "+" ? { kind: "plus", lines: count } : { kind: "multiple", of: count };
    }
    return (await this.#address()) ?? this.#fail("unexpected `,'");
  }

  #endOfLine(): string {
    const start = this.#at;
    this.#skip(/[^\n]/);
    return this.#source.slice(start, this.#at);
  }

  #word(): string {
    this.#skip(/[ \t]/);
    const start = this.#at;
    this.#skip(/[^;\n}\s]/);
    return this.#source.slice(start, this.#at);
  }

  #inserted(): string {
    this.#skip(/[ \t]/);
    if (this.#source.charAt(this.#at) === "\\") {
      this.#at += 1;
      const mark = this.#at;
      this.#skip(/[ \t]/);
      if (this.#source.charAt(this.#at) === "\n") this.#at += 1;
      else this.#at = mark;
    }
    let text = "";
    for (; this.#at < this.#source.length && this.#source.charAt(this.#at) !== "\n"; this.#at++) {
      if (this.#source.charAt(this.#at) === "\\") {
        this.#at += 1;
        const escape = readEscape(this.#source, this.#at);
        text += escape?.character ?? this.#source.charAt(this.#at);
        this.#at += (escape?.length ?? 1) - 1;
      } else text += this.#source.charAt(this.#at);
    }
    return text;
  }

  async #substitution(): Promise<Substitution> {
    const delimiter = this.#source.charAt(this.#at);
    this.#at += 1;
    const text = this.#delimited(delimiter, true);
    const replacement = replacementOf(this.#delimited(delimiter, false));
    const referred = Math.max(
      0,
      ...replacement.map((piece) =>
        typeof piece === "object" && "group" in piece ? piece.group : 0,
      ),
    );
    let flags = "";
    let nth = 1;
    let file: string | undefined;
    while (/[gpiImMe\d]/.test(this.#source.charAt(this.#at))) {
      const number = this.#digits();
      if (number === undefined) flags += this.#source.charAt(this.#at++);
      else nth = number;
    }
    if (this.#source.charAt(this.#at) === "w") {
      this.#at += 1;
      this.#skip(/[ \t]/);
      file = this.#endOfLine();
    }
    const pattern = await this.#compile(text, flags);
    if (pattern && referred > pattern.groups)
      this.#fail(`invalid reference \\${referred} on \`s' command's RHS`);
    return {
      pattern,
      replacement,
      isGlobal: flags.includes("g"),
      nth,
      isPrinted: flags.includes("p"),
      isRun: flags.includes("e"),
      file,
    };
  }

  #transliteration(): ReadonlyMap<string, string> {
    const delimiter = this.#source.charAt(this.#at);
    this.#at += 1;
    const plain = (text: string): string[] =>
      Array.from(withCharacters(text).replace(/\\([^])/g, "$1"));
    const [from, to] = [
      plain(this.#delimited(delimiter, false)),
      plain(this.#delimited(delimiter, false)),
    ];
    if (from.length !== to.length) this.#fail("strings for `y' command are different lengths");
    return new Map(from.map((letter, index) => [letter, to[index] ?? ""]));
  }
}

/** The expression with the characters that its escapes stand for. */
function withCharacters(text: string): string {
  let result = "";
  for (let at = 0; at < text.length; at++) {
    if (text.charAt(at) !== "\\") {
      result += text.charAt(at);
      continue;
    }
    const escape = readEscape(text, at + 1);
    result += escape?.character ?? text.slice(at, at + 2);
    at += escape?.length ?? 1;
  }
  return result;
}
