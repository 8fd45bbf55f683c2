import type { Message } from "../messages/message.ts";

/** Pieces that are kept apart before they become one text. */
const MAX_PIECES = 64;
/** Size in characters below which caching an idle prefix is not worth its memory. */
const LEAST_KEPT = 4096;

/** The JSON of a conversation's first messages. `state` lets the writer continue after them. */
export class WrittenStart<State> {
  readonly messages: Message[] = [];
  state: State;
  readonly #separator: string;
  #pieces: string[] = [];
  #length = 0;

  constructor(state: State, separator: string) {
    this.state = state;
    this.#separator = separator;
  }

  add(message: Message, json: string): void {
    this.messages.push(message);
    if (json === "") return;
    this.#length += json.length;
    this.#pieces.push(json);
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [this.#pieces.join(this.#separator)];
  }

  /** True when caching saves more than it costs. */
  get isWorthKeeping(): boolean {
    return this.#length >= LEAST_KEPT;
  }

  /** A request: this and `rest` between its head and its tail. Joined at once, since each copy of a long one costs. */
  request(head: string, rest: readonly string[], tail: string): string {
    const [first = "", ...others] = [...this.#pieces, ...rest.filter((json) => json !== "")];
    const last = others.pop();
    if (last === undefined) return head + first + tail;
    return [head + first, ...others, last + tail].join(this.#separator);
  }
}

/**
 * A cache of serialised conversation prefixes, so that a request costs its new messages and not the history. Each
 * belongs to one conversation: `take` removes it, and the caller must put it back. Short ones are kept only during a
 * turn.
 */
export class WrittenStarts<State> {
  /** Prefixes by their last message, so that they are collected with the conversation. */
  readonly #byEnd = new WeakMap<Message, WrittenStart<State>>();

  /** The longest beginning that is known of the first `count` messages, if any. */
  take(messages: readonly Message[], count: number): WrittenStart<State> | undefined {
    for (let index = count - 1; index >= 0; index -= 1) {
      const end = messages[index] as Message;
      const start = this.#byEnd.get(end);
      if (!start) continue;
      this.#byEnd.delete(end);
      return isStart(start.messages, messages, index + 1) ? start : undefined;
    }
    return undefined;
  }

  /** `messages`: the request. One that ends with a tool's result is in the middle of a turn, and the next one is near. */
  keep(start: WrittenStart<State>, messages: readonly Message[]): void {
    const end = start.messages.at(-1);
    const isNeededSoon = messages.at(-1)?.role === "tool";
    if (end && (isNeededSoon || start.isWorthKeeping)) this.#byEnd.set(end, start);
  }
}

function isStart(known: readonly Message[], messages: readonly Message[], count: number): boolean {
  if (known.length !== count) return false;
  for (let index = 0; index < count; index += 1) if (known[index] !== messages[index]) return false;
  return true;
}
