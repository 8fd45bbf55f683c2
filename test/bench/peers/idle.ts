// What sessions hold that wait for their next turn: 20 messages of 10 real turns each.
import { setTimeout } from "node:timers/promises";
import { ADAPTERS, type AdapterName } from "./adapters/index.ts";
import type { Conversation } from "./adapter.ts";
import type { Wire } from "./wires.ts";

const SESSIONS = 100;
const TURNS = 10;

const [, , adapter, wire, baseURL = ""] = process.argv;
const connect = await ADAPTERS[adapter as AdapterName].load(wire as Wire);
const client = connect({ baseURL: `${baseURL}/text.3.0`, tools: false });

async function lived(): Promise<Conversation> {
  const conversation = await client.conversation();
  for (let turn = 0; turn < TURNS; turn++) await conversation.turn(`Question ${turn}?`, () => {});
  return conversation;
}

async function settled(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.();
    await setTimeout(25);
  }
  return process.memoryUsage();
}

for (let index = 0; index < 20; index++) await (await lived()).dispose?.();
const before = await settled();
const kept: Conversation[] = [];
while (kept.length < SESSIONS) kept.push(await lived());
const after = await settled();
process.send?.(
  {
    sessions: kept.length,
    heap: (after.heapUsed - before.heapUsed) / SESSIONS,
    external: (after.external - before.external) / SESSIONS,
  },
  () => process.exit(),
);
