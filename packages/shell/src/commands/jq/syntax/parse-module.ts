import { isObject, type JsonObject, objectOf, slotOf, type Value } from "../values.ts";
import { type Parsers, parseString } from "./parse-string.ts";
import { parseTerm } from "./parse-term.ts";
import type { Tokens } from "./tokens.ts";
import { type Import, type Node, ProgramError } from "./tree.ts";

/** Parses what a program begins with: `module`, `import` and `include`. */
export function parseImports(tokens: Tokens, parsers: Parsers): Import[] {
  if (tokens.take("module")) {
    parseMetadata(tokens, parsers);
    tokens.expect(";");
  }
  const imports: Import[] = [];
  for (;;) {
    const { at } = tokens.peek();
    const isInclude = tokens.take("include");
    if (!isInclude && !tokens.take("import")) return imports;
    const path = parsePath(tokens, parsers);
    let name: string | undefined;
    let isData = false;
    if (!isInclude) {
      tokens.expect("as");
      const token = tokens.next();
      isData = token.type === "variable";
      if (token.type !== "name" && !isData) tokens.fail(token);
      name = token.text;
    }
    const metadata = tokens.is(";") ? undefined : parseMetadata(tokens, parsers);
    tokens.expect(";");
    imports.push({ path, name, isData, search: metadata?.[slotOf("search")], at });
  }
}

function parsePath(tokens: Tokens, parsers: Parsers): string {
  const token = tokens.peek();
  if (token.type !== "string") tokens.fail();
  const path = constantOf(parseString(tokens, parsers, "text"));
  if (typeof path !== "string") throw new ProgramError("Import path must be constant", token.at);
  return path;
}

function parseMetadata(tokens: Tokens, parsers: Parsers): JsonObject {
  const { at } = tokens.peek();
  const node = parseTerm(tokens, parsers);
  const metadata = constantOf(node);
  if (metadata === undefined) throw new ProgramError("Module metadata must be constant", at);
  if (!isObject(metadata)) throw new ProgramError("Module metadata must be an object", at);
  return metadata;
}

/** The value of a literal; `undefined` for what is to be calculated. */
function constantOf(node: Node): Value | undefined {
  switch (node.type) {
    case "literal":
      return node.value;
    case "comma":
    case "array": {
      const values = itemsOf(node).map(constantOf);
      return values.every((value) => value !== undefined) ? values : undefined;
    }
    case "object": {
      const entries: [string, Value][] = [];
      for (const [keyNode, valueNode] of node.entries) {
        const key = constantOf(keyNode);
        const value = constantOf(valueNode);
        if (typeof key !== "string" || value === undefined) return undefined;
        entries.push([key, value]);
      }
      return objectOf(entries);
    }
    default:
      return undefined;
  }
}

function itemsOf(node: Node): Node[] {
  if (node.type === "array") return node.body ? itemsOf(node.body) : [];
  return node.type === "comma" ? [...itemsOf(node.left), ...itemsOf(node.right)] : [node];
}
