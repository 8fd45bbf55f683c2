/** An event as its stream shows it. */
export interface SeenEvent {
  id: number;
  type: string;
  data: Record<string, unknown>;
}

/** A client that follows a session's events over connections that break, each from behind the last event it has. */
export class EventReader implements AsyncDisposable {
  readonly seen: SeenEvent[] = [];
  readonly #connect: (lastId: number, signal: AbortSignal) => Promise<Response>;
  #stop = new AbortController();
  #reading: Promise<void> | undefined;

  constructor(connect: (lastId: number, signal: AbortSignal) => Promise<Response>) {
    this.#connect = connect;
  }

  get lastId(): number {
    return this.seen.findLast(({ type }) => !EPHEMERAL.has(type))?.id ?? 0;
  }

  start(): void {
    if (this.#reading) return;
    this.#stop = new AbortController();
    this.#reading = this.#read(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
    this.#reading = undefined;
  }

  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const response = await this.#connect(this.lastId, signal);
        if (response.ok) await this.#take(response);
        else await response.body?.cancel();
      } catch {
        // The server is gone; it is asked again.
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async #take(response: Response): Promise<void> {
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, id, type = "", data = ""] =
          /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (id === undefined) continue;
        this.seen.push({ id: Number(id), type, data: JSON.parse(data) as SeenEvent["data"] });
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Events that carry the number of the one before them. */
export const EPHEMERAL: ReadonlySet<string> = new Set(["tool_output", "context_update"]);
