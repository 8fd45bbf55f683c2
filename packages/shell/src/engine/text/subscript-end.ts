/** Where the `]` stands that closes the bracket at `open`; -1 when none does. Quotes and backslashes hide brackets. */
export function endOfSubscript(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "'" || character === '"') {
      at = endOfQuotes(text, at);
      if (at === -1) return -1;
    } else if (character === "[") depth++;
    else if (character === "]" && --depth === 0) return at;
  }
  return -1;
}

function endOfQuotes(text: string, open: number): number {
  const quote = text.charAt(open);
  if (quote === "'") return text.indexOf(quote, open + 1);
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}
