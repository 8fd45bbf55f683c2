/** `@path`, or `@"a path with spaces"`, at the start of a word. */
const MENTION = /(?<=^|[\s(])@(?:"([^"\n]+)"|([^\s"]+))/g;
/** The mention whose end is the end of the text. */
const TYPED = /(?<=^|[\s(])@(?:"([^"\n]*)|([^\s"]*))$/;
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
  const found = TYPED.exec(before);
  if (!found) return undefined;
  const [whole, quoted, word = ""] = found;
  const rest = quoted === undefined ? /^[^\s"]*/ : /^[^"\n]*"?/;
  const [behind = ""] = rest.exec(text.slice(cursor)) ?? [];
  const start = before.length - whole.length;
  return { start, end: cursor + behind.length, typed: quoted ?? word };
}

/** A name as it is written behind text: `@name`, with quotes where its end would be unclear. */
export function mentionOf(name: string): string {
  return /[\s"]/.test(name) || PUNCTUATION.test(name) ? `@"${name}"` : `@${name}`;
}
