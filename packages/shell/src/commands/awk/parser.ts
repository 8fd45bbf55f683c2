import { ExpressionParser } from "./expression-parser.ts";
import type {
  Definition,
  Destination,
  Expression,
  Program,
  Rule,
  Statement,
  Target,
} from "./syntax.ts";
import { TokenCursor } from "./token-cursor.ts";

/** @throws {Error} For a syntax error. */
export function parseProgram(source: string): Program {
  return new ProgramParser(source).program();
}

class ProgramParser {
  readonly #cursor: TokenCursor;
  readonly #expressions: ExpressionParser;

  constructor(source: string) {
    this.#cursor = new TokenCursor(source);
    this.#expressions = new ExpressionParser(this.#cursor);
  }

  program(): Program {
    const program: Program = { rules: [], functions: new Map() };
    for (this.#cursor.separators(); this.#cursor.peek().kind !== "end"; this.#cursor.separators()) {
      if (this.#cursor.accept("function", "func")) {
        const read = this.#definition();
        program.functions.set(read.name, read);
      } else program.rules.push(this.#rule());
    }
    return program;
  }

  #destinationNext(): { destination?: Destination } {
    const { text } = this.#cursor.peek();
    if (!this.#cursor.is(">", ">>", "|")) return {};
    this.#cursor.at += 1;
    const to = this.#expressions.within(true, () => this.#expressions.concatenation());
    return { destination: { kind: text === ">" ? ">" : text === ">>" ? ">>" : "|", to } };
  }

  #isOver(): boolean {
    return this.#cursor.is("\n", ";", "}") || this.#cursor.peek().kind === "end";
  }

  #printing(type: "print" | "printf"): Statement {
    const args = this.#expressions.within(true, () => {
      const items: Expression[] = [];
      while (!this.#isOver() && !this.#cursor.is(">", ">>", "|")) {
        if (items.length > 0) {
          this.#cursor.expect(",");
          this.#cursor.newlines();
        }
        items.push(this.#expressions.expression());
      }
      return items;
    });
    const [only] = args;
    const isGroup = args.length === 1 && only?.type === "group";
    return { type, args: isGroup ? only.items : args, ...this.#destinationNext() };
  }

  /** A simple statement, without its terminator. */
  #simple(): Statement {
    if (this.#cursor.accept("print")) return this.#printing("print");
    if (this.#cursor.accept("printf")) return this.#printing("printf");
    if (this.#cursor.accept("delete")) {
      const name = this.#cursor.nameNext();
      return this.#cursor.accept("[")
        ? { type: "delete", name, keys: this.#expressions.listTo("]") }
        : { type: "delete", name };
    }
    return { type: "expression", value: this.#expressions.expression() };
  }

  #bodyNext(): Statement {
    this.#cursor.newlines();
    return this.#cursor.accept(";") ? { type: "block", body: [] } : this.#statement();
  }

  #loop(): Statement {
    this.#cursor.expect("(");
    const [variable, word, list, end] = [0, 1, 2, 3].map((place) => this.#cursor.ahead(place));
    if (
      variable?.kind === "name" &&
      word?.text === "in" &&
      word.kind === "word" &&
      end?.text === ")"
    ) {
      this.#cursor.at += 4;
      const target: Target = { type: "name", name: variable.text };
      return { type: "each", variable: target, name: list?.text ?? "", body: this.#bodyNext() };
    }
    const start = this.#cursor.is(";") ? undefined : this.#simple();
    this.#cursor.expect(";");
    this.#cursor.newlines();
    const condition = this.#cursor.is(";") ? undefined : this.#expressions.expression();
    this.#cursor.expect(";");
    this.#cursor.newlines();
    const step = this.#cursor.is(")") ? undefined : this.#simple();
    this.#cursor.expect(")");
    const body = this.#bodyNext();
    return {
      type: "loop",
      start,
      condition,
      step,
      body,
    };
  }

  #statement(): Statement {
    return this.#cursor.nested(() => this.#expressions.within(false, () => this.#statementNext()));
  }

  #statementNext(): Statement {
    if (this.#cursor.is("{")) return this.#block();
    if (this.#cursor.accept("if")) {
      this.#cursor.expect("(");
      const condition = this.#expressions.expression();
      this.#cursor.expect(")");
      const yes = this.#bodyNext();
      const back = this.#cursor.at;
      this.#cursor.separators();
      if (this.#cursor.accept("else")) return { type: "if", condition, yes, no: this.#bodyNext() };
      this.#cursor.at = back;
      return { type: "if", condition, yes };
    }
    if (this.#cursor.accept("while")) {
      this.#cursor.expect("(");
      const condition = this.#expressions.expression();
      this.#cursor.expect(")");
      return { type: "loop", condition, body: this.#bodyNext() };
    }
    if (this.#cursor.accept("for")) return this.#loop();
    if (this.#cursor.accept("do")) {
      const body = this.#bodyNext();
      this.#cursor.separators();
      this.#cursor.expect("while");
      this.#cursor.expect("(");
      const condition = this.#expressions.expression();
      this.#cursor.expect(")");
      return { type: "loop", condition, body, isBodyFirst: true };
    }
    let read: Statement;
    if (this.#cursor.accept("break")) read = { type: "break" };
    else if (this.#cursor.accept("continue")) read = { type: "continue" };
    else if (this.#cursor.accept("next")) read = { type: "next" };
    else if (this.#cursor.accept("nextfile")) read = { type: "nextfile" };
    else if (this.#cursor.is("exit", "return")) {
      const type = this.#cursor.accept("exit") ? "exit" : "return";
      if (type === "return") this.#cursor.at += 1;
      read = this.#isOver() ? { type } : { type, value: this.#expressions.expression() };
    } else read = this.#simple();
    if (!this.#isOver()) this.#cursor.wrong();
    if (this.#cursor.is(";")) this.#cursor.at += 1;
    return read;
  }

  #block(): Statement {
    this.#cursor.expect("{");
    const body: Statement[] = [];
    for (this.#cursor.separators(); !this.#cursor.accept("}"); this.#cursor.separators())
      body.push(this.#statement());
    return { type: "block", body };
  }

  #definition(): Definition {
    const name = this.#cursor.nameNext();
    this.#cursor.expect("(");
    const parameters = this.#expressions
      .listTo(")")
      .map((each) => (each.type === "name" ? each.name : this.#cursor.wrong()));
    this.#cursor.newlines();
    return { name, parameters, body: this.#block() };
  }

  #rule(): Rule {
    const read: Rule = {};
    if (this.#cursor.accept("BEGIN")) read.pattern = "BEGIN";
    else if (this.#cursor.accept("END")) read.pattern = "END";
    else if (!this.#cursor.is("{")) {
      read.pattern = this.#expressions.expression();
      if (this.#cursor.accept(",")) {
        this.#cursor.newlines();
        read.until = this.#expressions.expression();
      }
    }
    if (this.#cursor.is("{")) read.body = this.#block();
    else if (typeof read.pattern === "string") this.#cursor.wrong();
    return read;
  }
}
