import type { Pattern } from "../search/pattern.ts";

export type Later<Value> = Value | Promise<Value>;

/** A record separator: a text, a pattern, or `undefined` for empty lines. */
export type Separator = string | Pattern | undefined;

export interface Reader {
  /** Reads the next record; `undefined` at the end. A promise only when more input must be read first. */
  read(): Later<string | undefined>;
}

export function afterwards<One, Other>(
  value: Later<One>,
  next: (value: One) => Later<Other>,
): Later<Other> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Repeats `turn` until it returns something other than `undefined`. Waits only when a turn does. */
export function repeat<Result>(turn: () => Later<Result | undefined>): Later<Result> {
  for (;;) {
    const result = turn();
    if (result instanceof Promise) return goOn(result, turn);
    if (result !== undefined) return result;
  }
}

async function goOn<Result>(
  first: Promise<Result | undefined>,
  turn: () => Later<Result | undefined>,
): Promise<Result> {
  let result = await first;
  while (result === undefined) result = await turn();
  return result;
}

/** Splits the chunks of `more` into records, by the separator in force when each is read. */
export function createReader(
  more: () => Promise<string | undefined>,
  separator: () => Separator,
): Reader {
  let buffer = "";
  let at = 0;
  let isOver = false;

  const rest = (): string | undefined => {
    if (!isOver || at >= buffer.length) return undefined;
    const text = buffer.slice(at);
    at = buffer.length;
    return text;
  };
  const upTo = (end: number, next: number): string => {
    const text = buffer.slice(at, end);
    at = next;
    return text;
  };
  const paragraph = (): string | undefined => {
    while (buffer.charAt(at) === "\n") at += 1;
    const start = buffer.indexOf("\n\n", at);
    let end = start;
    while (end !== -1 && buffer.charAt(end) === "\n") end += 1;
    if (start !== -1 && (isOver || end < buffer.length)) return upTo(start, end);
    return rest()?.replace(/\n+$/, "");
  };
  const cut = (): string | undefined => {
    const by = separator();
    if (by === undefined) return paragraph();
    if (typeof by === "string") {
      const end = buffer.indexOf(by, at);
      return end === -1 ? rest() : upTo(end, end + by.length);
    }
    const match = by.find(buffer, at);
    if (!match || match.end === match.start) return rest();
    return isOver || match.end < buffer.length ? upTo(match.start, match.end) : rest();
  };
  const read = (): Later<string | undefined> => {
    const record = cut();
    if (record !== undefined || isOver) return record;
    return more().then((text) => {
      buffer = buffer.slice(at) + (text ?? "");
      at = 0;
      isOver = text === undefined;
      return read();
    });
  };
  return { read };
}
