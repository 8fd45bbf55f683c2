import { getDefaults, Lexer, type Token, Tokenizer, type TokensList } from "marked";

/** The deepest nesting of blocks, emphasis and links that is parsed. */
const MAX_DEPTH = 24;
/** Characters that may be searched for the ends of emphases; without a bound they grow with the square of a text. */
const MAX_SEARCHED = 2_000_000;
/** Characters behind each piece of text in a line of pieces, which grow in the same way. */
const MAX_BEHIND = 500_000_000;

/** A text that would take too long to draw, or is nested too deep. */
export class TooMuchMarkdown extends Error {}

/** A lexer that does a bounded part of its work again. @throws {TooMuchMarkdown} by `lex` */
export function createBoundedLexer(): Lexer {
  const tokenizer = new Tokenizer();
  const lexer = new Lexer({ ...getDefaults(), tokenizer });
  let depth = 0;
  const within = <Result>(act: () => Result): Result => {
    if (depth >= MAX_DEPTH) throw new TooMuchMarkdown();
    depth += 1;
    try {
      return act();
    } finally {
      depth -= 1;
    }
  };
  // Returns the list that was passed in.
  lexer.blockTokens = (source: string, tokens?: Token[], isClipped?: boolean) =>
    within(() => Lexer.prototype.blockTokens.call(lexer, source, tokens as TokensList, isClipped));
  lexer.inlineTokens = (source, tokens) =>
    within(() => Lexer.prototype.inlineTokens.call(lexer, source, tokens));

  let searched = 0;
  let behind = 0;
  tokenizer.emStrong = (source, masked, previous) => {
    if (!/^[*_]/.test(source)) return undefined;
    const found = Tokenizer.prototype.emStrong.call(tokenizer, source, masked, previous);
    searched += found ? found.raw.length : source.length;
    if (searched > MAX_SEARCHED) throw new TooMuchMarkdown();
    return found;
  };
  tokenizer.inlineText = (source) => {
    behind += source.length;
    if (behind > MAX_BEHIND) throw new TooMuchMarkdown();
    return Tokenizer.prototype.inlineText.call(tokenizer, source);
  };
  return lexer;
}
