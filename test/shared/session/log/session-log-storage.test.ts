import {
  createFunctionTool,
  createSubagentLogger,
  type Provider,
  replaySessionLogEntries,
  Session,
  StorageError,
  StorageSessionLogger,
} from "@robota/runtime";
import {
  deleteSessionLog,
  readSessionLog,
  Redactor,
  validateSessionLog,
} from "@robota/runtime/log";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { MemoryStorage } from "@robota/runtime/virtual";
import { expect, it } from "vitest";

const LARGE = "many words, ".repeat(4000);

/** Everything that a storage keeps, as one text. */
async function everything(storage: MemoryStorage, ...logs: string[]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (const log of logs)
    for await (const { value } of storage.read(log)) text += `${decoder.decode(value)}\n`;
  for (const key of await storage.keys("logs/"))
    text += `${key} ${decoder.decode(await storage.get(key))}\n`;
  return text;
}

async function sizeOf(storage: MemoryStorage, log: string): Promise<number> {
  let size = 0;
  for await (const { value } of storage.read(log)) size += value.length;
  return size;
}

it("stores a large field once, by its content, and restores it", async () => {
  const storage = new MemoryStorage();
  const logger = new StorageSessionLogger(storage);
  logger.log("s", "assistant", { content: LARGE, note: "small" });
  logger.log("s", "assistant", { content: LARGE });
  await logger.flush();
  const keys = await storage.keys("logs/");
  expect(keys).toEqual([expect.stringMatching(/^logs\/s\.payloads\/[0-9a-f]{64}$/)]);
  expect(await sizeOf(storage, "logs/s")).toBeLessThan(1000);
  const sha256 = keys[0]?.slice(-64);
  const [line = ""] = (await everything(storage, "logs/s")).split("\n");
  expect(JSON.parse(line)).toMatchObject({
    v: 1,
    sessionId: "s",
    event: "assistant",
    data: {
      content: {
        kind: "external-payload",
        encoding: "json",
        sha256,
        byteLength: LARGE.length + 2,
        relativePath: `s.payloads/${sha256}.json`,
      },
      note: "small",
    },
  });
  const { entries } = await readSessionLog(storage, "s");
  expect(entries.map(({ data }) => data["content"])).toEqual([LARGE, LARGE]);
});

it.each(["gone", "damaged"])("reports which payload is %s, and reads the rest", async (how) => {
  const storage = new MemoryStorage();
  const logger = new StorageSessionLogger(storage);
  logger.log("s", "assistant", { content: LARGE });
  logger.log("s", "assistant", { content: "other" });
  await logger.flush();
  const [key = ""] = await storage.keys("logs/");
  if (how === "gone") await storage.delete(key);
  else await storage.set(key, new TextEncoder().encode('"other words"'));
  const sha256 = key.slice(-64);
  const { entries } = await readSessionLog(storage, "s");
  expect(entries.map(({ data }) => data["content"])).toEqual([
    { kind: "payload-missing", sha256, message: `payload missing (${sha256})` },
    "other",
  ]);
  expect(await validateSessionLog(storage, "s")).toMatchObject([
    { code: "payload-missing", sha256, index: 0 },
  ]);
});

it("reads the complete entries of a log with damaged lines, and lists those", async () => {
  const storage = new MemoryStorage();
  const logger = new StorageSessionLogger(storage);
  logger.log("s", "text_delta", { delta: "one" });
  await logger.flush();
  const lines = [
    "{",
    "[]",
    '{"v":1}',
    '{"v":9,"timestamp":"","sessionId":"s","event":"x","data":{}}',
  ];
  await storage.append(
    "logs/s",
    lines.map((line) => new TextEncoder().encode(line)),
  );
  logger.log("s", "text_delta", { delta: "two" });
  await logger.flush();
  const { entries, issues } = await readSessionLog(storage, "s");
  expect(entries.map(({ data }) => data["delta"])).toEqual(["one", "two"]);
  expect(issues.map(({ code, index }) => `${code} ${index}`)).toEqual([
    "damaged-line 1",
    "damaged-line 2",
    "damaged-line 3",
    "damaged-line 4",
  ]);
});

it("never writes a line before the payload that it references, whichever write fails", async () => {
  for (let failing = 0; failing < 3; failing++) {
    const storage = new MemoryStorage();
    let writes = 0;
    const fails = (): void => {
      if (writes++ === failing) throw new StorageError("IO", "The disk is away");
    };
    const logger = new StorageSessionLogger({
      get: (key) => storage.get(key),
      version: (key) => storage.version(key),
      delete: (key) => storage.delete(key),
      keys: (prefix) => storage.keys(prefix),
      read: (log, from) => storage.read(log, from),
      deleteLog: (log) => storage.deleteLog(log),
      acquire: (name, options) => storage.acquire(name, options),
      set: async (key, value, options) => {
        fails();
        return storage.set(key, value, options);
      },
      append: async (log, entries) => {
        fails();
        return storage.append(log, entries);
      },
    });
    logger.log("s", "assistant", { content: LARGE });
    logger.log("s", "assistant", { content: `${LARGE}!` });
    await expect(logger.flush()).rejects.toMatchObject({ code: "IO" });
    expect(await validateSessionLog(storage, "s")).toEqual([]);
    // Entries that could not be written are kept for the next flush.
    await logger.flush();
    const { entries } = await readSessionLog(storage, "s");
    expect(entries).toHaveLength(2);
    expect(await validateSessionLog(storage, "s")).toEqual([]);
  }
});

it("writes automatically, many entries at once", async () => {
  const storage = new MemoryStorage();
  let appends = 0;
  const append = storage.append.bind(storage);
  storage.append = (log, entries) => {
    appends += 1;
    return append(log, entries);
  };
  const logger = new StorageSessionLogger(storage);
  for (let index = 0; index < 500; index++) logger.log("s", "text_delta", { delta: `${index} ` });
  expect(appends).toBe(0);
  await expect.poll(async () => (await readSessionLog(storage, "s")).entries).toHaveLength(500);
  expect(appends).toBe(1);
});

it("redacts every line and payload, however an answer splits a secret", async () => {
  const secret = "tiger-lily-of-the-valley";
  const key = "sk-ant-REDACTME0123456789";
  const storage = new MemoryStorage();
  const redactor = new Redactor([secret]);
  const reveal = createFunctionTool(
    "reveal",
    "Tells",
    { type: "object" },
    async () => `${LARGE} ${secret} ${btoa(secret)} ${encodeURIComponent(`&${secret}`)} ${key}`,
  );
  const pieces = (text: string, size: number): string[] =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
  for (let size = 1; size <= secret.length + 3; size += 2) {
    const session = new Session({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([
        {
          deltas: pieces(`I say ${secret} and ${key} too.`, size),
          thinking: `Not ${secret}`,
          toolCalls: [{ id: "r", name: "reveal", args: { apiKey: "plain", query: secret } }],
        },
        { text: "done" },
      ]),
      sessionId: `s${size}`,
      systemMessage: `Never say ${secret}`,
      tools: [reveal],
      permissionMode: "bypassPermissions",
      logger: new StorageSessionLogger(storage),
      redactor,
    });
    await session.run(`What is "password": "hunter2" and https://me:pw123456@host/?token=abcdef ?`);
    await session.shutdown();
    const text = await everything(storage, `logs/s${size}`);
    for (const part of [secret, btoa(secret), key, "hunter2", "pw123456", "abcdef", '"plain"'])
      expect(text.includes(part), `${part} in pieces of ${size}`).toBe(false);
    const { entries } = await readSessionLog(storage, `s${size}`);
    for (const event of ["text_delta", "provider_stream_raw_delta"]) {
      const words = entries
        .filter((entry) => entry.event === event)
        .map(({ data: { delta } }) => (typeof delta === "string" ? delta : Object(delta).text))
        .join("");
      expect(words).not.toContain(secret);
      expect(words).toContain("I say [REDACTED] and [REDACTED] too.");
    }
    expect(replaySessionLogEntries(entries).messages).toHaveLength(4);
  }
});

it("redacts a secret that a service's own events split", async () => {
  const secret = "tiger-lily-of-the-valley";
  const storage = new MemoryStorage();
  const words = Array.from(`It is ${secret}.`);
  const provider: Provider = {
    name: "wire",
    model: "m",
    chat: () => Promise.reject(new Error("not used")),
    async *chatStream(_messages, options) {
      for (const [sequence, text] of words.entries()) {
        const payload = { type: "content_block_delta", index: 0, delta: { text } };
        const what = { provider: "wire", payloadKind: "stream_event" as const };
        options?.onProviderNativeRawPayload?.({ ...what, sequence, payload });
        yield { type: "text_delta", delta: text };
      }
      const message = { role: "assistant" as const, id: "m", timestamp: new Date() };
      yield {
        type: "message",
        message: { ...message, content: words.join(""), state: "complete" },
      };
    },
  };
  const session = new Session({
    platform: memoryPlatform(),
    provider,
    sessionId: "s",
    logger: new StorageSessionLogger(storage),
    redactor: new Redactor([secret]),
  });
  await session.run("Tell me");
  await session.shutdown();
  expect(await everything(storage, "logs/s")).not.toContain(secret);
  const { entries } = await readSessionLog(storage, "s");
  const native = entries.filter(({ event }) => event === "provider_native_raw_payload");
  expect(native).toHaveLength(words.length);
  const said = native.map(({ data }) => Object(data["payload"]).delta.text as string).join("");
  expect(said).toBe("It is [REDACTED].");
});

it("keeps a separate log for each subagent", async () => {
  const storage = new MemoryStorage();
  const base = new StorageSessionLogger(storage);
  const one = createSubagentLogger("parent", "one", base);
  const two = createSubagentLogger("parent", "two", base);
  await one.log("child-1", "assistant", { content: LARGE });
  await two.log("child-2", "assistant", { content: "second" });
  base.log("parent", "assistant", { content: "mine" });
  await one.flush();
  const contents = async (agentId?: string): Promise<unknown[]> => {
    const { entries } = await readSessionLog(storage, "parent", agentId ? { agentId } : {});
    return entries.map(({ sessionId, data }) => [sessionId, data["content"]]);
  };
  expect(await contents()).toEqual([["parent", "mine"]]);
  expect(await contents("one")).toEqual([["child-1", LARGE]]);
  expect(await contents("two")).toEqual([["child-2", "second"]]);
  expect(await sizeOf(storage, "logs/parent/subagents/two")).toBeGreaterThan(0);
  expect(() => createSubagentLogger("parent", "../x", base)).toThrow();
  await deleteSessionLog(storage, "parent", { agentIds: ["two"] });
  expect(await storage.keys("logs/")).toEqual([]);
  for (const agentId of [undefined, "one", "two"]) expect(await contents(agentId)).toEqual([]);
});
