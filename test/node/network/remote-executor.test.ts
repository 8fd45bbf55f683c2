import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SimpleRemoteExecutor } from "@robota/runtime";
import { type ScriptedReply, ScriptedProvider } from "@robota/runtime/testing";
import { executorHandler } from "@robota/runtime/transports";
import { afterEach, expect, it } from "vitest";

const ask = [{ role: "user" as const, id: "1", timestamp: new Date(0), content: "Hi" }];
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A provider behind a real server, and the way to it. */
async function serve(script: readonly ScriptedReply[]): Promise<{
  remote: SimpleRemoteExecutor;
  url: string;
  kill: () => void;
}> {
  const provider = new ScriptedProvider(script, { model: "m" });
  const handler = executorHandler(provider, {
    tokens: { app: "app-token" },
    allowedOrigins: ["https://app.example"],
  });
  const server = createServer((request, response) => void answer(handler, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const kill = (): void => {
    server.close();
    server.closeAllConnections();
  };
  closing.push(kill);
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no address");
  const url = `http://127.0.0.1:${address.port}/execute`;
  const remote = new SimpleRemoteExecutor({ url, token: "app-token", model: "m", maxRetries: 0 });
  return { remote, url, kill };
}

async function answer(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const { method = "GET", url = "/", headers } = incoming;
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    signal: gone.signal,
    ...(method === "POST" && { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" }),
  });
  const response = await handler(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) outgoing.end();
  // A client that hangs up is what one of the tests is about.
  else await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => undefined);
}

it("streams an answer over a real connection", async () => {
  const { remote } = await serve([{ deltas: ["Hel", "lo ", "\u{1f600}"] }]);
  const deltas: string[] = [];
  const message = await remote.chat(ask, { onTextDelta: (delta) => deltas.push(delta) });
  expect([message.content, deltas]).toEqual(["Hello \u{1f600}", ["Hel", "lo ", "\u{1f600}"]]);
});

it("ends the call on the server when the client disconnects", async () => {
  let aborted = false;
  const { remote } = await serve([
    ({ options }) => {
      options.signal?.addEventListener("abort", () => (aborted = true));
      return { deltas: ["one", "two"], delayMs: 200 };
    },
  ]);
  const stop = new AbortController();
  const message = await remote.chat(ask, { signal: stop.signal, onTextDelta: () => stop.abort() });
  expect(message).toMatchObject({ content: "one", state: "interrupted" });
  await expect.poll(() => aborted).toBe(true);
});

it("keeps the text so far when the server dies", async () => {
  const { remote, kill } = await serve([{ deltas: ["one", "two"], delayMs: 100 }]);
  const message = await remote.chat(ask, { onTextDelta: () => kill() });
  expect(message).toMatchObject({
    content: "one",
    state: "interrupted",
    error: { code: "NETWORK_ERROR" },
  });
  await expect(remote.chat(ask)).rejects.toMatchObject({ code: "NETWORK_ERROR" });
});

it("answers pages of an allowed origin only", async () => {
  const { url } = await serve([{ text: "x" }]);
  const post = (origin: string): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { origin, authorization: "Bearer app-token" },
      body: JSON.stringify({ messages: ask }),
    });
  const foreign = await post("https://evil.example");
  expect([foreign.status, foreign.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  expect(await foreign.json()).toMatchObject({ code: "ORIGIN_NOT_ALLOWED" });
  const own = await post("https://app.example");
  expect(own.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(await own.text()).toContain('"type":"message"');
});
