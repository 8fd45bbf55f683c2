import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { parseArguments, readTextOperand } from "../arguments.ts";
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

const MAX_STEPS = 200_000;
const MATH_SCALE = 20;

type Token = { kind: "number" | "name" | "text" | "sign" | "end"; text: string };

/** What a program printed before it failed stays printed. */
interface Program {
  run(): string;
  readonly output: string;
}

/** Arithmetic to any precision with variables, `if`, `while`, `for`, `scale`, `ibase`, `obase` and the functions of `-l`; no `define`. */
export const bc: ShellCommand = {
  name: "bc",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "lqsiw",
      long: { mathlib: "l", quiet: "q" },
    });
    const sources: string[] = [];
    for (const operand of [...operands, "-"]) sources.push(await readTextOperand(context, operand));
    let [stdout, stderr] = ["", ""];
    const variables = new Map<string, Decimal>();
    if (options.has("l")) variables.set("scale", fromInteger(MATH_SCALE));
    // Line by line, so that a mistake costs one line; braces hold lines together.
    for (const source of statementsOf(sources.join("\n"))) {
      const program = createProgram(source, variables, context.signal);
      try {
        stdout += program.run();
      } catch (error) {
        stdout += program.output;
        stderr += `Runtime error: ${errorMessage(error)}\n`;
      }
    }
    return { stdout, stderr };
  },
};

function statementsOf(text: string): string[] {
  const plain = text
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/#.*/g, "")
    .replace(/\\\n/g, "");
  const sources: string[] = [];
  let [open, depth] = ["", 0];
  for (const line of plain.split("\n")) {
    open += `${line}\n`;
    for (const character of line) depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (depth > 0) continue;
    if (open.trim() !== "") sources.push(open);
    open = "";
  }
  return open.trim() === "" ? sources : [...sources, open];
}

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

/** Walks the tokens and computes at once; what a branch leaves out is walked without effect. */
function createProgram(
  source: string,
  variables: Map<string, Decimal>,
  signal: AbortSignal,
): Program {
  let tokens: Token[] = [];
  let at = 0;
  let output = "";
  let isLive = true;
  let steps = 0;

  const variable = (name: string): Decimal => {
    if ((name === "ibase" || name === "obase") && !variables.has(name)) return fromInteger(10);
    return variables.get(name) ?? ZERO;
  };
  const integer = (name: string): number => Number(toScale(variable(name), 0).digits);
  const scale = (): number => integer("scale");
  const peek = (): Token => tokens[at] ?? { kind: "end", text: "" };
  const isSign = (...texts: string[]): boolean =>
    peek().kind === "sign" && texts.includes(peek().text);
  const accept = (text: string): boolean => {
    if (!isSign(text)) return false;
    at += 1;
    return true;
  };
  const expect = (text: string): void => {
    if (!accept(text)) throw new Error(`syntax error near '${peek().text}'`);
  };
  const step = (): void => {
    steps += 1;
    if (steps > MAX_STEPS) throw new Error(`more than ${MAX_STEPS} steps`);
    if (signal.aborted) throw new Error("interrupted");
  };
  const truth = (isTrue: boolean): Decimal => fromInteger(isTrue ? 1 : 0);

  const binary = (left: Decimal, sign: string, right: Decimal): Decimal => {
    if (!isLive) return ZERO;
    if (sign === "+") return add(left, right);
    if (sign === "-") return add(left, negate(right));
    if (sign === "*") return multiply(left, right, scale());
    if (sign === "/") return divide(left, right, scale());
    if (sign === "%") return modulo(left, right, scale());
    return raise(left, right, scale());
  };

  const level =
    (signs: readonly string[], next: () => Decimal): (() => Decimal) =>
    () => {
      let left = next();
      while (isSign(...signs)) {
        const sign = peek().text;
        at += 1;
        left = binary(left, sign, next());
      }
      return left;
    };
  const primary = (): Decimal => {
    step();
    const { kind, text } = peek();
    at += 1;
    if (kind === "number") return parseNumber(text, integer("ibase"));
    if (kind === "sign" && text === "(") {
      const value = expression();
      expect(")");
      return value;
    }
    if (kind === "sign" && text === "-") return negate(power());
    if (kind === "sign" && text === "!") return truth(power().digits === 0n);
    if (kind === "sign" && (text === "++" || text === "--")) return change(peekName(), text, true);
    if (kind !== "name") throw new Error(`syntax error near '${text}'`);
    if (accept("(")) return call(text);
    const name = accept("[") ? `${text}[${indexOf()}]` : text;
    if (isSign("++", "--")) {
      const sign = peek().text;
      at += 1;
      return change(name, sign, false);
    }
    if (isSign("=", "+=", "-=", "*=", "/=", "%=", "^=")) {
      const sign = peek().text;
      at += 1;
      const value = expression();
      return assign(name, sign === "=" ? value : binary(variable(name), sign.charAt(0), value));
    }
    return variable(name);
  };
  const peekName = (): string => {
    const { text } = peek();
    at += 1;
    return text;
  };
  const indexOf = (): string => {
    const index = expression();
    expect("]");
    return String(toScale(index, 0).digits);
  };
  const assign = (name: string, value: Decimal): Decimal => {
    if (isLive) variables.set(name, value);
    return value;
  };
  const change = (name: string, sign: string, isBefore: boolean): Decimal => {
    const before = variable(name);
    const after = assign(name, add(before, fromInteger(sign === "++" ? 1 : -1)));
    return isBefore ? after : before;
  };
  const call = (name: string): Decimal => {
    const value = expression();
    expect(")");
    if (!isLive) return ZERO;
    if (name === "sqrt") return squareRoot(value, scale());
    if (name === "length") return fromInteger(String(value.digits).replace("-", "").length);
    if (name === "scale") return fromInteger(value.scale);
    if (name === "s" || name === "c") return sine(value, scale(), name === "c");
    if (name === "a") return arctangent(value, scale());
    if (name === "l") return logarithm(value, scale());
    if (name === "e") return exponential(value, scale());
    throw new Error(`Function ${name} not defined.`);
  };
  const power = (): Decimal => {
    const base = primary();
    return accept("^") ? binary(base, "^", power()) : base;
  };
  const product = level(["*", "/", "%"], power);
  const sum = level(["+", "-"], product);
  const comparison = (): Decimal => {
    let left = sum();
    while (isSign("<", ">", "<=", ">=", "==", "!=")) {
      const sign = peek().text;
      at += 1;
      const order = compare(left, sum());
      left = truth(
        { "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0, "==": order === 0 }[
          sign
        ] ?? order !== 0,
      );
    }
    return left;
  };
  const conjunction = (): Decimal => {
    let left = comparison();
    while (accept("&&")) {
      const right = comparison();
      left = truth(left.digits !== 0n && right.digits !== 0n);
    }
    return left;
  };
  const expression = (): Decimal => {
    let left = conjunction();
    while (accept("||")) {
      const right = conjunction();
      left = truth(left.digits !== 0n || right.digits !== 0n);
    }
    return left;
  };

  const print = (text: string): void => {
    if (isLive) output += text;
  };
  const silently = <Result>(live: boolean, run: () => Result): Result => {
    const before = isLive;
    isLive = before && live;
    const result = run();
    isLive = before;
    return result;
  };
  const loop = (start: number, condition: () => boolean, body: () => void): void => {
    for (;;) {
      step();
      at = start;
      const goesOn = condition();
      silently(goesOn, body);
      if (!isLive || !goesOn) return;
    }
  };
  const skipEnds = (): void => {
    while (accept(";"));
  };
  const statement = (): void => {
    const { kind, text } = peek();
    if (kind === "text") {
      at += 1;
      print(text);
    } else if (accept("{")) {
      skipEnds();
      while (!accept("}")) {
        if (peek().kind === "end") throw new Error("syntax error: missing '}'");
        statement();
        skipEnds();
      }
    } else if (kind === "name" && text === "print") {
      do {
        at += 1;
        if (peek().kind === "text") {
          print(peek().text.replaceAll("\\n", "\n").replaceAll("\\t", "\t"));
          at += 1;
        } else print(format(expression(), integer("obase")));
      } while (isSign(","));
    } else if (kind === "name" && text === "if") {
      at += 1;
      expect("(");
      const isTrue = expression().digits !== 0n;
      expect(")");
      skipEnds();
      silently(isTrue, statement);
      const mark = at;
      skipEnds();
      if (peek().kind === "name" && peek().text === "else") {
        at += 1;
        skipEnds();
        silently(!isTrue, statement);
      } else at = mark;
    } else if (kind === "name" && text === "while") {
      at += 1;
      expect("(");
      loop(
        at,
        () => {
          const isTrue = expression().digits !== 0n;
          expect(")");
          return isTrue;
        },
        statement,
      );
    } else if (kind === "name" && text === "for") {
      at += 1;
      expect("(");
      if (!isSign(";")) expression();
      expect(";");
      const start = at;
      loop(
        start,
        () => isSign(";") || expression().digits !== 0n,
        () => {
          expect(";");
          const [increment, wasLive] = [at, isLive];
          isLive = false;
          if (!isSign(")")) expression();
          isLive = wasLive;
          expect(")");
          skipEnds();
          statement();
          const end = at;
          at = increment;
          if (!isSign(")")) expression();
          at = end;
        },
      );
    } else if (kind === "name" && (text === "quit" || text === "halt")) {
      at = tokens.length;
    } else {
      const next = tokens[at + 1];
      const isAssignment =
        kind === "name" && next?.kind === "sign" && /^(?:[-+*/%^]?=)$/.test(next.text);
      const value = expression();
      if (!isAssignment) print(`${format(value, integer("obase"))}\n`);
    }
  };

  return {
    run() {
      tokens = tokenize(source);
      skipEnds();
      while (peek().kind !== "end") {
        statement();
        if (peek().kind !== "end" && !isSign(";"))
          throw new Error(`syntax error near '${peek().text}'`);
        skipEnds();
      }
      return output;
    },
    get output() {
      return output;
    },
  };
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
