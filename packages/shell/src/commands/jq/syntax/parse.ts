import { tokensOf } from "./lexer.ts";
import { parseImports } from "./parse-module.ts";
import { parsePatterns } from "./parse-patterns.ts";
import { parseTerm } from "./parse-term.ts";
import type { BinaryOperator, Definition, Node, Program } from "./tree.ts";
import { ProgramError } from "./tree.ts";
import { Tokens } from "./tokens.ts";

/** Parses a program or a library. @throws {ProgramError} */
export function parseProgram(source: string): Program {
  const tokens = new Tokens(tokensOf(source));
  const imports = parseImports(tokens, PARSERS);
  const definitions: Definition[] = [];
  while (tokens.is("def")) definitions.push(parseDefinition(tokens));
  const body = tokens.peek().type === "end" ? undefined : parsePipe(tokens);
  if (tokens.peek().type !== "end") tokens.fail();
  return { imports, definitions, body };
}

/** Parses the definitions of a library. */
export function parseDefinitions(source: string): Definition[] {
  const tokens = new Tokens(tokensOf(source));
  const definitions: Definition[] = [];
  while (tokens.is("def")) definitions.push(parseDefinition(tokens));
  return definitions;
}

function parseDefinition(tokens: Tokens): Definition {
  tokens.expect("def");
  const name = tokens.next();
  if (name.type !== "name" && name.type !== "keyword") tokens.fail(name);
  const params: string[] = [];
  const values: string[] = [];
  if (tokens.take("(")) {
    do {
      const param = tokens.next();
      if (param.type === "variable") values.push(param.text);
      else if (param.type !== "name" && param.type !== "keyword") tokens.fail(param);
      params.push(param.text);
    } while (tokens.take(";"));
    tokens.expect(")");
  }
  tokens.expect(":");
  const body = tokens.nested(() => parsePipe(tokens));
  tokens.expect(";");
  // A parameter `$name` is the filter `name`, and its results one by one.
  const bodyOfValues = values.reduceRight<Node>(
    (inner, value) => ({
      type: "bind",
      source: { type: "call", name: value, args: [], at: name.at },
      patterns: [{ type: "variable", name: value }],
      body: inner,
    }),
    body,
  );
  return { name: name.text, params, body: bodyOfValues };
}

/** Parses a whole filter: `|` binds least. */
function parsePipe(tokens: Tokens): Node {
  return tokens.nested(() => {
    if (tokens.is("def")) {
      const definition = parseDefinition(tokens);
      return { type: "define", definition, body: parsePipe(tokens) };
    }
    if (tokens.take("label")) {
      const { text } = tokens.peek().type === "variable" ? tokens.next() : tokens.fail();
      tokens.expect("|");
      return { type: "label", name: text, body: parsePipe(tokens) };
    }
    const stages = [parseOperators(tokens, 0)];
    while (tokens.take("|")) {
      if (tokens.is("def") || tokens.is("label")) {
        stages.push(parsePipe(tokens));
        break;
      }
      stages.push(parseOperators(tokens, 0));
    }
    return stages.reduceRight((right, left) => ({ type: "pipe", left, right }));
  });
}

/** Parses a filter that a comma ends, such as a value of an object. */
function parseWithoutComma(tokens: Tokens): Node {
  return parseOperators(tokens, 1);
}

function parseSource(tokens: Tokens): Node {
  return parseOperators(tokens, 1, false);
}

const PARSERS = { parsePipe, parseWithoutComma, parseSource };

interface Level {
  readonly operators: readonly string[];
  readonly associates: "left" | "right" | "not";
}

/** Operators by their precedence, from the one that binds least. */
const LEVELS: readonly Level[] = [
  { operators: [","], associates: "left" },
  { operators: ["//"], associates: "right" },
  { operators: ["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="], associates: "not" },
  { operators: ["or"], associates: "left" },
  { operators: ["and"], associates: "left" },
  { operators: ["==", "!=", "<", "<=", ">", ">="], associates: "not" },
  { operators: ["+", "-"], associates: "left" },
  { operators: ["*", "/", "%"], associates: "left" },
];

const PRODUCTS = LEVELS.length - 1;

/** `binds`: an `as` after an operand makes it a variable's */
function parseOperators(tokens: Tokens, level: number, binds = true): Node {
  const { operators, associates } = LEVELS[level] ?? {};
  if (!operators) return parseOperand(tokens, binds);
  let left = parseOperators(tokens, level + 1, binds);
  for (;;) {
    const { text, at } = tokens.peek();
    if (!operators.some((operator) => tokens.is(operator))) return left;
    tokens.next();
    const right =
      associates === "right"
        ? tokens.nested(() => parseOperators(tokens, level, binds))
        : parseOperators(tokens, level + 1, binds);
    left = operation(text, left, right, at);
    if (associates === "not" && operators.some((operator) => tokens.is(operator))) tokens.fail();
  }
}

function operation(operator: string, left: Node, right: Node, at: number): Node {
  if (operator === ",") return { type: "comma", left, right };
  if (operator === "//") return { type: "alternative", left, right };
  if (operator === "and" || operator === "or") return { type: operator, left, right };
  if (operator.endsWith("=") && !["==", "!=", "<=", ">="].includes(operator))
    return { type: "assign", operator: operator.slice(0, -1), left, right };
  const isZero = right.type === "literal" && right.value === 0;
  if (operator === "/" && isZero && left.type === "literal")
    throw new ProgramError("Division by zero?", at);
  return { type: "binary", operator: operator as BinaryOperator, left, right };
}

function parseOperand(tokens: Tokens, binds: boolean): Node {
  if (tokens.is("def") || tokens.is("label")) return parsePipe(tokens);
  if (tokens.take("-")) {
    return { type: "negate", of: tokens.nested(() => parseOperators(tokens, PRODUCTS, binds)) };
  }
  const term = parseTerm(tokens, PARSERS);
  if (!binds || !tokens.take("as")) return term;
  const patterns = parsePatterns(tokens, PARSERS);
  tokens.expect("|");
  return { type: "bind", source: term, patterns, body: parsePipe(tokens) };
}
