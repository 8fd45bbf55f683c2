import type {
  Availability,
  CoreOptions,
  CreateOptions,
  LanguageModel,
  LanguageModelSession,
  PromptMessage,
  PromptOptions,
} from "../../packages/adapters-web/src/prompt-api/language-model.ts";

/** Output of the stand-in, in chunks; a function receives the prompt. */
export type Writes =
  | readonly string[]
  | ((prompt: PromptMessage[], options: PromptOptions) => readonly string[]);

export interface StandIn extends LanguageModel {
  state: Availability;
  /** Number of sessions not destroyed. */
  open: number;
  creations: CreateOptions[];
  prompts: { input: PromptMessage[]; options: PromptOptions }[];
  /** Answers in order; an error fails the answer after its first chunk. */
  answers: (Writes | Error)[];
  /** Replaces the answers, for a misbehaving browser. */
  promptStreaming?: () => ReadableStream<string>;
}

const tokens = (messages: readonly PromptMessage[]): number =>
  messages.reduce((total, { content }) => total + Math.ceil(JSON.stringify(content).length / 4), 0);

/**
 * A stand-in for the browser's model that keeps the documented rules of the Prompt API: a download needs a click, one
 * system message at the beginning, expected content must be announced, a conversation beyond the window is refused
 * when a session begins, an abort rejects with the signal's reason, a destroyed session answers nothing.
 */
export function standIn(window = 1_000): StandIn {
  const model: StandIn = {
    state: "available",
    open: 0,
    creations: [],
    prompts: [],
    answers: [],
    availability: (options) => Promise.resolve(supports(options) ? model.state : "unavailable"),
    async create(options = {}) {
      model.creations.push(options);
      options.signal?.throwIfAborted();
      if (!supports(options)) throw new DOMException("language", "NotSupportedError");
      checkPrompts(options.initialPrompts ?? [], options, true);
      await download(model, options);
      const used = tokens(options.initialPrompts ?? []);
      if (used > window) throw quotaExceeded();
      model.open += 1;
      return session(model, options, used, window);
    },
  };
  return model;
}

function supports({ expectedInputs = [], expectedOutputs = [] }: CoreOptions = {}): boolean {
  const known = ["en", "es", "ja", "de", "fr"];
  return [...expectedInputs, ...expectedOutputs].every(({ languages = [] }) =>
    languages.every((language) => known.includes(language)),
  );
}

async function download(model: StandIn, { monitor, signal }: CreateOptions): Promise<void> {
  if (model.state === "unavailable") throw new DOMException("no model", "NotSupportedError");
  const target = new EventTarget();
  monitor?.(target);
  const steps = model.state === "available" ? [0, 1] : [0, 0.25, 0.5, 1];
  model.state = "downloading";
  for (const loaded of steps) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    signal?.throwIfAborted();
    target.dispatchEvent(new ProgressEvent("downloadprogress", { loaded, total: 1 }));
  }
  model.state = "available";
}

function checkPrompts(prompts: PromptMessage[], options: CoreOptions, isInitial: boolean): void {
  const expected = (options.expectedInputs ?? [{ type: "text" }]).map(({ type }) => type);
  for (const [index, { role, content }] of prompts.entries()) {
    if (role === "system" && (!isInitial || index > 0)) {
      throw new DOMException("system message in the middle", "NotSupportedError");
    }
    if (typeof content === "string") continue;
    for (const { type } of content) {
      if (type !== "text" && !expected.includes(type))
        throw new DOMException(`${type} was not expected`, "NotSupportedError");
      if (type !== "text" && role === "assistant")
        throw new DOMException(`${type} of the assistant`, "NotSupportedError");
    }
  }
}

function session(
  model: StandIn,
  created: CreateOptions,
  used: number,
  contextWindow: number,
): LanguageModelSession {
  let isDestroyed = false;
  let contextUsage = used;
  const check = (): void => {
    if (isDestroyed) throw new DOMException("destroyed", "InvalidStateError");
  };
  return {
    get contextUsage() {
      return contextUsage;
    },
    contextWindow,
    async measureContextUsage(input) {
      check();
      return Promise.resolve(tokens(input));
    },
    promptStreaming(input, options = {}) {
      check();
      checkPrompts(input, created, false);
      model.prompts.push({ input, options });
      contextUsage += tokens(input);
      if (model.promptStreaming) return model.promptStreaming();
      const answer = model.answers.shift() ?? [];
      return new ReadableStream<string>({
        async start(controller) {
          options.signal?.addEventListener("abort", () => controller.error(options.signal?.reason));
          const pieces =
            answer instanceof Error
              ? ["Half"]
              : typeof answer === "function"
                ? answer(input, options)
                : answer;
          for (const piece of pieces) {
            await new Promise((resolve) => setTimeout(resolve, 2));
            if (options.signal?.aborted || isDestroyed) return;
            contextUsage += Math.ceil(piece.length / 4);
            controller.enqueue(piece);
          }
          if (answer instanceof Error) controller.error(answer);
          else controller.close();
        },
      });
    },
    destroy() {
      if (!isDestroyed) model.open -= 1;
      isDestroyed = true;
    },
  };
}

function quotaExceeded(): Error {
  return new DOMException("The prompts are too long", "QuotaExceededError");
}
