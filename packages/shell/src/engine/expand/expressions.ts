import type { Text, Word, WordPart } from "../syntax/word.ts";

/** Characters that would count when a subscript is expanded again. */
const SPECIAL = /[\\'"`$[\]]/g;

/**
 * Expands an expression whose subscripts are expanded again when it is evaluated, as those of `m[$key]`: what an
 * expansion or a quotation in them makes is escaped, so that any key stays what it is.
 */
export async function expandExpression(
  word: Word,
  expand: (word: Word) => Promise<string>,
  { hasQuotes = false }: { hasQuotes?: boolean } = {},
): Promise<string> {
  const { parts, at } = word;
  // Within `$((…))` all text is marked as quoted, though it is read as it stands.
  const isSource = (part: WordPart): part is Text =>
    part.type === "text" && !(hasQuotes && part.isQuoted);
  if (parts.every(isSource)) return expand(word);
  const depth = new SubscriptDepth();
  let text = "";
  for (const part of parts) {
    const value = part.type === "text" ? part.text : await expand({ parts: [part], at });
    const isLiteral = !isSource(part);
    if (!isLiteral) depth.read(value);
    text += isLiteral && depth.isInside ? value.replace(SPECIAL, String.raw`\$&`) : value;
  }
  return text;
}

/** Follows the brackets of subscripts through the text of an expression. */
class SubscriptDepth {
  #depth = 0;

  get isInside(): boolean {
    return this.#depth > 0;
  }

  read(text: string): void {
    for (const bracket of text.replace(/\\[^]|'[^']*'/g, "").match(/[[\]]/g) ?? [])
      this.#depth = Math.max(0, this.#depth + (bracket === "[" ? 1 : -1));
  }
}
