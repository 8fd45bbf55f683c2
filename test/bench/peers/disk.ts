// A session's writes to the disk: bytes a turn, early and late, and how often it makes them durable.
// First, since others keep the functions that it counts.
import { countedSyncs } from "./counted-syncs.ts";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform } from "@robota/adapters-node";
import { createFunctionTool, Session } from "@robota/runtime";
import { AnthropicProvider } from "@robota/runtime/providers/anthropic";
import { API_KEY, ECHO, echo, MODEL } from "./adapter.ts";

const EARLY = 10;
const LATE = 500;
const ROUNDS = 20;

const [, , root = ""] = process.argv;
const home = await mkdtemp(join(tmpdir(), "robota-bench-"));

/** The size of the logs; the other records of a session are rewritten in the background. */
async function logBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.name.endsWith(".jsonl"))
      bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

const platform = nodePlatform({ home });
const provider = (path: string): AnthropicProvider =>
  new AnthropicProvider({ apiKey: API_KEY, model: MODEL, baseURL: root + path });
let steps = 0;
const chatting = new Session({ platform, provider: provider("/text.3.0"), contextWindow: 1e9 });

/** Bytes of one turn after `before` others; the first of each slice bears the cost of a new file. */
async function bytesAfter(before: number, done: number): Promise<number> {
  for (let turn = done; turn < before; turn++) await chatting.run("How are you today?");
  const begun = await logBytes(home);
  for (let turn = 0; turn < 10; turn++) await chatting.run("How are you today?");
  return ((await logBytes(home)) - begun) / 10;
}

const early = await bytesAfter(EARLY, 0);
const late = await bytesAfter(LATE, EARLY + 10);
await chatting.shutdown();

const working = new Session({
  platform,
  provider: provider(`/tool.${ROUNDS}.1`),
  tools: [createFunctionTool<{ text: string }>(ECHO.name, ECHO.description, ECHO.parameters, echo)],
  permissions: { allow: [ECHO.name] },
});
const acknowledged = new Set([
  "turn_start",
  "assistant_message",
  "tool_start",
  "tool_end",
  "turn_end",
]);
await working.open();
working.subscribe(({ type }) => (steps += acknowledged.has(type) ? 1 : 0));
const before = countedSyncs();
await working.run("Use the tool.");
const counted = { early, late, syncs: countedSyncs() - before, steps };
await working.shutdown();
await platform.dispose();
await rm(home, { recursive: true });
process.send?.(counted, () => process.exit());
