// The model services on loopback, in a process of their own. The scenario is the beginning of the address:
// `/text.<deltas>.<pace>` answers with text, `/tool.<rounds>.<pace>` calls `echo` that often before it does, and
// `/work.<deltas>.<pace>` writes text, calls it once, and writes as much again.
// A pace of 0 sends an answer at once; otherwise each event is one write, that many milliseconds apart. Answers are made
// once and only their ids change, so that the server costs next to nothing beside any client.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { eventsOf, ID_MARK, PATHS, type Script, type Wire } from "./wires.ts";

interface Payload {
  /** Events with the framing of a chunked body. */
  bytes: Buffer;
  /** Where each event ends. */
  ends: number[];
  /** Where an id stands. */
  ids: number[];
}

const WIRES = Object.entries(PATHS) as [Wire, string][];
const REQUEST = /^\/(text|tool|work)\.(\d+)\.(\d+)(\/[^?]*)/;
/** Results of `echo` begin so; a client that does not send them back never gets to its last answer. */
const RESULT = Buffer.from("ECHOED_");
const DELTAS_AFTER_TOOLS = 3;

/** For clients in pages, which come from elsewhere. */
const ANY_PAGE = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };

const payloads = new Map<string, Payload>();
let served = 0;

function payloadOf(wire: Wire, script: Script): Payload {
  const key = `${wire} ${script.deltas} ${script.call}`;
  let payload = payloads.get(key);
  if (!payload) {
    payload = frame(eventsOf(wire, script));
    payloads.set(key, payload);
  }
  return payload;
}

/** The answer to a request that has as many results of `echo` in it. */
function scriptOf(kind: string, count: number, results: number): Script {
  if (kind === "text") return { deltas: count };
  if (kind === "work") return { deltas: count, ...(results === 0 && { call: 0 }) };
  return results < count ? { call: results } : { deltas: DELTAS_AFTER_TOOLS };
}

function frame(events: readonly string[]): Payload {
  const ends: number[] = [];
  const ids: number[] = [];
  let text = "";
  for (const event of events) {
    text += `${event.length.toString(16)}\r\n${event}\r\n`;
    ends.push(text.length);
  }
  text += "0\r\n\r\n";
  ends[ends.length - 1] = text.length;
  for (let at = text.indexOf(ID_MARK); at !== -1; at = text.indexOf(ID_MARK, at + 1)) ids.push(at);
  return { bytes: Buffer.from(text, "latin1"), ends, ids };
}

function countResults(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(RESULT); at !== -1; at = body.indexOf(RESULT, at + 1)) count += 1;
  return count;
}

function send(response: ServerResponse, { bytes, ends, ids }: Payload, pace: number): void {
  const id = String(++served).padStart(ID_MARK.length, "0");
  const body = Buffer.from(bytes);
  for (const at of ids) body.write(id, at, "latin1");
  response.socket?.cork();
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "transfer-encoding": "chunked",
    "request-id": `req_${id}`,
    ...ANY_PAGE,
  });
  response.flushHeaders();
  // The body has its own framing.
  response.chunkedEncoding = false;
  response.socket?.uncork();
  if (pace === 0) {
    response.end(body);
    return;
  }
  let sent = 0;
  const timer = setInterval(() => {
    const from = ends[sent - 1] ?? 0;
    const to = ends[sent++] ?? body.length;
    if (to < body.length && !response.destroyed) {
      response.write(body.subarray(from, to));
      return;
    }
    clearInterval(timer);
    response.end(body.subarray(from));
  }, pace);
}

const server = createServer((request, response) => {
  if (request.method === "OPTIONS") {
    response.writeHead(204, {
      ...ANY_PAGE,
      "access-control-allow-headers": request.headers["access-control-request-headers"] ?? "*",
      "access-control-max-age": "7200",
    });
    response.end();
    return;
  }
  const [, kind = "", count = "", pace = "", path = ""] = REQUEST.exec(request.url ?? "") ?? [];
  const wire = WIRES.find((entry) => entry[1] === path)?.[0];
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    if (!wire) {
      response.writeHead(404).end(`Nothing is served at ${request.url}`);
      return;
    }
    const results = kind === "text" ? 0 : countResults(Buffer.concat(chunks));
    send(response, payloadOf(wire, scriptOf(kind, Number(count), results)), Number(pace));
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
