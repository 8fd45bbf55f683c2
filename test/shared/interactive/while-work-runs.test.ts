import {
  contentText,
  createFunctionTool,
  InteractiveSession,
  type InteractiveSessionOptions,
  type Platform,
} from "@robota/runtime";
import { type ScriptedRequest, ScriptedProvider } from "@robota/runtime/testing";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { until } from "../../support/support.ts";

/** Stops work at one point, until it is released or its signal aborts. */
interface Gate {
  began: Promise<void>;
  release: () => void;
  hold: (signal?: AbortSignal) => Promise<void>;
}

/** Work that excludes turns, or a turn, and what becomes of each call while it runs. */
interface Work {
  name: string;
  start: (session: InteractiveSession, exported: ReadableStream<Uint8Array>) => Promise<unknown>;
  /** The session has no turn before it. */
  needsEmptySession?: true;
  /** Whether the turn reads the text, or it becomes a prompt behind the work. */
  steer: "joins" | "prompts";
  /** How the work ends when it is aborted. */
  abort: object;
}

const FILE = "made.txt";
const made = (session: InteractiveSession): string => `${session.workspace.cwd}/${FILE}`;

const WORKS: readonly Work[] = [
  {
    name: "a turn",
    start: (session) => session.submit("held"),
    steer: "joins",
    abort: { status: "fulfilled", value: { state: "interrupted" } },
  },
  {
    name: "compact",
    start: (session) => session.compact(),
    steer: "prompts",
    abort: { status: "rejected", reason: { name: "AbortError" } },
  },
  {
    name: "rewind",
    start: (session) => session.rewind(session.checkpoints()[0]?.id ?? "", "files"),
    steer: "prompts",
    // Half of the files restored would be worse than all of them.
    abort: { status: "fulfilled", value: { what: "files" } },
  },
  {
    name: "restoreFiles",
    start: (session) => session.changes.restoreFiles([made(session)]),
    steer: "prompts",
    abort: { status: "fulfilled", value: { what: "files" } },
  },
  {
    name: "importInto",
    start: (session, exported) => session.importInto(exported),
    needsEmptySession: true,
    steer: "prompts",
    abort: { status: "rejected", reason: { name: "AbortError" } },
  },
];

function createGate(): Gate {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    began: begun.promise,
    release: released.resolve,
    async hold(signal) {
      begun.resolve();
      const aborted = Promise.withResolvers<never>();
      signal?.addEventListener("abort", () => aborted.reject(signal.reason), { once: true });
      await Promise.race([released.promise, aborted.promise]);
    },
  };
}

/** Answers every prompt, and holds the turn of "held" and every summary. */
function holdingProvider(gate: Gate): ScriptedProvider {
  const reply = async ({ messages, options }: ScriptedRequest) => {
    const text = contentText(messages.findLast(({ role }) => role === "user")?.content ?? "");
    const isFirst = messages.at(-1)?.role === "user";
    if (text === "make" && isFirst) return { toolCalls: [{ name: "make" }] };
    if (text === "held" && isFirst) return { toolCalls: [{ name: "hold" }] };
    const isSummary = options.tools === undefined;
    if (isSummary) await gate.hold(options.signal);
    return { text: `re: ${text}` };
  };
  return new ScriptedProvider(Array.from({ length: 9 }, () => reply));
}

function optionsFor({ platform, cwd }: { platform: Platform; cwd: string }, gate: Gate) {
  const fs = new Proxy(platform.fs, {
    get(target, name) {
      if (name === "remove")
        return async (path: string) => (await gate.hold(), target.remove(path));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const hold = createFunctionTool("hold", "Holds", { type: "object" }, async (_, { signal }) => {
    await gate.hold(signal);
    return "held";
  });
  const make = createFunctionTool("make", "Makes a file", { type: "object" }, async (_, own) => {
    await own.platform.fs.writeFile(`${cwd}/${FILE}`, "made");
    return "made";
  });
  return {
    platform: { ...platform, fs },
    cwd,
    provider: holdingProvider(gate),
    tools: [hold, make],
    permissions: { allow: ["hold", "make"] },
    queueLimit: 3,
  } satisfies InteractiveSessionOptions;
}

/** The export of a session with one turn, of which the rest arrives when the gate opens. */
async function heldExport(
  options: ReturnType<typeof optionsFor>,
  gate: Gate,
): Promise<ReadableStream<Uint8Array>> {
  await using source = new InteractiveSession(options);
  await source.submit("there");
  const bytes = new Uint8Array(await new Response(await source.export()).arrayBuffer());
  const middle = Math.floor(bytes.length / 2);
  return new ReadableStream(
    {
      start: (controller) => controller.enqueue(bytes.slice(0, middle)),
      async pull(controller) {
        await gate.hold();
        controller.enqueue(bytes.slice(middle));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Starts the work, and calls `run` while it is held. */
async function whileHeld(
  work: Work,
  run: (parts: {
    session: InteractiveSession;
    working: Promise<unknown>;
    release: () => void;
    prompts: () => unknown[];
  }) => Promise<void>,
): Promise<void> {
  await withHost(async (host) => {
    const gate = createGate();
    const options = optionsFor(host, gate);
    const exported = await heldExport(options, gate);
    await using session = new InteractiveSession(options);
    await session.ready;
    if (!work.needsEmptySession) await session.submit("make");
    const prompts: unknown[] = [];
    session.on("event", (event) => {
      if (event.type === "turn_start") prompts.push(event.input);
    });
    const working = work.start(session, exported);
    working.catch(() => undefined);
    await gate.began;
    expect(session.isExecuting()).toBe(true);
    await run({ session, working, release: gate.release, prompts: () => prompts });
  });
}

describe.each(WORKS)("while $name runs", (work) => {
  const own = work.name === "a turn" ? ["held"] : [];

  it("submit waits for its end, and prompts run in their order", () =>
    whileHeld(work, async ({ session, working, release, prompts }) => {
      const waiting = [session.submit("first"), session.submit("second")];
      await until(() => session.getQueue().length === 2);
      release();
      await working;
      waiting.push(session.submit("third"));
      const answers = await Promise.all(waiting);
      expect(answers.map(({ response }) => response)).toEqual(
        ["first", "second", "third"].map((text) => `re: ${text}`),
      );
      expect(prompts()).toEqual([...own, "first", "second", "third"]);
      expect(session.isExecuting()).toBe(false);
    }));

  it(`steer ${work.steer === "joins" ? "gives it the text" : "sends a prompt behind it"}`, () =>
    whileHeld(work, async ({ session, working, release, prompts }) => {
      const steered = session.steer("aside");
      if (work.steer === "joins") await steered;
      else await until(() => session.getQueue().length === 1);
      release();
      await Promise.all([working, steered]);
      await until(() => !session.isExecuting());
      expect(session.getMessages().at(-1)?.content).toBe("re: aside");
      expect(prompts()).toEqual([...own, ...(work.steer === "joins" ? [] : ["aside"])]);
    }));

  it("abort drops the prompts behind it, and stops it where that leaves nothing half done", () =>
    whileHeld(work, async ({ session, working, release }) => {
      const waiting = session.submit("dropped");
      await until(() => session.getQueue().length === 1);
      session.abort();
      expect(session.getQueue()).toEqual([]);
      if ("value" in work.abort) release();
      expect([await Promise.allSettled([working])]).toMatchObject([[work.abort]]);
      expect(await waiting).toMatchObject({ state: "interrupted", turnId: "" });
      expect(session.isExecuting()).toBe(false);
      expect((await session.submit("later")).response).toBe("re: later");
    }));

  it("abort with keepQueue pauses the prompts behind it", () =>
    whileHeld(work, async ({ session, working, release }) => {
      const waiting = session.submit("kept");
      await until(() => session.getQueue().length === 1);
      session.abort({ keepQueue: true });
      if ("value" in work.abort) release();
      await Promise.allSettled([working]);
      expect([session.isExecuting(), session.queue.isPaused(), session.getQueue()]).toEqual([
        false,
        true,
        ["kept"],
      ]);
      await session.queue.resume();
      expect((await waiting).response).toBe("re: kept");
    }));
});
