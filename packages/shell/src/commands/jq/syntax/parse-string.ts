import type { Node } from "./tree.ts";
import { Tokens } from "./tokens.ts";

/** The parsers of whole filters, for parts that contain one. */
export interface Parsers {
  readonly parsePipe: (tokens: Tokens) => Node;
  readonly parseWithoutComma: (tokens: Tokens) => Node;
  /** Parses the source of a loop, which ends at `as`. */
  readonly parseSource: (tokens: Tokens) => Node;
}

/** Parses a string; `format` names how what it inserts is written. */
export function parseString(tokens: Tokens, { parsePipe }: Parsers, format: string): Node {
  const parts = (tokens.next().parts ?? []).map((part) => {
    if (typeof part === "string") return part;
    const inner = new Tokens(part, tokens.depth);
    const node = inner.nested(() => parsePipe(inner));
    if (inner.peek().type !== "end") inner.fail();
    return node;
  });
  const [only = "", ...others] = parts;
  if (others.length === 0 && typeof only === "string") return { type: "literal", value: only };
  return { type: "string", format, parts };
}
