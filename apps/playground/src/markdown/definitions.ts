import type { MarkedToken, Token, Tokens } from "marked";

/** Targets of links by their tags. */
export type Definitions = ReadonlyMap<string, Tokens.Def>;

/** The definitions in a block, at any depth, behind those before it: of a tag that is defined twice, the first counts. */
export function withDefinitions(before: Definitions, block: Token): Definitions {
  const own = [...definitionsIn(block)].filter(({ tag }) => !before.has(tag));
  if (own.length === 0) return before;
  return new Map([...own.toReversed().map((each) => [each.tag, each] as const), ...before]);
}

function* definitionsIn(token: Token): Generator<Tokens.Def> {
  if (!token.raw.includes("]:")) return;
  const block = token as MarkedToken;
  if (block.type === "def") yield block;
  else if (block.type === "list") for (const item of block.items) yield* definitionsIn(item);
  else if ("tokens" in block) for (const each of block.tokens ?? []) yield* definitionsIn(each);
}

/** True for a block in which a definition may have a use. */
export function mayUseDefinitions({ type, raw }: Token): boolean {
  return type !== "code" && type !== "def" && raw.includes("[");
}
