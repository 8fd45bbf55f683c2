import type { Token } from "marked";
import { createBoundedLexer, TooMuchMarkdown } from "./bounded-lexer.ts";
import { type Definitions, mayUseDefinitions, withDefinitions } from "./definitions.ts";

/** A block that is shown as it was written. */
export const PLAIN = "plain";

const NONE: Definitions = new Map();

/**
 * Turns growing Markdown into top-level blocks. Blocks that can't change any more keep their identity from call to
 * call, so that React draws only the last one while text streams in.
 */
export interface MarkdownParser {
  /** @param final the text is whole: links that are defined after their use are resolved now. */
  parse(text: string, final: boolean): readonly Token[];
}

export function createMarkdownParser(): MarkdownParser {
  let lastText = "";
  let blocks: readonly Token[] = [];
  let start = beginning;

  return {
    parse(source, final) {
      const text = source.replace(/\r\n?/g, "\n");
      start = text.startsWith(lastText) ? afterSettled(start, blocks, text) : beginning;
      const settled = blocks.slice(0, start.blocks);
      const open = lex(text.slice(start.length), start.definitions);
      blocks = (final && resolved(settled, open, start)) || [...settled, ...open];
      lastText = text;
      return blocks;
    },
  };
}

/** The part of a text that more text can't change. */
interface Settled {
  blocks: number;
  /** Characters. */
  length: number;
  /** The links that are defined in it. */
  definitions: Definitions;
  /** The block behind which none is defined; 0 without any. */
  definedIn: number;
}

const beginning: Settled = { blocks: 0, length: 0, definitions: NONE, definedIn: 0 };

/** Only the last block can change. Where a lexer has changed a block's text, all from there on is lexed again. */
function afterSettled(start: Settled, blocks: readonly Token[], text: string): Settled {
  const open = blocks.findLastIndex(({ type }) => type !== "space");
  let { blocks: at, length, definitions, definedIn } = start;
  for (; at < open; at++) {
    const block = blocks[at] as Token;
    if (!text.startsWith(block.raw, length)) break;
    length += block.raw.length;
    const more = withDefinitions(definitions, block);
    if (more !== definitions) definedIn = at;
    definitions = more;
  }
  return { blocks: at, length, definitions, definedIn };
}

/** All blocks, with the links in the settled ones that are defined behind them; nothing where there are no such links. */
function resolved(
  settled: readonly Token[],
  open: readonly Token[],
  { definitions, definedIn }: Settled,
): readonly Token[] | undefined {
  const all = open.reduce(withDefinitions, definitions);
  const end = all === definitions ? definedIn : settled.length;
  if (end === 0) return undefined;
  const before = settled
    .slice(0, end)
    .map((block) => (mayUseDefinitions(block) ? again(block, all) : block));
  return [...before, ...settled.slice(end), ...open];
}

/** A block with these links; the same one where they change nothing. */
function again(block: Token, definitions: Definitions): Token {
  const [read = block] = lex(block.raw, definitions);
  return JSON.stringify(read) === JSON.stringify(block) ? block : read;
}

/** Lexes `text`, which may use the links that stand before it. A text too large to draw becomes one plain block. */
function lex(text: string, definitions: Definitions): readonly Token[] {
  const lexer = createBoundedLexer();
  for (const { tag, href, title } of definitions.values())
    lexer.tokens.links[tag] = { href, title };
  try {
    return lexer.lex(text);
  } catch (error) {
    if (error instanceof TooMuchMarkdown) return [{ type: PLAIN, raw: text }];
    throw error;
  }
}
