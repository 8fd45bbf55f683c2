import { SessionError } from "../../../errors.ts";
import type { PromptQueue } from "../../../interactive/prompt-queue.ts";
import { type QueuedPrompt, shown } from "../../../interactive/queued-prompts.ts";
import type { WaitingPrompt } from "../../../session/queue.ts";
import type { RemoteRequests } from "../remote-requests.ts";

/** The part of the copied state that a queue is in. */
interface QueueState {
  readonly queue: readonly WaitingPrompt[];
  readonly isQueuePaused: boolean;
}

/** The queue of a session on a server, read from the copy of its log. */
export class RemoteQueue implements PromptQueue {
  readonly #requests: RemoteRequests;
  readonly #state: () => QueueState;
  #listed: { of: readonly WaitingPrompt[]; list: readonly QueuedPrompt[] } = { of: [], list: [] };

  constructor(requests: RemoteRequests, state: () => QueueState) {
    this.#requests = requests;
    this.#state = state;
  }

  list(): readonly QueuedPrompt[] {
    const { queue } = this.#state();
    if (queue !== this.#listed.of) this.#listed = { of: queue, list: queue.map(shown) };
    return this.#listed.list;
  }

  isPaused(): boolean {
    return this.#state().isQueuePaused;
  }

  async edit(id: string, text: string): Promise<void> {
    await this.#requests.patch({ text }, pathOf(id));
  }

  async move(id: string, place: number): Promise<void> {
    await this.#requests.patch({ place }, pathOf(id));
  }

  async remove(id: string): Promise<void> {
    // An earlier attempt, whose answer was lost, has removed it.
    const isDone = (refusal: unknown): boolean =>
      refusal instanceof SessionError && refusal.code === "NOT_FOUND";
    await this.#requests.delete(pathOf(id), { isDone });
  }

  async pause(): Promise<void> {
    await this.#requests.patch({ paused: true }, "queue");
  }

  async resume(): Promise<void> {
    await this.#requests.patch({ paused: false }, "queue");
  }
}

function pathOf(id: string): string {
  return `queue/${encodeURIComponent(id)}`;
}
