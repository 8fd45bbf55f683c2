import type { TokenCursor } from "./token-cursor.ts";
import type { Expression, Target } from "./syntax.ts";

const assignments = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);
const comparisons = new Set(["<", "<=", "==", "!=", ">", ">="]);

function isTarget(value: Expression): value is Target {
  return value.type === "name" || value.type === "element" || value.type === "field";
}

/** Parses expressions by precedence, the weakest operator first. */
export class ExpressionParser {
  readonly #cursor: TokenCursor;
  /** True within `print`, where `>` is a redirection. */
  #isPrinting = false;

  constructor(cursor: TokenCursor) {
    this.#cursor = cursor;
  }

  within<Value>(printing: boolean, read: () => Value): Value {
    const outer = this.#isPrinting;
    this.#isPrinting = printing;
    const value = read();
    this.#isPrinting = outer;
    return value;
  }

  expression(): Expression {
    return this.#cursor.nested(() => {
      const left = this.#choice();
      const { kind, text } = this.#cursor.peek();
      if (kind !== "mark" || !assignments.has(text)) return left;
      if (isTarget(left)) {
        this.#cursor.at += 1;
        this.#cursor.newlines();
        return {
          type: "assign",
          operator: text.slice(0, -1),
          target: left,
          value: this.expression(),
        };
      }
      // `1 && x = 2` assigns to x, as in other awks.
      if (left.type === "binary" && isTarget(left.right)) {
        this.#cursor.at += 1;
        const { right: target } = left;
        const value = this.expression();
        return { ...left, right: { type: "assign", operator: text.slice(0, -1), target, value } };
      }
      return this.#cursor.wrong();
    });
  }

  #choice(): Expression {
    const condition = this.#either();
    if (!this.#cursor.accept("?")) return condition;
    this.#cursor.newlines();
    const yes = this.expression();
    this.#cursor.newlines();
    this.#cursor.expect(":");
    this.#cursor.newlines();
    return { type: "choice", condition, yes, no: this.expression() };
  }

  #chain(operator: string, next: () => Expression): Expression {
    let left = next();
    while (this.#cursor.accept(operator)) {
      this.#cursor.newlines();
      left = { type: "binary", operator, left, right: next() };
    }
    return left;
  }

  #either(): Expression {
    return this.#chain("||", () => this.#both());
  }

  #both(): Expression {
    return this.#chain("&&", () => this.#membership());
  }

  #membership(): Expression {
    let left = this.#matching();
    while (this.#cursor.is("in")) {
      this.#cursor.at += 1;
      left = {
        type: "in",
        keys: left.type === "group" ? left.items : [left],
        name: this.#cursor.nameNext(),
      };
    }
    return left;
  }

  #matching(): Expression {
    let left = this.#comparison();
    while (this.#cursor.is("~", "!~")) {
      const operator = this.#cursor.peek().text;
      this.#cursor.at += 1;
      left = { type: "binary", operator, left, right: this.#comparison() };
    }
    return left;
  }

  #comparison(): Expression {
    let left = this.concatenation();
    for (;;) {
      const { kind, text } = this.#cursor.peek();
      if (
        this.#cursor.is("|") &&
        this.#cursor.ahead(1)?.text === "getline" &&
        this.#cursor.ahead(1)?.kind === "word"
      ) {
        this.#cursor.at += 2;
        left = { type: "getline", command: left, ...this.#targetNext() };
      } else if (kind === "mark" && comparisons.has(text) && !(text === ">" && this.#isPrinting)) {
        this.#cursor.at += 1;
        left = { type: "binary", operator: text, left, right: this.concatenation() };
      } else return left;
    }
  }

  /** Reports whether a value begins here. A sign does too, so `concatenation` excludes it: there it is an operator. */
  #startsValue(): boolean {
    const { kind } = this.#cursor.peek();
    if (["number", "string", "regex", "name", "call"].includes(kind)) return true;
    return this.#cursor.is("$", "!", "(", "++", "--", "-", "+");
  }

  concatenation(): Expression {
    let left = this.#sum();
    while (this.#startsValue() && !this.#cursor.is("-", "+")) {
      left = { type: "binary", operator: " ", left, right: this.#sum() };
    }
    return left;
  }

  #computed(operators: string[], next: () => Expression): Expression {
    let left = next();
    while (this.#cursor.is(...operators)) {
      const operator = this.#cursor.peek().text;
      this.#cursor.at += 1;
      left = { type: "binary", operator, left, right: next() };
    }
    return left;
  }

  #sum(): Expression {
    return this.#computed(["+", "-"], () => this.#product());
  }

  #product(): Expression {
    return this.#computed(["*", "/", "%"], () => this.#unary());
  }

  #unary(): Expression {
    return this.#cursor.nested(() => {
      if (this.#cursor.accept("!")) return { type: "unary", operator: "!", operand: this.#unary() };
      if (this.#cursor.accept("-")) return { type: "unary", operator: "-", operand: this.#unary() };
      if (this.#cursor.accept("+")) return { type: "unary", operator: "+", operand: this.#unary() };
      return this.#power();
    });
  }

  #power(): Expression {
    const left = this.#postfix();
    if (!this.#cursor.accept("^")) return left;
    const right: Expression = this.#cursor.accept("-")
      ? { type: "unary", operator: "-", operand: this.#power() }
      : this.#power();
    return { type: "binary", operator: "^", left, right };
  }

  #postfix(): Expression {
    const value = this.#primary();
    if (!isTarget(value)) return value;
    if (this.#cursor.accept("++")) return { type: "step", target: value, by: 1, isPrefix: false };
    if (this.#cursor.accept("--")) return { type: "step", target: value, by: -1, isPrefix: false };
    return value;
  }

  #stepped(by: 1 | -1): Expression {
    const target = this.#primary();
    return isTarget(target) ? { type: "step", target, by, isPrefix: true } : this.#cursor.wrong();
  }

  #targetNext(): { target?: Target } {
    const { kind } = this.#cursor.peek();
    if (kind !== "name" && !this.#cursor.is("$")) return {};
    const target = this.#primary();
    return isTarget(target) ? { target } : this.#cursor.wrong();
  }

  listTo(end: string): Expression[] {
    const items: Expression[] = [];
    this.#cursor.newlines();
    while (!this.#cursor.accept(end)) {
      if (items.length > 0) {
        this.#cursor.expect(",");
        this.#cursor.newlines();
      }
      items.push(this.expression());
      this.#cursor.newlines();
    }
    return items;
  }

  #primary(): Expression {
    const { kind, text } = this.#cursor.peek();
    this.#cursor.at += 1;
    if (kind === "number") return { type: "number", value: Number(text) };
    if (kind === "string") return { type: "string", value: text };
    if (kind === "regex") return { type: "regex", source: text };
    if (kind === "call") {
      this.#cursor.at += 1;
      return { type: "call", name: text, args: this.within(false, () => this.listTo(")")) };
    }
    if (kind === "name") {
      if (text === "length") return { type: "call", name: text, args: [] };
      if (!this.#cursor.accept("[")) return { type: "name", name: text };
      return { type: "element", name: text, keys: this.within(false, () => this.listTo("]")) };
    }
    if (kind === "mark" && text === "$") {
      if (this.#cursor.accept("++")) return { type: "field", index: this.#stepped(1) };
      if (this.#cursor.accept("--")) return { type: "field", index: this.#stepped(-1) };
      if (this.#cursor.accept("-"))
        return { type: "field", index: { type: "unary", operator: "-", operand: this.#primary() } };
      return { type: "field", index: this.#primary() };
    }
    if (kind === "mark" && text === "++") return this.#stepped(1);
    if (kind === "mark" && text === "--") return this.#stepped(-1);
    if (kind === "mark" && text === "(") {
      const items = this.within(false, () => this.listTo(")"));
      if (items.length === 0) return this.#cursor.wrong();
      return { type: "group", items };
    }
    if (kind === "word" && text === "getline") {
      const target = this.#targetNext();
      return this.#cursor.accept("<")
        ? { type: "getline", ...target, file: this.#postfix() }
        : { type: "getline", ...target };
    }
    this.#cursor.at -= 1;
    return this.#cursor.wrong();
  }

  // ---- statements
}
