import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { AssistantMessage } from "../messages/message.ts";
import { OpenAIProvider } from "../providers/openai/index.ts";
import { chat, type Provider, type ProviderEvent } from "../providers/provider.ts";
import { Robota } from "./robota.ts";
import type { RunResult } from "./agent-run.ts";

const FINISH = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
const text = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** A provider whose service sends one piece every 5 ms, for as long as `piece` gives one. */
function dripping(piece: (index: number) => string | undefined): {
  provider: Provider;
  wasCancelled: () => boolean;
} {
  let isCancelled = false;
  const bytes = new TextEncoder();
  const provider = new OpenAIProvider({
    apiKey: "k",
    dangerouslyAllowBrowser: true,
    model: "m",
    api: "chat",
    baseURL: "https://model.example/v1",
    maxRetries: 0,
    fetch: async () => {
      let timer: ReturnType<typeof setInterval>;
      let index = 0;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          timer = setInterval(() => {
            const next = piece(index++);
            controller.enqueue(bytes.encode(next ?? FINISH));
            if (next !== undefined) return;
            clearInterval(timer);
            controller.close();
          }, 5);
        },
        cancel() {
          isCancelled = true;
          clearInterval(timer);
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { provider, wasCancelled: () => isCancelled };
}

// The SDK is loaded by the first call, which is slower than the limits here.
beforeAll(async () => {
  await new Robota({ provider: dripping(() => undefined).provider }).run("go");
});

const realTimeout = globalThis.setTimeout;

/** The result of a run on a clock that stands still while the machine is busy with something else. */
async function ranOnItsClock(agent: Robota): Promise<RunResult> {
  let isDone = false;
  const run = agent.run("go").finally(() => (isDone = true));
  while (!isDone) {
    await vi.advanceTimersByTimeAsync(1);
    // Streams deliver in turns of the host's own event loop.
    await new Promise((resolve) => realTimeout(resolve));
  }
  return run;
}

describe("a provider call that sends data without end", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("fails when its service only sends pings, and closes the connection", async () => {
    for (const ping of [": ping\n\n", text("")]) {
      const { provider, wasCancelled } = dripping(() => ping);
      const agent = new Robota({ provider, timeout: 60, progressTimeout: 120 });
      expect(await ranOnItsClock(agent)).toMatchObject({
        interrupted: false,
        error: { code: "NETWORK_ERROR", message: expect.stringContaining("did not grow") },
      });
      expect(wasCancelled()).toBe(true);
    }
  });

  it("continues while its answer grows from time to time", async () => {
    // Six idle limits long, with a word in each progress limit's half.
    const { provider } = dripping((index) =>
      index > 90 ? undefined : index % 15 === 0 ? text("w") : ": ping\n\n",
    );
    const agent = new Robota({ provider, timeout: 75, progressTimeout: 300 });
    expect(await ranOnItsClock(agent)).toMatchObject({ text: "wwwwwww", interrupted: false });
  });

  it("fails at the limit of one call when its answer grows without end, and keeps shown text", async () => {
    const { provider, wasCancelled } = dripping(() => text("x"));
    const agent = new Robota({ provider, timeout: 60, callTimeout: 100 });
    expect(await ranOnItsClock(agent)).toMatchObject({
      error: { code: "NETWORK_ERROR", message: expect.stringContaining("did not end") },
    });
    expect(wasCancelled()).toBe(true);
    expect(agent.getHistory().at(-1)).toMatchObject({
      content: expect.stringMatching(/^x+$/),
      state: "interrupted",
      error: { code: "NETWORK_ERROR" },
    });
  });

  it("has default limits of a quarter of an hour without progress and an hour in total", async () => {
    const timers: number[] = [];
    const answer: AssistantMessage = {
      role: "assistant",
      id: "",
      timestamp: new Date(),
      state: "complete",
      content: "ok",
    };
    const real = globalThis.setTimeout;
    const provider: Provider = {
      name: "p",
      model: "m",
      chat: (messages, options) => chat(provider, messages, options),
      async *chatStream(): AsyncGenerator<ProviderEvent> {
        yield { type: "message", message: answer };
      },
    };
    const spy = ((run: () => void, ms?: number) => {
      timers.push(ms ?? 0);
      return real(run, ms);
    }) as typeof setTimeout;
    globalThis.setTimeout = spy;
    try {
      await new Robota({ provider }).run("go");
      await new Robota({ provider, progressTimeout: 0 }).run("go");
      await new Robota({ provider, progressTimeout: 0, callTimeout: 0 }).run("go");
    } finally {
      globalThis.setTimeout = real;
    }
    const minutes = timers.map((ms) => Math.round(ms / 60_000)).filter((count) => count > 0);
    expect(minutes).toEqual([15, 60]);
  });
});
