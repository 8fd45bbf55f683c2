import { describe, expect, it } from "vitest";
import { Robota } from "../agent/robota.ts";
import { ConfigurationError } from "../errors.ts";
import { ScriptedProvider } from "../testing/scripted-provider.ts";
import { createFunctionTool } from "../tools/function-tool.ts";
import { LimitsPlugin } from "./limits/limits-plugin.ts";
import { SilentLogger } from "./logger.ts";
import { type WebhookEvent, WebhookPlugin, type WebhookPluginOptions } from "./webhook-plugin.ts";

interface Received {
  headers: Headers;
  text: string;
}

/** A receiver that answers with the given statuses, then with 204. */
function receiver(...statuses: number[]): {
  fetch: typeof fetch;
  requests: Received[];
  events(): WebhookEvent[];
} {
  const requests: Received[] = [];
  return {
    requests,
    events: () =>
      requests.flatMap(({ text }) => (JSON.parse(text) as { events: WebhookEvent[] }).events),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      requests.push({ headers: request.headers, text: await request.text() });
      return new Response(null, { status: statuses.shift() ?? 204 });
    },
  };
}

const echo = createFunctionTool("echo", "Says it again", { type: "object" }, async () => "again");
const script = [
  { toolCalls: [{ id: "1", name: "echo", args: { token: "x" } }] },
  { text: "It is sk-proj-abcdefgh12", usage: { inputTokens: 7 } },
  { error: "down" },
];

async function runsWith(options: WebhookPluginOptions): Promise<WebhookPlugin> {
  const webhook = new WebhookPlugin({ logger: new SilentLogger(), intervalMs: 60_000, ...options });
  const agent = new Robota({
    provider: new ScriptedProvider(script),
    tools: [echo],
    plugins: [webhook, new LimitsPlugin({ requests: 3 })],
  });
  for (const input of ["go", "fail", "refused"]) await agent.run(input);
  await agent.dispose();
  return webhook;
}

const url = "https://hooks.example/in";

/** A receiver's signature check, computed by hand. */
async function hmac(secret: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
  const bytes = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

describe("a webhook", () => {
  it("reports the ends of runs, without conversation content", async () => {
    const server = receiver();
    const webhook = await runsWith({ url, fetch: server.fetch });
    const events = server.events();
    expect(events.map(({ name }) => name)).toEqual([
      "execution.complete",
      "execution.error",
      "execution.refused",
    ]);
    expect(events[0]).toMatchObject({
      model: "scripted",
      attempt: 1,
      data: { rounds: 2, interrupted: false, usage: { inputTokens: 7 } },
    });
    expect(events[1]?.data).toMatchObject({ error: { code: "PROVIDER_ERROR", message: "down" } });
    expect(events[2]?.data).toMatchObject({ error: { code: "RATE_LIMIT_ERROR" } });
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    expect(server.requests[0]?.text).not.toContain("It is");
    expect(webhook.dropped).toBe(0);
  });

  it("reports the requested events, with content on request and without secrets", async () => {
    const server = receiver();
    await runsWith({
      url,
      fetch: server.fetch,
      events: [
        "execution.start",
        "tool.execute_start",
        "tool.execute_success",
        "execution.complete",
      ],
      content: true,
    });
    expect(server.events().map(({ name, data }) => [name, data])).toMatchObject([
      ["execution.start", { input: "go" }],
      ["tool.execute_start", { tool: "echo", args: { token: "[REDACTED]" } }],
      ["tool.execute_success", { tool: "echo", output: "again" }],
      ["execution.complete", { text: "It is [REDACTED]" }],
      ["execution.start", { input: "fail" }],
    ]);
  });

  it("signs identifier, time and body, and keeps them in retries", async () => {
    const server = receiver(500);
    let time = 1_700_000_000_000;
    const webhook = await runsWith({
      url,
      fetch: server.fetch,
      secret: `whsec_${btoa("a secret")}`,
      now: () => (time += 1000),
      sleep: async () => {},
    });
    expect(webhook.dropped).toBe(0);
    const [first, second] = server.requests;
    expect(server.requests).toHaveLength(2);
    expect(second?.text).toBe(first?.text);
    expect(second?.headers.get("webhook-id")).toBe(first?.headers.get("webhook-id"));
    for (const { headers, text } of server.requests) {
      const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${text}`;
      const expected = await hmac(new TextEncoder().encode("a secret"), signed);
      expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
    }
    expect(first?.headers.get("webhook-timestamp")).not.toBe(
      second?.headers.get("webhook-timestamp"),
    );
  });

  it("refuses a malformed secret, before anything runs", () => {
    const { fetch } = receiver();
    expect(() => new WebhookPlugin({ url, fetch, secret: "whsec_&" })).toThrow(ConfigurationError);
    expect(() => new WebhookPlugin({ url, fetch, secret: "any other" })).not.toThrow();
  });

  it("does not delay runs, is bounded, and closes within its time limit", async () => {
    const hanging: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const webhook = new WebhookPlugin({
      url,
      fetch: hanging,
      maxBatch: 1,
      capacity: 2,
      closeTimeoutMs: 20,
      logger: new SilentLogger(),
    });
    const answers = [1, 2, 3, 4, 5].map(() => ({ text: "ok" }));
    const reported: string[] = [];
    const agent = new Robota({
      provider: new ScriptedProvider(answers),
      plugins: [webhook],
      onPluginError: ({ message }) => reported.push(message),
    });
    for (const _ of answers) expect((await agent.run("go")).text).toBe("ok");
    // One delivery is on its way, two wait.
    expect(webhook.dropped).toBe(2);
    await agent.dispose();
    expect(webhook.dropped).toBe(5);
    expect(reported).toHaveLength(1);
  });
});
