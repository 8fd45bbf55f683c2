import type { ShellCommandContext } from "../../command.ts";
import {
  ZERO,
  add,
  arctangent,
  compare,
  divide,
  exponential,
  format,
  fromInteger,
  logarithm,
  modulo,
  multiply,
  negate,
  raise,
  sine,
  squareRoot,
  toScale,
  type Decimal,
} from "./bc-number.ts";

/** Maximum steps, below the shell's own limit since nothing else has a turn meanwhile. */
const MAX_STEPS = 200_000;
const STEPS_PER_LOOK = 256;

type Token = { kind: "number" | "name" | "text" | "sign" | "end"; text: string };

function tokenize(source: string): Token[] {
  const pattern =
    /\s*(?:([\dA-F]+\.?[\dA-F]*|\.[\dA-F]+)|([a-z][a-z0-9_]*)|"([^"]*)"|(\+\+|--|[-+*/%^]=|[<>=!]=|&&|\|\||[-+*/%^=<>!(){};,[\]]|\n))/y;
  const tokens: Token[] = [];
  const text = source.replace(/[ \t]+/g, " ");
  while (pattern.lastIndex < text.length) {
    const space = /[ \t]*/y;
    space.lastIndex = pattern.lastIndex;
    space.exec(text);
    pattern.lastIndex = space.lastIndex;
    if (space.lastIndex >= text.length) break;
    if (text[space.lastIndex] === "\n") {
      tokens.push({ kind: "sign", text: ";" });
      pattern.lastIndex = space.lastIndex + 1;
      continue;
    }
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw new Error(`illegal character: ${text[at]}`);
    const [, number, name, quoted, sign] = match;
    if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (quoted !== undefined) tokens.push({ kind: "text", text: quoted });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
  }
  return tokens;
}

/** Evaluates while walking the tokens; skipped branches are walked without effect. */
export class BcProgram {
  readonly #tokens: readonly Token[];
  readonly #variables: Map<string, Decimal>;
  readonly #isOver: () => boolean;
  readonly #maxSteps: number;
  #at = 0;
  #output = "";
  #isLive = true;
  #steps = 0;

  /** @throws {Error} For an illegal character */
  constructor(
    source: string,
    variables: Map<string, Decimal>,
    { isOver, maxIterations }: Pick<ShellCommandContext, "isOver" | "maxIterations">,
  ) {
    this.#tokens = tokenize(source);
    this.#variables = variables;
    this.#isOver = isOver;
    this.#maxSteps = Math.min(MAX_STEPS, maxIterations);
  }

  /** The output so far, even of a program that failed later. */
  get output(): string {
    return this.#output;
  }

  run(): void {
    this.#skipEnds();
    while (this.#peek().kind !== "end") {
      this.#statement();
      if (this.#peek().kind !== "end" && !this.#isSign(";"))
        throw new Error(`syntax error near '${this.#peek().text}'`);
      this.#skipEnds();
    }
  }

  #variable(name: string): Decimal {
    if ((name === "ibase" || name === "obase") && !this.#variables.has(name))
      return fromInteger(10);
    return this.#variables.get(name) ?? ZERO;
  }

  #integer(name: string): number {
    return Number(toScale(this.#variable(name), 0).digits);
  }

  #scale(): number {
    return this.#integer("scale");
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", text: "" };
  }

  #isSign(...texts: string[]): boolean {
    return this.#peek().kind === "sign" && texts.includes(this.#peek().text);
  }

  #accept(text: string): boolean {
    if (!this.#isSign(text)) return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw new Error(`syntax error near '${this.#peek().text}'`);
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > this.#maxSteps) throw new Error(`more than ${this.#maxSteps} steps`);
    if (this.#steps % STEPS_PER_LOOK === 0 && this.#isOver()) throw new Error("interrupted");
  }

  #truth(isTrue: boolean): Decimal {
    return fromInteger(isTrue ? 1 : 0);
  }

  #binary(left: Decimal, sign: string, right: Decimal): Decimal {
    if (!this.#isLive) return ZERO;
    if (sign === "+") return add(left, right);
    if (sign === "-") return add(left, negate(right));
    if (sign === "*") return multiply(left, right, this.#scale());
    if (sign === "/") return divide(left, right, this.#scale());
    if (sign === "%") return modulo(left, right, this.#scale());
    return raise(left, right, this.#scale());
  }

  #level(signs: readonly string[], next: () => Decimal): Decimal {
    let left = next();
    while (this.#isSign(...signs)) {
      const sign = this.#peek().text;
      this.#at += 1;
      left = this.#binary(left, sign, next());
    }
    return left;
  }

  #product(): Decimal {
    return this.#level(["*", "/", "%"], () => this.#power());
  }

  #sum(): Decimal {
    return this.#level(["+", "-"], () => this.#product());
  }

  #primary(): Decimal {
    this.#step();
    const { kind, text } = this.#peek();
    this.#at += 1;
    if (kind === "number") return parseNumber(text, this.#integer("ibase"));
    if (kind === "sign" && text === "(") {
      const value = this.#expression();
      this.#expect(")");
      return value;
    }
    if (kind === "sign" && text === "-") return negate(this.#power());
    if (kind === "sign" && text === "!") return this.#truth(this.#power().digits === 0n);
    if (kind === "sign" && (text === "++" || text === "--"))
      return this.#change(this.#peekName(), text, true);
    if (kind !== "name") throw new Error(`syntax error near '${text}'`);
    if (this.#accept("(")) return this.#call(text);
    const name = this.#accept("[") ? `${text}[${this.#indexOf()}]` : text;
    if (this.#isSign("++", "--")) {
      const sign = this.#peek().text;
      this.#at += 1;
      return this.#change(name, sign, false);
    }
    if (this.#isSign("=", "+=", "-=", "*=", "/=", "%=", "^=")) {
      const sign = this.#peek().text;
      this.#at += 1;
      const value = this.#expression();
      return this.#assign(
        name,
        sign === "=" ? value : this.#binary(this.#variable(name), sign.charAt(0), value),
      );
    }
    return this.#variable(name);
  }

  #peekName(): string {
    const { text } = this.#peek();
    this.#at += 1;
    return text;
  }

  #indexOf(): string {
    const index = this.#expression();
    this.#expect("]");
    return String(toScale(index, 0).digits);
  }

  #assign(name: string, value: Decimal): Decimal {
    if (this.#isLive) this.#variables.set(name, value);
    return value;
  }

  #change(name: string, sign: string, isBefore: boolean): Decimal {
    const before = this.#variable(name);
    const after = this.#assign(name, add(before, fromInteger(sign === "++" ? 1 : -1)));
    return isBefore ? after : before;
  }

  #call(name: string): Decimal {
    const value = this.#expression();
    this.#expect(")");
    if (!this.#isLive) return ZERO;
    if (name === "sqrt") return squareRoot(value, this.#scale());
    if (name === "length") return fromInteger(String(value.digits).replace("-", "").length);
    if (name === "scale") return fromInteger(value.scale);
    if (name === "s" || name === "c") return sine(value, this.#scale(), name === "c");
    if (name === "a") return arctangent(value, this.#scale());
    if (name === "l") return logarithm(value, this.#scale());
    if (name === "e") return exponential(value, this.#scale());
    throw new Error(`Function ${name} not defined.`);
  }

  #power(): Decimal {
    const base = this.#primary();
    return this.#accept("^") ? this.#binary(base, "^", this.#power()) : base;
  }

  #comparison(): Decimal {
    let left = this.#sum();
    while (this.#isSign("<", ">", "<=", ">=", "==", "!=")) {
      const sign = this.#peek().text;
      this.#at += 1;
      const order = compare(left, this.#sum());
      left = this.#truth(
        { "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0, "==": order === 0 }[
          sign
        ] ?? order !== 0,
      );
    }
    return left;
  }

  #conjunction(): Decimal {
    let left = this.#comparison();
    while (this.#accept("&&")) {
      const right = this.#comparison();
      left = this.#truth(left.digits !== 0n && right.digits !== 0n);
    }
    return left;
  }

  #expression(): Decimal {
    let left = this.#conjunction();
    while (this.#accept("||")) {
      const right = this.#conjunction();
      left = this.#truth(left.digits !== 0n || right.digits !== 0n);
    }
    return left;
  }

  #print(text: string): void {
    if (this.#isLive) this.#output += text;
  }

  #silently<Result>(live: boolean, run: () => Result): Result {
    const before = this.#isLive;
    this.#isLive = before && live;
    const result = run();
    this.#isLive = before;
    return result;
  }

  #loop(start: number, condition: () => boolean, body: () => void): void {
    for (;;) {
      this.#step();
      this.#at = start;
      const goesOn = condition();
      this.#silently(goesOn, body);
      if (!this.#isLive || !goesOn) return;
    }
  }

  #skipEnds(): void {
    while (this.#accept(";"));
  }

  #statement(): void {
    const { kind, text } = this.#peek();
    if (kind === "text") {
      this.#at += 1;
      this.#print(text);
    } else if (this.#accept("{")) this.#block();
    else if (kind !== "name") this.#value(false);
    else if (text === "print") this.#printList();
    else if (text === "if") this.#branch();
    else if (text === "while") this.#whileLoop();
    else if (text === "for") this.#forLoop();
    else if (text === "quit" || text === "halt") this.#at = this.#tokens.length;
    else {
      const next = this.#tokens[this.#at + 1];
      this.#value(next?.kind === "sign" && /^(?:[-+*/%^]?=)$/.test(next.text));
    }
  }

  /** Evaluates an expression statement; prints its value unless it was assigned. */
  #value(isAssignment: boolean): void {
    const value = this.#expression();
    if (!isAssignment) this.#print(`${format(value, this.#integer("obase"))}\n`);
  }

  #block(): void {
    this.#skipEnds();
    while (!this.#accept("}")) {
      if (this.#peek().kind === "end") throw new Error("syntax error: missing '}'");
      this.#statement();
      this.#skipEnds();
    }
  }

  #printList(): void {
    do {
      this.#at += 1;
      if (this.#peek().kind === "text") {
        this.#print(this.#peek().text.replaceAll("\\n", "\n").replaceAll("\\t", "\t"));
        this.#at += 1;
      } else this.#print(format(this.#expression(), this.#integer("obase")));
    } while (this.#isSign(","));
  }

  #branch(): void {
    this.#at += 1;
    this.#expect("(");
    const isTrue = this.#expression().digits !== 0n;
    this.#expect(")");
    this.#skipEnds();
    this.#silently(isTrue, () => this.#statement());
    const mark = this.#at;
    this.#skipEnds();
    if (this.#peek().kind === "name" && this.#peek().text === "else") {
      this.#at += 1;
      this.#skipEnds();
      this.#silently(!isTrue, () => this.#statement());
    } else this.#at = mark;
  }

  #whileLoop(): void {
    this.#at += 1;
    this.#expect("(");
    this.#loop(
      this.#at,
      () => {
        const isTrue = this.#expression().digits !== 0n;
        this.#expect(")");
        return isTrue;
      },
      () => this.#statement(),
    );
  }

  #forLoop(): void {
    this.#at += 1;
    this.#expect("(");
    if (!this.#isSign(";")) this.#expression();
    this.#expect(";");
    this.#loop(
      this.#at,
      () => this.#isSign(";") || this.#expression().digits !== 0n,
      () => {
        this.#expect(";");
        const [increment, wasLive] = [this.#at, this.#isLive];
        this.#isLive = false;
        if (!this.#isSign(")")) this.#expression();
        this.#isLive = wasLive;
        this.#expect(")");
        this.#skipEnds();
        this.#statement();
        const end = this.#at;
        this.#at = increment;
        if (!this.#isSign(")")) this.#expression();
        this.#at = end;
      },
    );
  }
}

function parseNumber(text: string, base: number): Decimal {
  const [whole = "", fraction = ""] = text.split(".");
  if (base === 10 && /^\d*$/.test(whole + fraction)) {
    return { digits: BigInt(whole + fraction || "0"), scale: fraction.length };
  }
  let digits = 0n;
  for (const figure of whole + fraction) {
    digits = digits * BigInt(base) + BigInt(Math.min(Number.parseInt(figure, 16), base - 1));
  }
  if (fraction === "") return fromInteger(digits);
  return divide(
    fromInteger(digits),
    fromInteger(BigInt(base) ** BigInt(fraction.length)),
    fraction.length,
  );
}
