import { SessionError, ValidationError, requireArgument } from "../errors.ts";
import type { TurnRequest } from "../session/log/events.ts";
import type { WaitingPrompt } from "../session/queue.ts";
import { type QueuedPrompt, shown } from "./queued-prompts.ts";
import type { TurnAnswers } from "./structured-answers.ts";
import type { ExecutionResult } from "./types.ts";

/**
 * The prompts behind the running turn, next one first. Every change is durable before its promise resolves; only a pause
 * holds also where it can't be stored.
 * A paused queue waits until `resume`; it is no longer paused once it is empty.
 */
export interface PromptQueue {
  /** Another array after every change, the same one until then. */
  list(): readonly QueuedPrompt[];
  isPaused(): boolean;
  /**
   * Replaces the text of a prompt, and with it what was shown instead.
   * @throws {SessionError} `NOT_FOUND` when it has begun or is gone
   * @throws {ValidationError} for a text without words
   */
  edit(id: string, text: string): Promise<void>;
  /** Moves a prompt to a place: 0 runs next, and a number beyond the end is the last one. @throws as `edit` */
  move(id: string, place: number): Promise<void>;
  /** Takes a prompt out; its `submit` resolves as interrupted. @throws {SessionError} `NOT_FOUND` */
  remove(id: string): Promise<void>;
  /** Lets the running turn end, and begins no prompt behind it. */
  pause(): Promise<void>;
  /** Begins the next prompt when no turn is open, and those behind it in turn. */
  resume(): Promise<void>;
}

/** A prompt with the promise of its caller. */
export interface PromptInQueue extends WaitingPrompt {
  rawInput?: string | undefined;
  request?: TurnRequest | undefined;
  /** How its answer is checked and read, when it has a format of its own. */
  answers?: TurnAnswers | undefined;
  /** Ends it; absent for a prompt restored from the log. */
  signal?: AbortSignal | undefined;
  /** Called when its turn has begun, and when it is recorded in the queue. */
  onAccepted?: (() => void) | undefined;
  /** Absent for a prompt restored from the log, whose caller is gone. */
  settle?: { resolve: (result: ExecutionResult) => void; reject: (error: unknown) => void };
}

/** The part of a session that its queue uses. */
export interface QueueHost {
  record: (
    prompts: readonly WaitingPrompt[],
    options: { isPaused: boolean; mustKeep: boolean },
  ) => Promise<void>;
  /** Begins the next prompt, if no turn is open. */
  startNext: () => void;
  /** The result of a prompt that never ran. */
  dropped: () => ExecutionResult;
}

/** The queue of a session in this process. */
export class SessionQueue implements PromptQueue {
  /**
   * Always the same list: a turn records, when it has begun, the prompts that wait behind it by then.
   */
  readonly prompts: PromptInQueue[] = [];
  readonly #host: QueueHost;
  #isPaused = false;
  #listed: { of: readonly PromptInQueue[]; list: readonly QueuedPrompt[] } = { of: [], list: [] };

  constructor(host: QueueHost) {
    this.#host = host;
  }

  list(): readonly QueuedPrompt[] {
    const { of, list } = this.#listed;
    const isSame =
      of.length === this.prompts.length && of.every((one, at) => one === this.prompts[at]);
    if (isSame) return list;
    this.#listed = { of: [...this.prompts], list: this.prompts.map(shown) };
    return this.#listed.list;
  }

  isPaused(): boolean {
    return this.#isPaused && this.prompts.length > 0;
  }

  restore(prompts: readonly WaitingPrompt[], isPaused: boolean): void {
    this.prompts.unshift(...prompts);
    this.#isPaused = isPaused;
  }

  /** Puts texts that nobody waits for before all others. Those that do not begin at once are recorded. */
  putFirst(texts: readonly string[], pauses: boolean): void {
    this.#isPaused = this.isPaused() || pauses;
    this.prompts.unshift(...texts.map((input) => ({ id: crypto.randomUUID(), input })));
    if (this.isPaused()) this.record(false).catch(() => undefined);
  }

  /** Puts `after` into the place of `before`, or nothing. */
  replace(before: PromptInQueue | undefined, ...after: PromptInQueue[]): void {
    const index = this.prompts.findIndex((other) => other === before);
    if (index >= 0) this.prompts.splice(index, 1, ...after);
    // The next prompt that waits would keep waiting.
    if (this.prompts.length === 0) this.#isPaused = false;
  }

  /** Takes the next prompt out; nothing while the queue is paused. Its turn records that it is gone. */
  take(): PromptInQueue | undefined {
    return this.isPaused() ? undefined : this.prompts.shift();
  }

  async edit(id: string, text: string): Promise<void> {
    requireArgument("text", text);
    if (text.trim() === "")
      throw new ValidationError("A queued prompt needs a text", {
        hint: "Remove it from the queue instead.",
      });
    await this.#change(() => {
      const prompt = this.#find(id);
      const { displayInput: _shown, rawInput: _raw, skill: _skill, ...rest } = prompt;
      this.replace(prompt, { ...rest, input: text });
    });
  }

  async move(id: string, place: number): Promise<void> {
    if (!Number.isInteger(place) || place < 0)
      throw new ValidationError("A place in the queue is a whole number from 0");
    await this.#change(() => {
      const prompt = this.#find(id);
      this.prompts.splice(this.prompts.indexOf(prompt), 1);
      this.prompts.splice(place, 0, prompt);
    });
  }

  async remove(id: string): Promise<void> {
    const prompt = this.#find(id);
    await this.#change(() => this.replace(prompt));
    prompt.settle?.resolve(this.#host.dropped());
  }

  async pause(): Promise<void> {
    if (this.isPaused() || this.prompts.length === 0) return;
    this.#isPaused = true;
    await this.record(false);
  }

  async resume(): Promise<void> {
    if (this.isPaused()) await this.#change(() => (this.#isPaused = false));
    this.#host.startNext();
  }

  /** `mustKeep`: rejects when it can't be stored, instead of only showing it. */
  record(mustKeep = true): Promise<void> {
    if (this.prompts.length === 0) this.#isPaused = false;
    return this.#host.record(this.prompts, { isPaused: this.#isPaused, mustKeep });
  }

  /** Changes the queue and records it; a change that can't be recorded is undone. */
  async #change(change: () => void): Promise<void> {
    const [before, wasPaused] = [[...this.prompts], this.#isPaused];
    change();
    const changed = [...this.prompts];
    try {
      await this.record();
    } catch (error) {
      // Unless a turn has begun with it meanwhile, whose own record has the change.
      const isUnchanged =
        changed.length === this.prompts.length &&
        changed.every((one, at) => one === this.prompts[at]);
      if (isUnchanged) this.prompts.splice(0, Infinity, ...before);
      this.#isPaused = wasPaused;
      throw error;
    }
  }

  #find(id: string): PromptInQueue {
    const prompt = this.prompts.find((one) => one.id === id);
    if (prompt) return prompt;
    throw new SessionError("NOT_FOUND", "This prompt is not in the queue", {
      hint: "It may have begun, or somebody removed it. List what waits with queue.list().",
    });
  }
}
