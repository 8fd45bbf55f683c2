const QUOTES = new Set(['"', "'"]);
const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r" };

/** The places of `separator` in a text, outside of quoted words. A quote counts where a word begins. */
function placesOf(text: string, separator: string): number[] {
  const places: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const isWordStart = at === 0 || /[\s;|:]/.test(text.charAt(at - 1));
    const end = isWordStart && QUOTES.has(text.charAt(at)) ? closingQuote(text, at) : -1;
    if (end > at) at = end;
    else if (text.startsWith(separator, at)) places.push(at);
  }
  return places;
}

function closingQuote(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === quote) return at;
  }
  return -1;
}

/** The two sides of a separator, trimmed, or nothing when it is not there. */
export function splitOnce(
  text: string,
  separator: string,
  which: "first" | "last" = "first",
): [before: string, after: string] | undefined {
  const places = placesOf(text, separator);
  const place = which === "first" ? places[0] : places.at(-1);
  if (place === undefined) return undefined;
  return [text.slice(0, place).trim(), text.slice(place + separator.length).trim()];
}

export function splitAll(text: string, separator: string): string[] {
  const ends = [...placesOf(text, separator), text.length];
  let start = 0;
  return ends
    .map((end) => {
      const piece = text.slice(start, end).trim();
      start = end + separator.length;
      return piece;
    })
    .filter((piece) => piece !== "");
}

export function isQuoted(text: string): boolean {
  return text.length > 1 && QUOTES.has(text.charAt(0)) && closingQuote(text, 0) === text.length - 1;
}

/** The content of a quoted text, with `\n`, `\t` and the like unescaped; other text unchanged. */
export function unquote(text: string): string {
  if (!isQuoted(text)) return text;
  return text.slice(1, -1).replace(/\\(.)/gs, (_, char: string) => ESCAPES[char] ?? char);
}
