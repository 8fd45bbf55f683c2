import { parsePatterns } from "./parse-patterns.ts";
import { type Parsers, parseString } from "./parse-string.ts";
import type { Node } from "./tree.ts";
import type { Tokens } from "./tokens.ts";
import { objectOf } from "../values.ts";

/** Parses a term with what is attached to it: fields, indices, `?`. */
export function parseTerm(tokens: Tokens, parsers: Parsers): Node {
  return tokens.nested(() => {
    let term = parseStart(tokens, parsers);
    for (;;) {
      const next = parseSuffix(tokens, parsers, term);
      if (!next) return term;
      term = next;
    }
  });
}

function parseSuffix(tokens: Tokens, parsers: Parsers, of: Node): Node | undefined {
  const token = tokens.peek();
  if (token.type === "field") {
    tokens.next();
    return { type: "index", of, key: { type: "literal", value: token.text } };
  }
  if (tokens.is(".") && tokens.peek(1).type === "string") {
    tokens.next();
    return { type: "index", of, key: parseString(tokens, parsers, "text") };
  }
  if (tokens.is(".") && tokens.peek(1).text === "[") tokens.next();
  if (tokens.is("[")) return parseBrackets(tokens, parsers, of);
  if (tokens.takeMark()) return { type: "try", body: of, handler: undefined };
  return undefined;
}

function parseBrackets(tokens: Tokens, { parsePipe }: Parsers, of: Node): Node {
  tokens.expect("[");
  if (tokens.take("]")) return { type: "iterate", of };
  if (tokens.take(":")) {
    const to = parsePipe(tokens);
    tokens.expect("]");
    return { type: "slice", of, from: undefined, to };
  }
  const key = parsePipe(tokens);
  if (tokens.take("]")) return { type: "index", of, key };
  tokens.expect(":");
  const to = tokens.is("]") ? undefined : parsePipe(tokens);
  tokens.expect("]");
  return { type: "slice", of, from: key, to };
}

function parseStart(tokens: Tokens, parsers: Parsers): Node {
  const token = tokens.peek();
  switch (token.type) {
    case "number":
      tokens.next();
      return { type: "literal", value: Number(token.text) };
    case "string":
      return parseString(tokens, parsers, "text");
    case "format":
      tokens.next();
      return tokens.peek().type === "string"
        ? parseString(tokens, parsers, token.text)
        : { type: "format", name: token.text };
    case "variable":
      tokens.next();
      return token.text === "__loc__"
        ? locationOf(token.at)
        : { type: "variable", name: token.text, at: token.at };
    case "field":
      tokens.next();
      return {
        type: "index",
        of: { type: "identity" },
        key: { type: "literal", value: token.text },
      };
    case "name":
      return parseCall(tokens, parsers);
    case "keyword":
      return parseKeyword(tokens, parsers);
    case "operator":
      return parseOperator(tokens, parsers);
    case "end":
      return tokens.fail();
  }
}

/** The line is only known to the compiler, which has the source. */
function locationOf(at: number): Node {
  return { type: "call", name: "$__loc__", args: [], at };
}

const CONSTANTS: Readonly<Record<string, boolean | null>> = {
  true: true,
  false: false,
  null: null,
};

function parseCall(tokens: Tokens, { parsePipe }: Parsers): Node {
  const { text: name, at } = tokens.next();
  if (name === "break" && tokens.peek().type === "variable")
    return { type: "break", name: tokens.next().text, at };
  const args: Node[] = [];
  if (Object.hasOwn(CONSTANTS, name) && !tokens.is("("))
    return { type: "literal", value: CONSTANTS[name] ?? null };
  if (tokens.take("(")) {
    do args.push(parsePipe(tokens));
    while (tokens.take(";"));
    tokens.expect(")");
  }
  return { type: "call", name, args, at };
}

function parseOperator(tokens: Tokens, parsers: Parsers): Node {
  const { text, at } = tokens.next();
  if (text === "..") return { type: "call", name: "recurse", args: [], at };
  if (text === ".") {
    if (tokens.peek().type !== "string") return { type: "identity" };
    const key = parseString(tokens, parsers, "text");
    return { type: "index", of: { type: "identity" }, key };
  }
  if (text === "(") {
    const inner = parsers.parsePipe(tokens);
    tokens.expect(")");
    return inner;
  }
  if (text === "[") {
    if (tokens.take("]")) return { type: "array", body: undefined };
    const body = parsers.parsePipe(tokens);
    tokens.expect("]");
    return { type: "array", body };
  }
  if (text === "{") return parseObject(tokens, parsers);
  return tokens.fail({ type: "operator", text, at });
}

function parseObject(tokens: Tokens, parsers: Parsers): Node {
  const entries: (readonly [Node, Node])[] = [];
  while (!tokens.take("}")) {
    entries.push(parseEntry(tokens, parsers));
    if (!tokens.take(",")) {
      tokens.expect("}");
      break;
    }
  }
  return { type: "object", entries };
}

function parseEntry(tokens: Tokens, parsers: Parsers): readonly [Node, Node] {
  const token = tokens.peek();
  const own = (key: Node): Node => ({ type: "index", of: { type: "identity" }, key });
  let [key, value]: [Node, Node | undefined] = [{ type: "identity" }, undefined];
  if (token.type === "variable") {
    tokens.next();
    key = { type: "literal", value: token.text };
    if (token.text === "__loc__") return [key, locationOf(token.at)];
    const variable: Node = { type: "variable", name: token.text, at: token.at };
    return tokens.take(":") ? [variable, parseEntryValue(tokens, parsers)] : [key, variable];
  }
  if (tokens.take("(")) {
    key = parsers.parsePipe(tokens);
    tokens.expect(")");
    tokens.expect(":");
    return [key, parseEntryValue(tokens, parsers)];
  }
  if (token.type === "string" || token.type === "format") {
    const format = token.type === "format" ? tokens.next().text : "text";
    if (tokens.peek().type !== "string") tokens.fail();
    key = parseString(tokens, parsers, format);
    value = own(key);
  } else if (["name", "keyword", "number"].includes(token.type)) {
    tokens.next();
    const isNumber = token.type === "number";
    key = { type: "literal", value: isNumber ? Number(token.text) : token.text };
    value = own(key);
  } else tokens.fail();
  return [key, tokens.take(":") ? parseEntryValue(tokens, parsers) : value];
}

/** Values of an object end at a comma, and pipes between them need no parentheses. */
function parseEntryValue(tokens: Tokens, parsers: Parsers): Node {
  const left = parsers.parseWithoutComma(tokens);
  if (!tokens.take("|")) return left;
  return { type: "pipe", left, right: parseEntryValue(tokens, parsers) };
}

function parseKeyword(tokens: Tokens, parsers: Parsers): Node {
  const { parsePipe } = parsers;
  const token = tokens.next();
  switch (token.text) {
    case "if":
      return parseIf(tokens, parsers);
    case "try": {
      const body = parseSigned(tokens, parsers);
      const handler = tokens.take("catch") ? parseSigned(tokens, parsers) : undefined;
      return { type: "try", body, handler };
    }
    case "reduce":
    case "foreach": {
      const source = parsers.parseSource(tokens);
      tokens.expect("as");
      const patterns = parsePatterns(tokens, parsers);
      tokens.expect("(");
      const start = parsePipe(tokens);
      tokens.expect(";");
      const update = parsePipe(tokens);
      const isForeach = token.text === "foreach";
      const extract = isForeach && tokens.take(";") ? parsePipe(tokens) : undefined;
      tokens.expect(")");
      return isForeach
        ? { type: "foreach", source, patterns, start, update, extract }
        : { type: "reduce", source, patterns, start, update };
    }
    default:
      return tokens.fail(token);
  }
}

/** Parses a term that may have a minus in front. */
function parseSigned(tokens: Tokens, parsers: Parsers): Node {
  if (!tokens.take("-")) return parseTerm(tokens, parsers);
  return { type: "negate", of: tokens.nested(() => parseSigned(tokens, parsers)) };
}

function parseIf(tokens: Tokens, parsers: Parsers): Node {
  return tokens.nested(() => {
    const condition = parsers.parsePipe(tokens);
    tokens.expect("then");
    const body = parsers.parsePipe(tokens);
    if (tokens.take("elif"))
      return { type: "if", condition, body, otherwise: parseIf(tokens, parsers) };
    const otherwise = tokens.take("else") ? parsers.parsePipe(tokens) : undefined;
    tokens.expect("end");
    return { type: "if", condition, body, otherwise };
  });
}

/** The value of `$__loc__`. */
export function locationValue(source: string, at: number) {
  const line = source.slice(0, at).split("\n").length;
  return objectOf([
    ["file", "<top-level>"],
    ["line", line],
  ]);
}
