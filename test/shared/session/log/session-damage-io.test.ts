import {
  InteractiveSession,
  RobotaError,
  type SessionEvent,
  type Storage,
  StorageError,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryFileSystem, MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";

/** A storage whose `failsAt`-th operation fails, with none of it done or with all of it. */
class FailingStorage extends MemoryStorage {
  operations = 0;
  readonly #failsAt: number;
  readonly #isLate: boolean;

  constructor(failsAt: number, isLate: boolean) {
    super();
    this.#failsAt = failsAt;
    this.#isLate = isLate;
  }

  override get(key: string): Promise<Uint8Array | undefined> {
    return this.#attempt(() => super.get(key));
  }

  override set(...args: Parameters<Storage["set"]>): Promise<string> {
    return this.#attempt(() => super.set(...args));
  }

  override append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    return this.#attempt(() => super.append(log, entries));
  }

  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    this.operations += 1;
    const fails = this.operations === this.#failsAt;
    if (fails && !this.#isLate) throw new StorageError("IO", "The disk does not answer");
    const value = await work();
    if (fails) throw new StorageError("IO", "The disk has not told that it is done");
    return value;
  }
}

function sessionOn(storage: Storage, fs: MemoryFileSystem, answers: number): InteractiveSession {
  const write = (content: string, id: string) => ({
    toolCalls: [{ id, name: "Write", args: { filePath: "/code/a.txt", content } }],
  });
  const script = [
    write("one\n", "1"),
    {
      toolCalls: [
        { id: "2", name: "Bash", args: { command: "echo two >> a.txt; echo b > b.txt" } },
      ],
    },
    { text: "Done" },
  ];
  return new InteractiveSession({
    platform: memoryPlatform({ storage, fs }),
    cwd: "/code",
    sessionId: "s",
    provider: new ScriptedProvider([...script.slice(0, answers), { text: "After" }]),
    permissionMode: "bypassPermissions",
  });
}

interface Ran {
  storage: FailingStorage;
  fs: MemoryFileSystem;
  /** Events that were reported as stored. */
  shown: SessionEvent[];
  failure: unknown;
}

/** A whole turn with tools, on a storage that fails once. */
async function runTurn(failsAt: number, isLate: boolean): Promise<Ran> {
  const storage = new FailingStorage(failsAt, isLate);
  const fs = new MemoryFileSystem({ files: { "/code/a.txt": "zero\n" } });
  const session = sessionOn(storage, fs, 3);
  const shown: SessionEvent[] = [];
  session.on("event", (event) => shown.push(event));
  const failure = await session.submit("Work").then(
    ({ error, state }) => (state === "failed" ? error : undefined),
    (error: unknown) => error,
  );
  await session.shutdown().catch(() => undefined);
  return { storage, fs, shown, failure };
}

const STREAMED = new Set<SessionEvent["type"]>(["text_delta", "thinking_delta"]);
const TRANSIENT = new Set<SessionEvent["type"]>(["tool_output", "context_update"]);

it.each([
  ["nothing of it done", false],
  ["all of it done", true],
] as const)(
  "loses nothing that was shown, and stays usable, whichever operation fails with %s",
  async (_, isLate) => {
    const { storage: counted } = await runTurn(Infinity, isLate);
    expect(counted.operations).toBeGreaterThan(10);
    for (let failsAt = 1; failsAt <= counted.operations; failsAt++) {
      const { storage, fs, shown, failure } = await runTurn(failsAt, isLate);
      const where = `operation ${failsAt} of ${counted.operations}`;
      if (failure !== undefined) {
        const { code } = failure as { code?: string };
        expect(failure instanceof RobotaError || typeof code === "string", where).toBe(true);
      }
      const again = sessionOn(storage, fs, 0);
      expect((await again.submit("And now?")).response, where).toBe("After");
      const stored: SessionEvent[] = [];
      for await (const event of again.events()) {
        stored.push(event);
        if (event.type === "turn_end" && event.response === "After") break;
      }
      const found = new Set(stored.map(({ seq, type }) => `${seq} ${type}`));
      for (const { seq, type } of shown) {
        if (STREAMED.has(type) || TRANSIENT.has(type) || type === "note") continue;
        expect(found, `${where}: ${seq} ${type}`).toContain(`${seq} ${type}`);
      }
      const damage = again.getFullHistory().filter(({ type }) => type === "log-damaged");
      expect(damage, where).toEqual([]);
      // The former content of the files is stored, or they were never changed.
      const [first] = again.checkpoints();
      if (first?.input === "Work") {
        await again.rewind(first.id, "files");
        expect(new TextDecoder().decode(await fs.readFile("/code/a.txt")), where).toBe("zero\n");
      }
      await again.shutdown();
    }
  },
);
