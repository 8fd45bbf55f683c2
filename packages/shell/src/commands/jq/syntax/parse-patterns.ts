import { type Parsers, parseString } from "./parse-string.ts";
import type { Node, Pattern, PatternEntry } from "./tree.ts";
import type { Tokens } from "./tokens.ts";

/** Parses what follows `as`: patterns, of which the first that fits is taken. */
export function parsePatterns(tokens: Tokens, parsers: Parsers): Pattern[] {
  const patterns = [parsePattern(tokens, parsers)];
  while (tokens.take("?//")) patterns.push(parsePattern(tokens, parsers));
  return patterns;
}

function parsePattern(tokens: Tokens, parsers: Parsers): Pattern {
  return tokens.nested(() => {
    if (tokens.peek().type === "variable") return { type: "variable", name: tokens.next().text };
    if (tokens.take("[")) {
      const items: Pattern[] = [];
      do items.push(parsePattern(tokens, parsers));
      while (tokens.take(","));
      tokens.expect("]");
      return { type: "array", items };
    }
    tokens.expect("{");
    const entries: PatternEntry[] = [];
    do entries.push(parseEntry(tokens, parsers));
    while (tokens.take(","));
    tokens.expect("}");
    return { type: "object", entries };
  });
}

function parseEntry(tokens: Tokens, parsers: Parsers): PatternEntry {
  const token = tokens.peek();
  if (token.type === "variable") {
    tokens.next();
    const pattern = tokens.take(":") ? parsePattern(tokens, parsers) : undefined;
    return { key: { type: "literal", value: token.text }, name: token.text, pattern };
  }
  const key = parseKey(tokens, parsers);
  tokens.expect(":");
  return { key, name: undefined, pattern: parsePattern(tokens, parsers) };
}

function parseKey(tokens: Tokens, parsers: Parsers): Node {
  const token = tokens.peek();
  if (token.type === "string") return parseString(tokens, parsers, "text");
  if (tokens.take("(")) {
    const key = parsers.parsePipe(tokens);
    tokens.expect(")");
    return key;
  }
  if (token.type !== "name" && token.type !== "keyword") tokens.fail();
  return { type: "literal", value: tokens.next().text };
}
