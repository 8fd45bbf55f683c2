// The parts of the Prompt API (webmachinelearning.github.io/prompt-api) that the provider uses. TypeScript's DOM types
// do not have it yet.

/** State of the browser's own model. */
export type Availability = "unavailable" | "downloadable" | "downloading" | "available";

export interface PromptContent {
  type: "text" | "image";
  value: string | Blob;
}

export interface PromptMessage {
  role: "system" | "user" | "assistant";
  content: string | PromptContent[];
}

export interface ExpectedContent {
  type: "text" | "image";
  languages?: string[];
}

export interface CoreOptions {
  expectedInputs?: ExpectedContent[] | undefined;
  expectedOutputs?: ExpectedContent[] | undefined;
}

export interface CreateOptions extends CoreOptions {
  signal?: AbortSignal | undefined;
  /** Called once; its target reports a download's progress, from 0 to 1, as `loaded` of `downloadprogress`. */
  monitor?: ((monitor: EventTarget) => void) | undefined;
  initialPrompts?: PromptMessage[] | undefined;
}

export interface PromptOptions {
  signal?: AbortSignal | undefined;
  responseConstraint?: object | undefined;
  omitResponseConstraintInput?: boolean | undefined;
}

/** One conversation with the model; holds memory until it is destroyed. */
export interface LanguageModelSession {
  /** Tokens used so far. */
  readonly contextUsage: number;
  /** Tokens that fit; may be infinite. */
  readonly contextWindow: number;
  measureContextUsage(input: PromptMessage[], options?: PromptOptions): Promise<number>;
  promptStreaming(input: PromptMessage[], options?: PromptOptions): ReadableStream<string>;
  destroy(): void;
}

/** `globalThis.LanguageModel`. */
export interface LanguageModel {
  availability(options?: CoreOptions): Promise<Availability>;
  create(options?: CreateOptions): Promise<LanguageModelSession>;
}

/** The browser's own, or undefined in browsers without one and in workers. */
export function browserLanguageModel(): LanguageModel | undefined {
  const { LanguageModel: model } = globalThis as { LanguageModel?: LanguageModel };
  return typeof model?.create === "function" && typeof model.availability === "function"
    ? model
    : undefined;
}
