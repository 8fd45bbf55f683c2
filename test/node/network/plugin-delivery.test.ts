import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { Robota, SilentLogger } from "@robota/runtime";
import {
  RemoteRecordStore,
  UsagePlugin,
  type UsageRecord,
  type WebhookEvent,
  WebhookPlugin,
} from "@robota/runtime/plugins";
import { ScriptedProvider } from "@robota/runtime/testing";
import { afterEach, describe, expect, it } from "vitest";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A real receiver, which answers with the given statuses in turn and then with 200; `0` cuts the connection. */
async function receiver(...statuses: number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      const status = statuses.shift() ?? 200;
      if (status === 0) return response.destroy();
      const headers = status === 429 ? { "retry-after": "0.02" } : { location: "/elsewhere" };
      return response.writeHead(status, headers).end("x".repeat(100_000));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  return { url: `http://127.0.0.1:${address.port}/in`, received };
}

const logger = new SilentLogger();
const { fetch } = globalThis;

describe("over real connections", () => {
  it("a webhook arrives signed, after a cut connection, an error and a delay", async () => {
    const { url, received } = await receiver(0, 500, 429);
    const key = Buffer.from("0123456789abcdef");
    const secret = `whsec_${key.toString("base64")}`;
    const sleep = (ms: number): Promise<void> => delay(Math.min(ms, 20));
    const webhook = new WebhookPlugin({ url, fetch, secret, logger, sleep });
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "ok" }]),
      plugins: [webhook],
    });
    await agent.run("go");
    await agent.dispose();
    expect(received).toHaveLength(4);
    for (const { headers, body } of received) {
      const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
      const expected = createHmac("sha256", key).update(signed).digest("base64");
      expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
      const age = Date.now() / 1000 - Number(headers["webhook-timestamp"]);
      expect(Math.abs(age)).toBeLessThan(60);
    }
    const { events } = JSON.parse(received.at(-1)?.body ?? "") as { events: WebhookEvent[] };
    expect(events).toMatchObject([{ name: "execution.complete", data: { rounds: 1 } }]);
    expect(webhook.dropped).toBe(0);
  });

  it("records arrive once and in order while the server works", async () => {
    const { url, received } = await receiver();
    const storage = new RemoteRecordStore<UsageRecord>({ url, fetch, logger, maxBatch: 7 });
    const usage = new UsagePlugin({ storage });
    const answers = Array.from({ length: 20 }, (_, index) => ({
      text: "ok",
      usage: { inputTokens: index },
    }));
    const agent = new Robota({ provider: new ScriptedProvider(answers), plugins: [usage] });
    for (const _ of answers) await agent.run("go");
    await agent.dispose();
    const batches = received.map(({ body }) => JSON.parse(body) as UsageRecord[]);
    expect(batches.flat().map((record) => record.usage.inputTokens)).toEqual(
      answers.map(({ usage: { inputTokens } }) => inputTokens),
    );
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(7);
  });

  it("a redirect is not followed", async () => {
    const { url, received } = await receiver(307);
    const storage = new RemoteRecordStore<{ time: number }>({ url, fetch, logger });
    storage.add({ time: 1 });
    await expect(storage.flush()).rejects.toMatchObject({ recoverable: false, status: 307 });
    expect(received).toHaveLength(1);
  });

  it("a missing server does not affect a run", async () => {
    const { url } = await receiver();
    servers[0]?.closeAllConnections();
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve));
    const webhook = new WebhookPlugin({ url, fetch, logger, closeTimeoutMs: 50 });
    const reported: unknown[] = [];
    const agent = new Robota({
      provider: new ScriptedProvider([{ text: "ok" }]),
      plugins: [webhook],
      onPluginError: ({ cause }) => reported.push(cause),
    });
    expect((await agent.run("go")).text).toBe("ok");
    await agent.dispose();
    expect(webhook.dropped).toBe(1);
    expect(reported).toMatchObject([{ code: "IO" }]);
  });
});
