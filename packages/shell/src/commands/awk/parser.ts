import { tokenize, type Token } from "./lexer.ts";
import type {
  Definition,
  Destination,
  Expression,
  Program,
  Rule,
  Statement,
  Target,
} from "./syntax.ts";

const MAX_DEPTH = 200;
const assignments = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);
const comparisons = new Set(["<", "<=", "==", "!=", ">", ">="]);

function isTarget(value: Expression): value is Target {
  return value.type === "name" || value.type === "element" || value.type === "field";
}

/** @throws {Error} For what is no program of awk. */
export function parseProgram(source: string): Program {
  const tokens = tokenize(source);
  let at = 0;
  let depth = 0;
  /** Within `print`, where `>` is a redirection, and within the head of `for`, where `in` is its own. */
  let isPrinting = false;

  const peek = (): Token => tokens[at] ?? { kind: "end", text: "", line: 0 };
  const is = (...texts: string[]): boolean => {
    const { kind, text } = peek();
    return (kind === "mark" || kind === "word") && texts.includes(text);
  };
  const accept = (...texts: string[]): boolean => {
    if (!is(...texts)) return false;
    at += 1;
    return true;
  };
  const wrong = (): never => {
    const { kind, text, line } = peek();
    const what = kind === "end" ? "end of the program" : text === "\n" ? "newline" : text;
    throw new Error(`syntax error at source line ${line}: unexpected ${what}`);
  };
  const expect = (text: string): void => void (accept(text) || wrong());
  const newlines = (): void => {
    while (accept("\n"));
  };
  const separators = (): void => {
    while (accept("\n", ";"));
  };
  const nameNext = (): string => {
    const { kind, text } = peek();
    if (kind !== "name" && kind !== "call") return wrong();
    at += 1;
    return text;
  };
  const nested = <Value>(read: () => Value): Value => {
    if (++depth > MAX_DEPTH) throw new Error("the program is nested too deep");
    const value = read();
    depth -= 1;
    return value;
  };
  const within = <Value>(printing: boolean, read: () => Value): Value => {
    const outer = isPrinting;
    isPrinting = printing;
    const value = read();
    isPrinting = outer;
    return value;
  };

  const expression = (): Expression =>
    nested(() => {
      const left = choice();
      const { kind, text } = peek();
      if (kind !== "mark" || !assignments.has(text)) return left;
      if (isTarget(left)) {
        at += 1;
        newlines();
        return { type: "assign", operator: text.slice(0, -1), target: left, value: expression() };
      }
      // `1 && x = 2` gives x a value, as it does in other awks.
      if (left.type === "binary" && isTarget(left.right)) {
        at += 1;
        const { right: target } = left;
        const value = expression();
        return { ...left, right: { type: "assign", operator: text.slice(0, -1), target, value } };
      }
      return wrong();
    });

  const choice = (): Expression => {
    const condition = either();
    if (!accept("?")) return condition;
    newlines();
    const yes = expression();
    newlines();
    expect(":");
    newlines();
    return { type: "choice", condition, yes, no: expression() };
  };

  const chain = (operator: string, next: () => Expression): Expression => {
    let left = next();
    while (accept(operator)) {
      newlines();
      left = { type: "binary", operator, left, right: next() };
    }
    return left;
  };
  const either = (): Expression => chain("||", both);
  const both = (): Expression => chain("&&", membership);

  const membership = (): Expression => {
    let left = matching();
    while (is("in")) {
      at += 1;
      left = { type: "in", keys: left.type === "group" ? left.items : [left], name: nameNext() };
    }
    return left;
  };

  const matching = (): Expression => {
    let left = comparison();
    while (is("~", "!~")) {
      const operator = peek().text;
      at += 1;
      left = { type: "binary", operator, left, right: comparison() };
    }
    return left;
  };

  const comparison = (): Expression => {
    let left = concatenation();
    for (;;) {
      const { kind, text } = peek();
      if (is("|") && tokens[at + 1]?.text === "getline" && tokens[at + 1]?.kind === "word") {
        at += 2;
        left = { type: "getline", command: left, ...targetNext() };
      } else if (kind === "mark" && comparisons.has(text) && !(text === ">" && isPrinting)) {
        at += 1;
        left = { type: "binary", operator: text, left, right: concatenation() };
      } else return left;
    }
  };

  /** Whether a value begins here that can follow another. A sign does not: it computes. */
  const startsValue = (): boolean => {
    const { kind } = peek();
    if (["number", "string", "regex", "name", "call"].includes(kind)) return true;
    return is("$", "!", "(", "++", "--", "-", "+");
  };

  const concatenation = (): Expression => {
    let left = sum();
    while (startsValue() && !is("-", "+")) {
      left = { type: "binary", operator: " ", left, right: sum() };
    }
    return left;
  };

  const computed = (operators: string[], next: () => Expression): Expression => {
    let left = next();
    while (is(...operators)) {
      const operator = peek().text;
      at += 1;
      left = { type: "binary", operator, left, right: next() };
    }
    return left;
  };
  const sum = (): Expression => computed(["+", "-"], product);
  const product = (): Expression => computed(["*", "/", "%"], unary);

  const unary = (): Expression =>
    nested(() => {
      if (accept("!")) return { type: "unary", operator: "!", operand: unary() };
      if (accept("-")) return { type: "unary", operator: "-", operand: unary() };
      if (accept("+")) return { type: "unary", operator: "+", operand: unary() };
      return power();
    });

  const power = (): Expression => {
    const left = postfix();
    if (!accept("^")) return left;
    const right: Expression = accept("-")
      ? { type: "unary", operator: "-", operand: power() }
      : power();
    return { type: "binary", operator: "^", left, right };
  };

  const postfix = (): Expression => {
    const value = primary();
    if (!isTarget(value)) return value;
    if (accept("++")) return { type: "step", target: value, by: 1, isPrefix: false };
    if (accept("--")) return { type: "step", target: value, by: -1, isPrefix: false };
    return value;
  };

  const stepped = (by: 1 | -1): Expression => {
    const target = primary();
    return isTarget(target) ? { type: "step", target, by, isPrefix: true } : wrong();
  };

  const targetNext = (): { target?: Target } => {
    const { kind } = peek();
    if (kind !== "name" && !is("$")) return {};
    const target = primary();
    return isTarget(target) ? { target } : wrong();
  };

  const listTo = (end: string): Expression[] => {
    const items: Expression[] = [];
    newlines();
    while (!accept(end)) {
      if (items.length > 0) {
        expect(",");
        newlines();
      }
      items.push(expression());
      newlines();
    }
    return items;
  };

  const primary = (): Expression => {
    const { kind, text } = peek();
    at += 1;
    if (kind === "number") return { type: "number", value: Number(text) };
    if (kind === "string") return { type: "string", value: text };
    if (kind === "regex") return { type: "regex", source: text };
    if (kind === "call") {
      at += 1;
      return { type: "call", name: text, args: within(false, () => listTo(")")) };
    }
    if (kind === "name") {
      if (text === "length") return { type: "call", name: text, args: [] };
      if (!accept("[")) return { type: "name", name: text };
      return { type: "element", name: text, keys: within(false, () => listTo("]")) };
    }
    if (kind === "mark" && text === "$") {
      if (accept("++")) return { type: "field", index: stepped(1) };
      if (accept("--")) return { type: "field", index: stepped(-1) };
      if (accept("-"))
        return { type: "field", index: { type: "unary", operator: "-", operand: primary() } };
      return { type: "field", index: primary() };
    }
    if (kind === "mark" && text === "++") return stepped(1);
    if (kind === "mark" && text === "--") return stepped(-1);
    if (kind === "mark" && text === "(") {
      const items = within(false, () => listTo(")"));
      if (items.length === 0) return wrong();
      return { type: "group", items };
    }
    if (kind === "word" && text === "getline") {
      const target = targetNext();
      return accept("<")
        ? { type: "getline", ...target, file: postfix() }
        : { type: "getline", ...target };
    }
    at -= 1;
    return wrong();
  };

  // ---- statements

  const destinationNext = (): { destination?: Destination } => {
    const { text } = peek();
    if (!is(">", ">>", "|")) return {};
    at += 1;
    const to = within(true, concatenation);
    return { destination: { kind: text === ">" ? ">" : text === ">>" ? ">>" : "|", to } };
  };

  const isOver = (): boolean => is("\n", ";", "}") || peek().kind === "end";

  const printing = (type: "print" | "printf"): Statement => {
    const args = within(true, () => {
      const items: Expression[] = [];
      while (!isOver() && !is(">", ">>", "|")) {
        if (items.length > 0) {
          expect(",");
          newlines();
        }
        items.push(expression());
      }
      return items;
    });
    const [only] = args;
    const isGroup = args.length === 1 && only?.type === "group";
    return { type, args: isGroup ? only.items : args, ...destinationNext() };
  };

  /** A statement that stands alone, without what ends it. */
  const simple = (): Statement => {
    if (accept("print")) return printing("print");
    if (accept("printf")) return printing("printf");
    if (accept("delete")) {
      const name = nameNext();
      return accept("[") ? { type: "delete", name, keys: listTo("]") } : { type: "delete", name };
    }
    return { type: "expression", value: expression() };
  };

  const bodyNext = (): Statement => {
    newlines();
    return accept(";") ? { type: "block", body: [] } : statement();
  };

  const loop = (): Statement => {
    expect("(");
    const [variable, word, list, end] = tokens.slice(at, at + 4);
    if (
      variable?.kind === "name" &&
      word?.text === "in" &&
      word.kind === "word" &&
      end?.text === ")"
    ) {
      at += 4;
      const target: Target = { type: "name", name: variable.text };
      return { type: "each", variable: target, name: list?.text ?? "", body: bodyNext() };
    }
    const start = is(";") ? undefined : simple();
    expect(";");
    newlines();
    const condition = is(";") ? undefined : expression();
    expect(";");
    newlines();
    const step = is(")") ? undefined : simple();
    expect(")");
    const body = bodyNext();
    return {
      type: "loop",
      ...(start ? { start } : {}),
      ...(condition ? { condition } : {}),
      ...(step ? { step } : {}),
      body,
    };
  };

  const statement = (): Statement => nested(() => within(false, statementNext));

  const statementNext = (): Statement => {
    if (is("{")) return block();
    if (accept("if")) {
      expect("(");
      const condition = expression();
      expect(")");
      const yes = bodyNext();
      const back = at;
      separators();
      if (accept("else")) return { type: "if", condition, yes, no: bodyNext() };
      at = back;
      return { type: "if", condition, yes };
    }
    if (accept("while")) {
      expect("(");
      const condition = expression();
      expect(")");
      return { type: "loop", condition, body: bodyNext() };
    }
    if (accept("for")) return loop();
    if (accept("do")) {
      const body = bodyNext();
      separators();
      expect("while");
      expect("(");
      const condition = expression();
      expect(")");
      return { type: "loop", condition, body, isBodyFirst: true };
    }
    let read: Statement;
    if (accept("break")) read = { type: "break" };
    else if (accept("continue")) read = { type: "continue" };
    else if (accept("next")) read = { type: "next" };
    else if (accept("nextfile")) read = { type: "nextfile" };
    else if (is("exit", "return")) {
      const type = accept("exit") ? "exit" : "return";
      if (type === "return") at += 1;
      read = isOver() ? { type } : { type, value: expression() };
    } else read = simple();
    if (!isOver()) wrong();
    if (is(";")) at += 1;
    return read;
  };

  const block = (): Statement => {
    expect("{");
    const body: Statement[] = [];
    for (separators(); !accept("}"); separators()) body.push(statement());
    return { type: "block", body };
  };

  const definition = (): Definition => {
    const name = nameNext();
    expect("(");
    const parameters = listTo(")").map((each) => (each.type === "name" ? each.name : wrong()));
    newlines();
    return { name, parameters, body: block() };
  };

  const rule = (): Rule => {
    const read: Rule = {};
    if (accept("BEGIN")) read.pattern = "BEGIN";
    else if (accept("END")) read.pattern = "END";
    else if (!is("{")) {
      read.pattern = expression();
      if (accept(",")) {
        newlines();
        read.until = expression();
      }
    }
    if (is("{")) read.body = block();
    else if (typeof read.pattern === "string") wrong();
    return read;
  };

  const program: Program = { rules: [], functions: new Map() };
  for (separators(); peek().kind !== "end"; separators()) {
    if (accept("function", "func")) {
      const read = definition();
      program.functions.set(read.name, read);
    } else program.rules.push(rule());
  }
  return program;
}
