// The memory of sessions that wait for their next turn: 20 messages of 10 real turns each.
import { setTimeout } from "node:timers/promises";
import { ADAPTERS, type AdapterName } from "./adapters/index.ts";
import type { Conversation } from "./adapter.ts";
import type { Wire } from "./wires.ts";

/** So many that what the code itself takes, which is there once, hardly counts. */
const SESSIONS = 1000;
const CONCURRENT = 8;
/** Until what was begun in the background is on disk, and what opening a session waits for at the most is over. */
const QUIET_MS = 3_000;
const TURNS = 10;

const [, , adapter, wire, baseURL = ""] = process.argv;
const connect = await ADAPTERS[adapter as AdapterName].load(wire as Wire);
const client = connect({ baseURL: `${baseURL}/text.3.0`, tools: false });

async function lived(name: string): Promise<Conversation> {
  const conversation = await client.conversation();
  for (let turn = 0; turn < TURNS; turn++)
    await conversation.turn(`session ${name} question ${turn} about the weather today?`, () => {});
  return conversation;
}

async function settled(): Promise<NodeJS.MemoryUsage> {
  await setTimeout(QUIET_MS);
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await setTimeout(25);
  }
  return process.memoryUsage();
}

for (let index = 0; index < 20; index++) await (await lived(`w${index}`)).dispose?.();
const before = await settled();
const kept: Conversation[] = [];
let begun = 0;
await Promise.all(
  Array.from({ length: CONCURRENT }, async () => {
    while (begun < SESSIONS) kept.push(await lived(String(begun++)));
  }),
);
const after = await settled();
process.send?.(
  {
    sessions: kept.length,
    heap: (after.heapUsed - before.heapUsed) / SESSIONS,
    external: (after.external - before.external) / SESSIONS,
  },
  () => process.exit(),
);
