import type { AssistantMessage, Content, Message } from "../messages/message.ts";
import type { ToolSchema } from "../providers/provider.ts";

/** Use of the context window, in tokens. */
export interface ContextWindowState {
  maxTokens: number;
  usedTokens: number;
  /** 0 to 100, two decimals. */
  usedPercentage: number;
  remainingPercentage: number;
}

/**
 * The content of the window, in tokens. The parts and `free` add up to the window; everything but their sum is an
 * estimate.
 */
export interface ContextBreakdown {
  system: number;
  tools: number;
  /** The project's instructions, as in `AGENTS.md`. */
  memory: number;
  messages: number;
  toolResults: number;
  free: number;
}

/** The constant part of every request besides the conversation, in characters. */
export interface ContextOverhead {
  system?: number;
  tools?: number;
  memory?: number;
}

/** The state of a window that holds `usedTokens`. */
export function contextWindowState(usedTokens: number, maxTokens: number): ContextWindowState {
  const usedPercentage = Math.min(100, Math.round((usedTokens / maxTokens) * 10_000) / 100);
  const remainingPercentage = Math.round((100 - usedPercentage) * 100) / 100;
  return { maxTokens, usedTokens, usedPercentage, remainingPercentage };
}

/** The state of a tracker. */
export interface SavedTracker {
  /** Characters. */
  messages: number;
  toolResults: number;
  exactTokens: number;
  isExact: boolean;
  /** Characters, without the overhead. */
  uncounted: number;
  tokensPerCharacter: number;
}

/** Characters that count as one token; low, because Korean, JSON and code have many tokens a character. */
export const CHARACTERS_PER_TOKEN = 2;

/**
 * Tracks the use of the model's window: the provider's count up to its last answer, and an estimate by characters for
 * the rest. Adding a message costs that message, never the history.
 */
export class ContextTracker {
  /** Size of the window; another model has another one. */
  maxTokens: number;
  #overhead: Required<ContextOverhead>;
  /** Characters of the whole conversation. */
  #messages = 0;
  #toolResults = 0;
  #exactTokens = 0;
  #isExact = false;
  /** Characters that no count of the provider covers. */
  #uncounted: number;
  /** Ratio of the provider's last count, used when a history becomes shorter. */
  #tokensPerCharacter = 1 / CHARACTERS_PER_TOKEN;

  constructor(maxTokens: number, { system = 0, tools = 0, memory = 0 }: ContextOverhead = {}) {
    this.maxTokens = maxTokens;
    this.#overhead = { system, tools, memory };
    this.#uncounted = this.#overheadCharacters;
  }

  /** Counts something else besides the conversation, before any of that was counted by a provider. */
  begin({ system = 0, tools = 0, memory = 0 }: ContextOverhead): void {
    const before = this.#overheadCharacters;
    this.#overhead = { system, tools, memory };
    if (this.#exactTokens === 0) this.#uncounted += this.#overheadCharacters - before;
  }

  add(message: Message): void {
    const characters = this.#count(message);
    const exact = message.role === "assistant" ? coveredTokens(message) : 0;
    if (exact > 0) {
      this.#exactTokens = exact;
      this.#isExact = true;
      this.#uncounted = 0;
      this.#tokensPerCharacter = Math.min(
        1 / CHARACTERS_PER_TOKEN,
        exact / Math.max(1, this.#characters),
      );
    } else {
      this.#isExact = false;
      this.#uncounted += characters;
    }
  }

  /** Recounts after the history was cleared, compacted or cut back. */
  reset(messages: readonly Message[]): void {
    this.#messages = 0;
    this.#toolResults = 0;
    for (const message of messages) this.#count(message);
    this.#isExact = false;
    this.#exactTokens = this.estimate(this.#messages + this.#toolResults);
    this.#uncounted = 0;
  }

  save(): SavedTracker {
    return {
      messages: this.#messages,
      toolResults: this.#toolResults,
      exactTokens: this.#exactTokens,
      isExact: this.#isExact,
      uncounted: this.#uncounted - (this.#exactTokens === 0 ? this.#overheadCharacters : 0),
      tokensPerCharacter: this.#tokensPerCharacter,
    };
  }

  /** Continues from another tracker's count. */
  restore(saved: SavedTracker): void {
    this.#messages = saved.messages;
    this.#toolResults = saved.toolResults;
    this.#exactTokens = saved.exactTokens;
    this.#isExact = saved.isExact;
    this.#uncounted = saved.uncounted + (saved.exactTokens === 0 ? this.#overheadCharacters : 0);
    this.#tokensPerCharacter = saved.tokensPerCharacter;
  }

  /** True when the number is the provider's own count. */
  get isExact(): boolean {
    return this.#isExact;
  }

  /** Tokens in use; `extraCharacters` counts as an additional message. */
  usedTokens(extraCharacters = 0): number {
    return (
      this.#exactTokens + Math.ceil((this.#uncounted + extraCharacters) / CHARACTERS_PER_TOKEN)
    );
  }

  /** Estimated tokens of a request with a conversation of that many characters. */
  estimate(characters: number): number {
    return Math.ceil((this.#overheadCharacters + characters) * this.#tokensPerCharacter);
  }

  isOver(fraction: number, extraCharacters = 0): boolean {
    return this.usedTokens(extraCharacters) > fraction * this.maxTokens;
  }

  get state(): ContextWindowState {
    return contextWindowState(this.usedTokens(), this.maxTokens);
  }

  /** Distributes the used tokens over the parts, by their characters. */
  get breakdown(): ContextBreakdown {
    const used = this.usedTokens();
    const perCharacter = used / Math.max(1, this.#characters);
    const { system, tools, memory } = this.#overhead;
    const parts = {
      system: Math.round(system * perCharacter),
      tools: Math.round(tools * perCharacter),
      memory: Math.round(memory * perCharacter),
      toolResults: Math.round(this.#toolResults * perCharacter),
    };
    const counted = Object.values(parts).reduce((sum, part) => sum + part);
    return {
      ...parts,
      messages: Math.max(0, used - counted),
      free: Math.max(0, this.maxTokens - used),
    };
  }

  get #overheadCharacters(): number {
    const { system, tools, memory } = this.#overhead;
    return system + tools + memory;
  }

  get #characters(): number {
    return this.#overheadCharacters + this.#messages + this.#toolResults;
  }

  #count(message: Message): number {
    const characters = messageCharacters(message);
    if (message.role === "tool") this.#toolResults += characters;
    else this.#messages += characters;
    return characters;
  }
}

/** Characters that the tools add to every request. */
export function toolCharacters(tools: readonly ToolSchema[] = []): number {
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum + name.length + description.length + JSON.stringify(parameters).length,
    0,
  );
}

/** Characters that a message adds to a request. Images count as the 1,600 tokens providers charge at most. */
export function messageCharacters(message: Message): number {
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
export function coveredTokens({ usage, metadata }: AssistantMessage): number {
  // A provider's estimate is no better than this tracker's.
  if (!usage || metadata?.estimatedUsage === true) return 0;
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}
