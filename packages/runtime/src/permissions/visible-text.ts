/**
 * Characters that are invisible, move text, or pass for a space: controls, bidirectional marks, zero-width and other
 * ignorable ones, odd spaces, private use, lone surrogates.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/**
 * A text as a person should see it before deciding: invisible and disruptive characters are written as `\u{202e}`. Line
 * breaks and tabs stay, unless `singleLine` shows them as `\n` and `\t`.
 */
export function visibleText(text: string, options: { singleLine?: boolean } = {}): string {
  return text.replace(UNSEEN, (char) => {
    if (char === "\n") return options.singleLine ? "\\n" : char;
    if (char === "\t") return options.singleLine ? "\\t" : char;
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
