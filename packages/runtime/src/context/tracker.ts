import type { AssistantMessage, Content, Message } from "../messages/message.ts";
import type { ToolSchema } from "../providers/provider.ts";

export interface ContextWindowState {
  maxTokens: number;
  usedTokens: number;
  /** 0 to 100, two decimals. */
  usedPercentage: number;
  remainingPercentage: number;
}

/** Characters that count as one token; low, because Korean, JSON and code have many tokens a character. */
export const CHARACTERS_PER_TOKEN = 2;

/**
 * How full the model's window is: what the provider counted for everything up to its last answer, and an estimate by
 * characters for what came after. Adding a message costs that message, never the history.
 */
export class ContextTracker {
  readonly #maxTokens: number;
  readonly #overhead: number;
  #exactTokens = 0;
  #isExact = false;
  #characters = 0;

  /** `overheadCharacters`: the system message and the tools' schemas, which every request carries. */
  constructor(maxTokens: number, overheadCharacters = 0) {
    this.#maxTokens = maxTokens;
    this.#overhead = overheadCharacters;
    this.#characters = overheadCharacters;
  }

  add(message: Message): void {
    const exact = message.role === "assistant" ? coveredTokens(message) : 0;
    if (exact > 0) {
      this.#exactTokens = exact;
      this.#isExact = true;
      this.#characters = 0;
    } else {
      this.#isExact = false;
      this.#characters += messageCharacters(message);
    }
  }

  /** Counts anew, after the history was cleared or compacted. */
  reset(messages: readonly Message[]): void {
    this.#exactTokens = 0;
    this.#isExact = false;
    this.#characters = this.#overhead;
    for (const message of messages) this.#characters += messageCharacters(message);
  }

  /** Whether the number is the provider's own. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /** With `extraCharacters`, as if a message of that length had been added. */
  usedTokens(extraCharacters = 0): number {
    return (
      this.#exactTokens + Math.ceil((this.#characters + extraCharacters) / CHARACTERS_PER_TOKEN)
    );
  }

  /** What a request would hold besides the system message and the tools: a conversation of that many characters. */
  estimate(characters: number): number {
    return Math.ceil((this.#overhead + characters) / CHARACTERS_PER_TOKEN);
  }

  isOver(fraction: number, extraCharacters = 0): boolean {
    return this.usedTokens(extraCharacters) > fraction * this.#maxTokens;
  }

  get state(): ContextWindowState {
    const usedTokens = this.usedTokens();
    const usedPercentage = Math.min(100, Math.round((usedTokens / this.#maxTokens) * 10_000) / 100);
    const remainingPercentage = Math.round((100 - usedPercentage) * 100) / 100;
    return { maxTokens: this.#maxTokens, usedTokens, usedPercentage, remainingPercentage };
  }
}

/** What tools add to every request, in characters. */
export function toolCharacters(tools: readonly ToolSchema[] = []): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + name.length + description.length + JSON.stringify(parameters).length,
    0,
  );
}

/** Everything a message adds to a request, in characters. Images count as the 1,600 tokens providers charge at most. */
function messageCharacters(message: Message): number {
  let count = contentCharacters(message.content);
  if (message.role === "assistant") {
    for (const call of message.toolCalls ?? []) {
      count += call.name.length + (call.rawArgs ?? JSON.stringify(call.args)).length;
    }
  }
  return count;
}

export function contentCharacters(content: Content): number {
  if (typeof content === "string") return content.length;
  let count = 0;
  for (const part of content) {
    if (part.type === "text") count += part.text.length;
    else if (part.type === "thinking") count += part.text.length + (part.signature?.length ?? 0);
    else if (part.type === "image") count += 1600 * CHARACTERS_PER_TOKEN;
    else count += JSON.stringify(part).length;
  }
  return count;
}

/** Input and output of the call that made this message: all that was in the window then. */
function coveredTokens({ usage, metadata }: AssistantMessage): number {
  // A provider that only estimates knows no more than this tracker does.
  if (!usage || metadata?.estimatedUsage === true) return 0;
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
