import { createFunctionTool, Session, type SessionEvent } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { echo, stuckProvider, until } from "./support.ts";

/** The log of a session, as stored. */
export async function entriesOf(storage: MemoryStorage, id: string): Promise<Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for await (const { value } of storage.read(`sessions/${id}`)) entries.push(value);
  return entries;
}

const failing = createFunctionTool("fails", "Fails", { type: "object" }, () => {
  throw new Error("It does not work");
});

/**
 * A session with everything that a conversation can contain: parallel calls, failed ones, thoughts, a rewind, a
 * summary.
 */
export async function longLog(): Promise<Uint8Array[]> {
  const storage = new MemoryStorage();
  const say = (id: string, text: string) => ({ id, name: "echo", args: { text } });
  const session = new Session({
    platform: memoryPlatform({ storage, files: { "/code/": "" } }),
    cwd: "/code",
    sessionId: "s",
    provider: new ScriptedProvider([
      { thinking: "Hm", text: "Two at once", toolCalls: [say("1", "a"), say("2", "b")] },
      { toolCalls: [{ id: "1", name: "fails", args: {} }] },
      { deltas: ["All ", "done ", "👍"] },
      { toolCalls: [say("1", "the same id again")] },
      { text: "Second" },
      { text: "To be taken back" },
      { text: "A summary" },
      { toolCalls: [say("x", "after"), { id: "y", name: "nobody", args: {} }] },
      { text: "Last" },
    ]),
    tools: [echo, failing],
    permissionMode: "bypassPermissions",
    systemMessage: "Be brief",
  });
  await session.run("One");
  await session.run("Two");
  await session.run("Three");
  await session.rewind(session.checkpoints()[2]?.id ?? "", "conversation");
  await session.compact();
  await session.run("Four");
  await session.shutdown();
  return entriesOf(storage, "s");
}

/** A session that was killed while its model was answering. */
export async function cutLog(): Promise<Uint8Array[]> {
  const storage = new MemoryStorage();
  const provider = stuckProvider("Words ", "that never ", "end");
  const session = new Session({ storage, sessionId: "s", provider });
  const shown: SessionEvent["type"][] = [];
  session.subscribe(({ type }) => shown.push(type));
  void session.run("Go").catch(() => undefined);
  await until(() => shown.filter((type) => type === "text_delta").length === 3);
  await new Promise((resolve) => setTimeout(resolve, 200));
  return entriesOf(storage, "s");
}
