import type { MarkedToken, Token } from "marked";
import { createBoundedLexer, TooMuchMarkdown } from "./bounded-lexer.ts";

/** A block that is shown as it was written. */
export const PLAIN = "plain";

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
  let lastBlocks: readonly Token[] = [];

  return {
    parse(source, final) {
      const text = source.replace(/\r\n?/g, "\n");
      // Without definitions nothing in front of the last blocks can have changed.
      if (final && text.includes("]:")) lastBlocks = keepEqual(lex(text, []), lastBlocks);
      else {
        const { kept, length } = stableBlocks(lastBlocks, lastText, text);
        lastBlocks = [...kept, ...lex(text.slice(length), kept)];
      }
      lastText = text;
      return lastBlocks;
    },
  };
}

/** Lexes `text`, which may use the links that `before` defines. A text too large to draw becomes one plain block. */
function lex(text: string, before: readonly Token[]): readonly Token[] {
  const lexer = createBoundedLexer();
  for (const block of before as readonly MarkedToken[]) {
    if (block.type !== "def") continue;
    lexer.tokens.links[block.tag] ??= { href: block.href, title: block.title };
  }
  try {
    return lexer.lex(text);
  } catch (error) {
    if (error instanceof TooMuchMarkdown) return [{ type: PLAIN, raw: text }];
    throw error;
  }
}

/** `blocks`, with unchanged ones replaced by the previous objects. */
function keepEqual(blocks: readonly Token[], before: readonly Token[]): readonly Token[] {
  // A link definition can change the meaning of any block before it.
  if (blocks.some((block) => block.type === "def")) return blocks;
  return blocks.map((block, index) => {
    const known = before[index];
    return known?.raw === block.raw && known.type === block.type ? known : block;
  });
}

/** The blocks in front of the last one, which is the only one that more text can change, and how long they are. */
function stableBlocks(
  blocks: readonly Token[],
  oldText: string,
  text: string,
): { kept: readonly Token[]; length: number } {
  const open = blocks.findLastIndex((block) => block.type !== "space");
  if (open <= 0 || !text.startsWith(oldText)) return { kept: [], length: 0 };
  const kept = blocks.slice(0, open);
  const length = kept.reduce((sum, block) => sum + block.raw.length, 0);
  const exact = kept.map((block) => block.raw).join("") === text.slice(0, length);
  return exact ? { kept, length } : { kept: [], length: 0 };
}
