import {
  contentText,
  InteractiveSession,
  Session,
  type Storage,
  StorageError,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";

/** Fails at one of its writes, with none of it done or all of it, and at everything after it, as at a crash. */
class DyingStorage extends MemoryStorage {
  writes = 0;
  /** Infinity: it lives. */
  diesAt = Infinity;
  isLate = false;

  override set(...args: Parameters<Storage["set"]>): Promise<string> {
    return this.#write(() => super.set(...args));
  }

  override append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    return this.#write(() => super.append(log, entries));
  }

  async #write<Value>(work: () => Promise<Value>): Promise<Value> {
    this.writes += 1;
    if (this.writes < this.diesAt) return work();
    if (this.writes === this.diesAt && this.isLate) await work();
    throw new StorageError("IO", "The machine is gone");
  }
}

const OLD = ["A story. ".repeat(50), "Heard"];
const NEW = ["[Context Summary]\nA summary"];

/** Compacts on a storage that dies at a write of the compaction; resolves to how many writes it had. */
async function compactAndDie(
  diesAt: number,
  isLate: boolean,
): Promise<{ storage: DyingStorage; writes: number }> {
  const storage = new DyingStorage();
  const session = new Session({
    platform: memoryPlatform({ storage }),
    provider: new ScriptedProvider([{ text: OLD[1] ?? "" }, { text: "A summary" }]),
    sessionId: "s",
  });
  await session.run(OLD[0] ?? "");
  // The header follows in the background.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const before = storage.writes;
  Object.assign(storage, { diesAt: before + diesAt, isLate });
  await session.compact().catch(() => undefined);
  await session.shutdown().catch(() => undefined);
  storage.diesAt = Infinity;
  return { storage, writes: storage.writes - before };
}

it("leaves the old conversation or the new one when the machine dies at any write of a compaction", async () => {
  const { writes } = await compactAndDie(Infinity, false);
  expect(writes).toBeGreaterThan(1);
  const found = new Set<string>();
  for (let diesAt = 1; diesAt <= writes; diesAt++)
    for (const isLate of [false, true]) {
      const { storage } = await compactAndDie(diesAt, isLate);
      const provider = new ScriptedProvider([{ text: "Going on" }]);
      const again = new InteractiveSession({
        platform: memoryPlatform({ storage }),
        provider,
        resumeSessionId: "s",
      });
      expect((await again.submit("And then?")).response).toBe("Going on");
      const sent = provider.requests[0]?.messages.map(({ content }) => contentText(content)) ?? [];
      const view = sent.filter((content) => [...OLD, ...NEW].includes(content));
      expect([OLD, NEW]).toContainEqual(view);
      found.add(String(view.length));
      // Both have the messages that a person saw.
      expect(again.getMessages().map(({ content }) => content)).toEqual(
        expect.arrayContaining(OLD),
      );
      await again.shutdown();
    }
  expect([...found].sort()).toEqual(["1", "2"]);
});
