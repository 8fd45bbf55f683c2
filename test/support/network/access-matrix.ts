import { expect } from "vitest";

/** Callers of the matrix, in the order of its columns. */
const IDENTITIES = [
  "none",
  "wrong",
  "spent",
  "ticket",
  "anonymous",
  "other",
  "read",
  "approve",
  "prompt",
  "admin",
] as const;
export type Identity = (typeof IDENTITIES)[number];

/** The tokens that a server of the matrix has. */
export const MATRIX_TOKENS = {
  ann: (["read", "approve", "prompt", "admin"] as const).map((scope) => ({
    token: `ann-${scope}-0123456789abcdef0123456789`,
    scopes: [scope],
  })),
  bob: "bob-0123456789abcdef0123456789abcdef",
};

/** A request to an operation. `{id}` is the session, `{request}` its request for permission. */
export interface Row {
  operation: string;
  request: string;
  body?: unknown;
  /** Accepts an event stream. */
  sse?: true;
  /** Statuses in the order of `IDENTITIES`. */
  expected: string;
  /** Statuses over a socket for `SOCKET_IDENTITIES`; those over HTTP when omitted. */
  socket?: string;
  /** Has a request for permission wait in the session. */
  asks?: true;
}

const row = (
  operation: string,
  request: string,
  expected: string,
  more: Partial<Row> = {},
): Row => ({ operation, request, expected, ...more });

const S = "/v1/sessions/{id}";

// Columns: none wrong spent ticket anonymous other | read approve prompt admin
export const ROWS: readonly Row[] = [
  row("createSession", "POST /v1/sessions", "201 401 401 401 201 201 403 403 201 201"),
  row("createSession", "POST /v1/sessions", "201 401 401 401 201 201 403 403 403 201", {
    body: { permissionMode: "plan" },
  }),
  row("listSessions", "GET /v1/sessions", "401 401 401 401 200 200 200 200 200 200"),
  row("getSession", `GET ${S}`, "401 401 401 401 404 404 200 200 200 200"),
  row("getSession", `HEAD ${S}`, "401 401 401 401 404 404 200 200 200 200"),
  row("updateSession", `PATCH ${S}`, "401 401 401 401 404 404 403 403 200 200", {
    body: { name: "Two" },
  }),
  row("updateSession", `PATCH ${S}`, "401 401 401 401 404 404 403 403 403 200", {
    body: { permissionMode: "plan" },
  }),
  row("deleteSession", `DELETE ${S}`, "401 401 401 401 404 404 403 403 403 204", {
    socket: "403 403 403 405 405",
  }),
  row("forkSession", `POST ${S}/fork`, "401 401 401 401 404 404 403 403 201 201", {
    asks: true,
    socket: "403 403 404 404 404",
  }),
  row("createTicket", `POST ${S}/tickets`, "401 401 401 401 404 404 201 201 201 201", {
    socket: "404 404 404 404 404",
  }),
  row("sendMessage", `POST ${S}/messages`, "401 401 401 401 404 404 403 403 202 202", {
    body: { text: "help" },
  }),
  row("sendMessage", `POST ${S}/messages`, "401 401 401 401 404 404 403 403 200 200", {
    body: { text: "help" },
    sse: true,
    socket: "403 403 202 202 202",
  }),
  row("streamEvents", `GET ${S}/events`, "401 401 401 200 404 404 200 200 200 200", {
    sse: true,
    socket: "404 404 404 404 404",
  }),
  row("openSocket", `GET ${S}/socket`, "401 401 401 426 404 404 426 426 426 426", {
    socket: "404 404 404 404 404",
  }),
  row("resumeChat", `GET ${S}/messages/{id}/stream`, "401 401 401 401 404 404 204 204 204 204"),
  row(
    "answerPermission",
    `POST ${S}/permissions/{request}`,
    "401 401 401 401 404 404 403 204 403 409",
    {
      body: { decision: "deny" },
      asks: true,
    },
  ),
  row("abort", `POST ${S}/abort`, "401 401 401 401 404 404 403 403 204 204"),
  row("getQueue", `GET ${S}/queue`, "401 401 401 401 404 404 200 200 200 200"),
  row("pauseQueue", `PATCH ${S}/queue`, "401 401 401 401 404 404 403 403 200 200", {
    body: { paused: true },
  }),
  row("changeQueued", `PATCH ${S}/queue/none`, "401 401 401 401 404 404 403 403 404 404", {
    body: { text: "Other" },
  }),
  row("removeQueued", `DELETE ${S}/queue/none`, "401 401 401 401 404 404 403 403 404 404"),
  row("cancelQueue", `POST ${S}/cancel-queue`, "401 401 401 401 404 404 403 403 204 204"),
  row("steer", `POST ${S}/steer`, "401 401 401 401 404 404 403 403 204 204", {
    body: { text: "help" },
  }),
  row("listCommands", `GET ${S}/commands`, "401 401 401 401 404 404 200 200 200 200"),
  row("completeCommand", `POST ${S}/complete`, "401 401 401 401 404 404 200 200 200 200", {
    body: { text: "/he" },
  }),
  row("runCommand", `POST ${S}/commands/context`, "401 401 401 401 404 404 200 200 200 200"),
  row("runCommand", `POST ${S}/commands/rename`, "401 401 401 401 404 404 403 403 200 200", {
    body: { args: "Three" },
  }),
  row("getMessages", `GET ${S}/messages`, "401 401 401 401 404 404 200 200 200 200"),
  row("getHistory", `GET ${S}/history`, "401 401 401 401 404 404 200 200 200 200"),
  row("getContext", `GET ${S}/context`, "401 401 401 401 404 404 200 200 200 200"),
  row("getCheckpoints", `GET ${S}/checkpoints`, "401 401 401 401 404 404 200 200 200 200"),
  row("rewind", `POST ${S}/rewind`, "401 401 401 401 404 404 403 403 404 404", {
    body: { checkpointId: "none" },
  }),
  row("rewind", `POST ${S}/rewind`, "401 401 401 401 404 404 403 403 200 200", {
    body: { checkpointId: "start", files: [{ path: "/none" }] },
  }),
  row("listChanges", `GET ${S}/changes`, "401 401 401 401 404 404 200 200 200 200"),
  row("readChanges", `POST ${S}/changes`, "401 401 401 401 404 404 200 200 200 200", {
    body: { paths: ["/none"] },
  }),
  row("exportLog", `GET ${S}/log`, "401 401 401 401 404 404 200 200 200 200", {
    asks: true,
    socket: "404 404 404 404 404",
  }),
  row("importLog", `PUT ${S}/log`, "401 401 401 401 404 404 403 403 409 409", {
    asks: true,
    socket: "404 404 404 404 404",
  }),
  row("importLog", `PUT ${S}/log?trusted=true`, "401 401 401 401 404 404 403 403 403 409", {
    asks: true,
    socket: "404 404 404 404 404",
  }),
  row("handOver", `POST ${S}/hand-over`, "401 401 401 401 404 404 403 403 403 200", {
    asks: true,
    body: { to: { sessionId: "elsewhere" } },
  }),
  row("listFiles", `GET ${S}/files`, "401 401 401 401 404 404 200 200 200 200"),
  row("writeFile", `PUT ${S}/files/a.txt`, "401 401 401 401 404 404 403 403 201 204", { body: 1 }),
  row("writeFile", `PUT ${S}/files/.robota/x`, "401 401 401 401 404 404 403 403 403 201", {
    body: 1,
    socket: "403 403 403 201 204",
  }),
  row("readFile", `GET ${S}/files/README.md`, "401 401 401 401 404 404 200 200 200 200", {
    socket: "404 404 404 404 404",
  }),
  row("deleteFile", `DELETE ${S}/files/README.md`, "401 401 401 401 404 404 403 403 204 404"),
  row("health", "GET /healthz", "200 200 200 200 200 200 200 200 200 200"),
  row("openapi", "GET /openapi.json", "200 200 200 200 200 200 200 200 200 200"),
  row("llms", "GET /llms.txt", "200 200 200 200 200 200 200 200 200 200"),
  row("docs", "GET /docs", "200 200 200 200 200 200 200 200 200 200"),
];

/** A server to hold against the matrix. `isOpen`: it lets in callers without a token. */
export interface MatrixServer {
  url: string;
  isOpen: boolean;
}

export function tokenOf(identity: Identity, anonymous: string): string | undefined {
  if (identity === "wrong") return "guess";
  if (identity === "other") return MATRIX_TOKENS.bob;
  if (identity === "anonymous") return anonymous;
  return MATRIX_TOKENS.ann.find(({ scopes }) => scopes.some((scope) => scope === identity))?.token;
}

const ADMIN = { authorization: `Bearer ${tokenOf("admin", "")}` };

async function send(
  { url }: MatrixServer,
  path: string,
  init: Omit<RequestInit, "headers"> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, { ...init, headers: ADMIN });
  return (await response.json()) as Record<string, unknown>;
}

/** A new session of ann's; with `asks`, one whose turn waits for an answer. */
export async function prepare(
  server: MatrixServer,
  { asks }: Row,
): Promise<{ id: string; request: string }> {
  const made = await send(server, "/v1/sessions", { method: "POST" });
  const id = String(made["id"]);
  if (!asks) return { id, request: "none" };
  const body = JSON.stringify({ text: "run echo x > out.txt" });
  const events = await fetch(`${server.url}/v1/sessions/${id}/messages`, {
    method: "POST",
    headers: { ...ADMIN, accept: "text/event-stream" },
    body,
  });
  let text = "";
  for await (const chunk of events.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (/event: permission_request\n/.test(text) && text.endsWith("\n\n")) break;
  }
  const found = await send(server, `/v1/sessions/${id}`);
  const [pending] = found["pendingPermissions"] as { id: string }[];
  return { id, request: pending?.id ?? "none" };
}

export async function ticketFor(server: MatrixServer, id: string): Promise<string> {
  const made = await send(server, `/v1/sessions/${id}/tickets`, { method: "POST" });
  return String(made["ticket"]);
}

/** The status that one caller gets, and the code of the problem, if it is one. */
async function answerTo(
  server: MatrixServer,
  { request, body, sse }: Row,
  caller: { token: string | undefined; ticket: string | undefined },
  session: { id: string; request: string },
): Promise<[number, string | undefined]> {
  const [method = "", pattern = ""] = request.split(" ");
  const path = pattern.replaceAll("{id}", session.id).replace("{request}", session.request);
  const query = caller.ticket === undefined ? "" : `?ticket=${caller.ticket}`;
  const gone = new AbortController();
  const response = await fetch(server.url + path + query, {
    method,
    signal: gone.signal,
    headers: {
      ...(caller.token === undefined ? {} : { authorization: `Bearer ${caller.token}` }),
      ...(sse ? { accept: "text/event-stream" } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const type = response.headers.get("content-type") ?? "";
  if (response.status >= 400) expect(type).toContain("application/problem+json");
  if (sse && response.ok) expect(type).toContain("text/event-stream");
  const isProblem = response.status >= 400 && method !== "HEAD";
  const problem = isProblem ? ((await response.json()) as Problem) : undefined;
  if (problem)
    expect(problem).toMatchObject({ status: response.status, title: expect.any(String) });
  gone.abort();
  return [response.status, problem?.code];
}

interface Problem {
  status: number;
  code: string;
}

/** Codes of the answers by which an identity is refused. */
const REFUSALS: Readonly<Record<number, readonly string[]>> = {
  401: ["UNAUTHORIZED", "TICKET_REFUSED"],
  403: ["INSUFFICIENT_SCOPE"],
};

/** Holds a server against every cell; returns how many there were. */
export async function checkMatrix(server: MatrixServer, anonymous: string): Promise<number> {
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const described = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(ROWS.map(({ operation }) => operation))).toEqual(new Set(described));

  let cells = 0;
  for (const one of ROWS) {
    const session = await prepare(server, one);
    const expected = one.expected.split(" ").map(Number);
    const used = await ticketFor(server, session.id);
    // Spent by this; one that has expired is refused in the same way (tickets.test.ts).
    const spending = await fetch(`${server.url}/v1/sessions/${session.id}/events?ticket=${used}`);
    expect(spending.status).toBe(200);
    await spending.body?.cancel();
    for (const [index, identity] of IDENTITIES.entries()) {
      if (!server.isOpen && identity === "anonymous") continue;
      const ticket = identity === "ticket" ? await ticketFor(server, session.id) : undefined;
      const caller = {
        token: tokenOf(identity, anonymous),
        ticket: identity === "spent" ? used : ticket,
      };
      const [status, code] = await answerTo(server, one, caller, session);
      const isClosed = !server.isOpen && identity === "none" && one.operation === "createSession";
      const wanted = isClosed ? 401 : expected[index];
      const cell = `${one.request} ${JSON.stringify(one.body) ?? ""} ${identity}`;
      expect([cell, status, code]).toEqual([cell, wanted, code]);
      const codes = REFUSALS[status];
      if (codes) expect(codes, cell).toContain(code ?? codes[0]);
      cells += 1;
    }
  }
  return cells;
}
