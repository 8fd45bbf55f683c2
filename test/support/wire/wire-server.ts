import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { CUT_AFTER } from "./wire-cut.ts";
import { type Wire, type WireEvent, wires } from "./wire-events.ts";
import type { WirePage } from "./wire-page.ts";
import type { WireReply, WireRequest, WireScript } from "./wire-script.ts";

export interface WireServer {
  origin: string;
  /** Number of connections opened so far. */
  connections(): number;
  close(): Promise<void>;
}

interface ServerState {
  /** Requests by script. */
  logs: Map<string, WireRequest[]>;
  /** Callbacks by script that break the connection of an answer whose client has read all sent bytes. */
  cuts: Map<string, () => void>;
}

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers":
    "authorization, content-type, anthropic-version, anthropic-dangerous-direct-browser-access",
  "access-control-expose-headers": `retry-after, retry-after-ms, ${CUT_AFTER}`,
  // Lets a page of a public address call this private one.
  "access-control-allow-private-network": "true",
};

/** A real server on the loopback interface that speaks the three model APIs, as scripted by each request. */
export async function startWireServer(): Promise<WireServer> {
  const state: ServerState = { logs: new Map(), cuts: new Map() };
  const server = createServer((request, response) => {
    serve(request, response, state).catch((error: unknown) => response.destroy(error as Error));
  });
  let connections = 0;
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no address");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { logs, cuts }: ServerState,
): Promise<void> {
  const [, kind, script = "", ...rest] = (request.url ?? "").split("/");
  if (request.method === "OPTIONS" && kind === "w" && scriptOf(script).cors === false) {
    response.writeHead(204).end();
    return;
  }
  if (request.method === "OPTIONS") {
    const asked = request.headers["access-control-request-headers"];
    const isPage = request.url?.startsWith("/page/") && asked;
    response.writeHead(204, { ...CORS, ...(isPage && { "access-control-allow-headers": asked }) });
    response.end();
    return;
  }
  if (kind === "log") {
    const body = JSON.stringify(logs.get(script) ?? []);
    response.writeHead(200, { ...CORS, "content-type": "application/json" }).end(body);
    return;
  }
  if (kind === "cut") {
    cuts.get(script)?.();
    response.writeHead(204, CORS).end();
    return;
  }
  if (kind === "page") {
    await showPage(script.replace(/\?.*/, ""), request, response);
    return;
  }
  const path = `/${rest.join("/")}`;
  if (kind === "w" && request.method === "GET" && /\/models(?:\?|$)/.test(path)) {
    listModels(scriptOf(script), response);
    return;
  }
  const wire = Object.entries(wires).find(([end]) => path.endsWith(end))?.[1];
  if (kind !== "w" || !wire) {
    response.writeHead(404, { ...CORS, "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `no such route: ${path}` } }));
    return;
  }
  const log = logs.get(script) ?? [];
  logs.set(script, log);
  log.push({
    path,
    headers: request.headers as Record<string, string>,
    body: JSON.parse(await bodyOf(request)),
  });
  const { replies } = scriptOf(script);
  const reply = replies[Math.min(log.length, replies.length) - 1];
  if (!reply) throw new Error("a script without replies");
  await answer(reply, wire, response, (cut) => cuts.set(script, cut));
}

function listModels({ models = {}, cors }: WireScript, response: ServerResponse): void {
  const { status = 200, body = { data: [{ id: "wire-model" }] } } = models;
  const isText = typeof body === "string";
  const type = isText ? "text/html" : "application/json";
  response.writeHead(status, { ...(cors === false ? {} : CORS), "content-type": type });
  response.end(isText ? body : JSON.stringify(body));
}

/** Serves a web page described by its own address. */
async function showPage(
  script: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const page = JSON.parse(Buffer.from(script, "base64url").toString()) as WirePage;
  const { method, url, headers } = request;
  const sent = JSON.stringify({ method, url, headers, body: await bodyOf(request) });
  response.writeHead(page.status ?? 200, {
    ...(page.isClosed ? {} : CORS),
    ...page.headers,
  });
  const { body = "", bytes } = page;
  response.end(
    bytes === undefined
      ? body.replaceAll('"$SENT"', JSON.stringify(sent))
      : Buffer.from(bytes, "base64"),
  );
}

function scriptOf(encoded: string): WireScript {
  return JSON.parse(Buffer.from(encoded, "base64url").toString()) as WireScript;
}

async function answer(
  reply: WireReply,
  wire: Wire,
  response: ServerResponse,
  onceRead: (cut: () => void) => void,
): Promise<void> {
  if (reply.drop) {
    response.destroy();
    return;
  }
  if (reply.status !== undefined || reply.body !== undefined) {
    const isText = typeof reply.body === "string";
    const type = isText ? "text/html" : "application/json";
    response.writeHead(reply.status ?? 200, { ...CORS, "content-type": type, ...reply.headers });
    response.end(isText ? reply.body : JSON.stringify(reply.body ?? {}));
    return;
  }
  const content = reply.answer ?? {};
  if (reply.whole) {
    response.writeHead(200, { ...CORS, "content-type": "application/json" });
    response.end(JSON.stringify(wire.whole(content)));
    return;
  }
  const events = reply.events?.map((text) => ({ text })) ?? wire.events(content);
  const { sent, fault } = untilFault(events, reply);
  let text = sent.map((event) => event.text).join("");
  if (fault === "overloaded") text += wire.overloaded();
  if (reply.lineEnd) text = text.replaceAll("\n", reply.lineEnd);
  const bytes = Buffer.from(text);
  response.writeHead(200, {
    ...CORS,
    "content-type": "text/event-stream",
    ...(fault === "cut" && { [CUT_AFTER]: bytes.length }),
    ...reply.headers,
  });
  response.flushHeaders();
  await ping(reply, wire, response);
  await write(response, bytes, reply.chunk);
  if (fault === "stall") return;
  if (fault === "cut") {
    if (bytes.length > 0) onceRead(() => response.destroy());
    else response.destroy();
    return;
  }
  response.end();
}

function untilFault(
  events: WireEvent[],
  { fault }: WireReply,
): { sent: WireEvent[]; fault?: string } {
  if (!fault) return { sent: events };
  let pieces = 0;
  let end = fault.after < 0 ? 0 : events.length;
  events.forEach((event, index) => {
    if (event.piece !== (fault.of ?? "text")) return;
    if (pieces === fault.after) end = Math.min(end, index);
    pieces += 1;
  });
  return { sent: events.slice(0, end), fault: fault.kind };
}

async function ping({ pings }: WireReply, wire: Wire, response: ServerResponse): Promise<void> {
  for (let sent = 0; sent < (pings?.count ?? 0); sent += 1) {
    response.write(wire.ping);
    await delay(pings?.everyMs ?? 0);
  }
}

async function write(response: ServerResponse, bytes: Buffer, chunk = bytes.length): Promise<void> {
  for (let at = 0; at < bytes.length; at += chunk) {
    response.write(bytes.subarray(at, at + chunk));
    // A turn of the event loop separates the writes on the socket.
    if (chunk < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const piece of request) chunks.push(piece as Buffer);
  return Buffer.concat(chunks).toString();
}
