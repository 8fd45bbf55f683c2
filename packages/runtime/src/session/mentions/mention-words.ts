/** `@path`, or `@"a path with spaces"`, at the start of a word. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/g;
/** Ends of sentences; a path that ends like this has to be in quotes. In a long run, the look behind tries one start only. */
const PUNCTUATION = /(?<![.,;:!?)\]}>'’])[.,;:!?)\]}>'’]+$/;

/** A mention that is being typed. */
export interface TypedMention {
  /** The choice replaces the text from here: the place of the `@`. */
  start: number;
  /** And to here. */
  end: number;
  /** The words behind the `@`, up to the cursor. */
  typed: string;
}

/** The names that a text mentions, each once, in order. */
export function mentionsIn(text: string): string[] {
  const names = Array.from(
    text.matchAll(MENTION),
    ([, quoted, word = ""]) => quoted ?? word.replace(PUNCTUATION, ""),
  );
  return [...new Set(names)].filter((name) => name !== "");
}

/** The mention at the cursor; `undefined` for any other word. */
export function mentionAt(text: string, cursor: number): TypedMention | undefined {
  const before = text.slice(0, cursor);
  const quote = before.lastIndexOf('"');
  const quoted = before.slice(quote + 1);
  // By its last quote: a pattern would try every `@` of a long text to its end.
  const isQuoted = /^[\s(]?@"$/.test(before.slice(Math.max(0, quote - 2), quote + 1));
  if (isQuoted && !quoted.includes("\n"))
    return { start: quote - 1, end: cursor + lengthOf(/^[^"\n]*"?/, text, cursor), typed: quoted };
  const start = quote + 1 + startOfMention(quoted, quote === -1);
  if (before[start] !== "@") return undefined;
  const end = cursor + lengthOf(/^[^\s"]*/, text, cursor);
  return { start, end, typed: before.slice(start + 1) };
}

/** The place of the first `@` that begins a word or follows a parenthesis, behind the last space; or the end. */
function startOfMention(text: string, isStart: boolean): number {
  let word = text.length;
  while (word > 0 && !/\s/.test(text.charAt(word - 1))) word -= 1;
  if (text[word] === "@" && (word > 0 || isStart)) return word;
  const opening = text.indexOf("(@", word);
  return opening === -1 ? text.length : opening + 1;
}

function lengthOf(pattern: RegExp, text: string, from: number): number {
  return pattern.exec(text.slice(from))?.[0].length ?? 0;
}

/** A name as it is written behind text: `@name`, with quotes where its end would be unclear. */
export function mentionOf(name: string): string {
  return /[\s"]/.test(name) || PUNCTUATION.test(name) ? `@"${name}"` : `@${name}`;
}
