import { expect } from "vitest";
import {
  type Identity,
  type MatrixServer,
  prepare,
  type Row,
  ROWS,
  ticketFor,
  tokenOf,
} from "./access-matrix.ts";

/** Callers for whom no socket opens. */
const REFUSED: readonly Identity[] = ["none", "wrong", "spent", "anonymous", "other"];
/** Callers with a socket, in the order in which they send; the ticket has all scopes. */
const SOCKET_IDENTITIES = ["read", "approve", "prompt", "admin", "ticket"] as const;

interface Answer {
  type: string;
  id?: string;
  status?: number;
  body?: { code?: string };
}

/** Opens a socket; resolves to `undefined` when it is refused. */
async function openSocket(
  { url }: MatrixServer,
  session: string,
  { token, ticket }: { token: string | undefined; ticket: string | undefined },
): Promise<WebSocket | undefined> {
  const query = ticket === undefined ? "" : `?ticket=${ticket}`;
  const bearer =
    token === undefined ? [] : [`robota.bearer.${Buffer.from(token).toString("base64url")}`];
  const address = `${url.replace(/^http/, "ws")}/v1/sessions/${session}/socket${query}`;
  const socket = new WebSocket(address, ["robota.v1", ...bearer]);
  const hello = nextFrame(socket, ({ type }) => type === "hello");
  return (await hello) === undefined ? undefined : socket;
}

/** The next frame that is meant; `undefined` when the socket ends before. */
function nextFrame(
  socket: WebSocket,
  isMeant: (frame: Answer) => boolean,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as Answer;
      if (isMeant(frame)) resolve(frame);
    });
    for (const end of ["close", "error"])
      socket.addEventListener(end, () => resolve(undefined), { once: true });
  });
}

async function callerOf(
  server: MatrixServer,
  identity: Identity,
  { session, anonymous, spent }: { session: string; anonymous: string; spent: string },
) {
  const fresh = identity === "ticket" ? await ticketFor(server, session) : undefined;
  return {
    token: tokenOf(identity, anonymous),
    ticket: identity === "spent" ? spent : fresh,
  };
}

async function answerOver(
  socket: WebSocket,
  { request, body }: Row,
  session: { id: string; request: string },
): Promise<Answer> {
  const [method = "", pattern = ""] = request.split(" ");
  const path = pattern
    .replace(/^\/v1\/sessions\/\{id\}\/?/, "")
    .replace("{id}", session.id)
    .replace("{request}", session.request);
  const answer = nextFrame(socket, ({ type, id }) => type === "response" && id === "1");
  socket.send(JSON.stringify({ v: 1, type: "request", id: "1", method, path, body }));
  return (await answer) ?? { type: "closed" };
}

/** Holds the sockets of a server against every operation of a session and every caller; returns how many cells there were. */
export async function checkSocketMatrix(server: MatrixServer, anonymous: string): Promise<number> {
  let cells = 0;
  for (const row of ROWS.filter((one) => /\{id\}/.test(one.request))) {
    const session = await prepare(server, row);
    const spent = await ticketFor(server, session.id);
    const opened = await openSocket(server, session.id, { token: undefined, ticket: spent });
    expect(opened).toBeDefined();
    opened?.close();
    const context = { session: session.id, anonymous, spent };
    for (const identity of REFUSED) {
      if (!server.isOpen && identity === "anonymous") continue;
      const socket = await openSocket(
        server,
        session.id,
        await callerOf(server, identity, context),
      );
      expect([row.request, identity, socket]).toEqual([row.request, identity, undefined]);
      cells += 1;
    }
    const overHttp = row.expected.split(" ").slice(-4);
    const expected = row.socket?.split(" ") ?? [...overHttp, overHttp.at(-1)];
    const found: string[] = [];
    for (const identity of SOCKET_IDENTITIES) {
      const socket = await openSocket(
        server,
        session.id,
        await callerOf(server, identity, context),
      );
      if (!socket) throw new Error(`No socket for ${identity}`);
      const { status, body } = await answerOver(socket, row, session);
      if (status === 403) expect(body?.code).toBe("INSUFFICIENT_SCOPE");
      found.push(String(status));
      socket.close();
      cells += 1;
    }
    const cell = `${row.request} ${JSON.stringify(row.body) ?? ""}`;
    expect.soft([cell, found.join(" ")]).toEqual([cell, expected.join(" ")]);
  }
  return cells;
}
