import { StorageError } from "../../../packages/runtime/src/errors.ts";
import { InteractiveSession } from "../../../packages/runtime/src/interactive/interactive-session.ts";
import { memoryPlatform } from "../../../packages/runtime/src/testing/memory-platform.ts";
import { ScriptedProvider } from "../../../packages/runtime/src/testing/scripted-provider.ts";
import {
  httpTransport,
  type HttpTransportOptions,
} from "../../../packages/runtime/src/transports/http/http-transport.ts";
import { storedUsage } from "../../../packages/runtime/src/transports/http/limits/usage-counter.ts";
import type { UsageLimits } from "../../../packages/runtime/src/transports/http/limits/usage.ts";
import type { ProblemCode } from "../../../packages/runtime/src/transports/http/operations/problem-codes.ts";
import { MemoryStorage } from "../../../packages/runtime/src/virtual/memory-storage.ts";
import { eventsUntil, type HttpFixture, httpFixture } from "./http-sessions.ts";
import { requestWith } from "./request-with.ts";

/** Brings a server to answer with a problem. */
type Scene = () => Promise<Response>;
type Options = Parameters<typeof httpFixture>[1];
type Script = Parameters<typeof httpFixture>[0];

const HANGING: Script = [{ text: "never", delayMs: Infinity }];
const ASKING: Script = [
  { toolCalls: [{ name: "Write", args: { filePath: "a.txt", content: "x" } }] },
];

/** A server with one session of ann's, and the session's path. */
async function one(
  options: Options = {},
  script: Script = [],
): Promise<HttpFixture & { path: string }> {
  const fixture = httpFixture(script, options);
  return { ...fixture, path: `/v1/sessions/${await fixture.newSession()}` };
}

/** A server with one session, in which a turn has ended. */
async function used(): ReturnType<typeof one> {
  const server = await one({}, [{ text: "Hello" }]);
  const headers = { accept: "text/event-stream" };
  const turn = await server.call(`${server.path}/messages`, { body: { text: "hi" }, headers });
  await turn.text();
  return server;
}

/** The answer to one request to a session of its own. */
function at(route: string, request: Parameters<HttpFixture["call"]>[1] = {}): Scene {
  return async () => {
    const { call, path } = await one();
    return call(path + route, request);
  };
}

/** The answer to a request whose body is sent as it is. */
async function sending(
  { transport }: Pick<HttpFixture, "transport">,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const headers = { authorization: "Bearer ann-secret" };
  // A stream as a body needs `duplex`, which the type lacks.
  const whole = { ...init, headers, duplex: "half" };
  return transport.fetch(new Request(`http://localhost${path}`, whole));
}

/** A storage whose logs take nothing while it is full. */
class Disk extends MemoryStorage {
  isFull = false;

  override async append(log: string, entries: readonly Uint8Array[]): Promise<number> {
    if (this.isFull) throw new StorageError("FULL", "No room");
    return super.append(log, entries);
  }
}

/** A session that its program attached, and its server. */
function attached() {
  const storage = new Disk();
  const platform = memoryPlatform({ storage, files: { "/project/": "" } });
  const options = { platform, provider: new ScriptedProvider([]), cwd: "/project" };
  const session = new InteractiveSession(options);
  const transport = httpTransport({ tokens: { ann: "ann-secret" }, onError: () => undefined });
  session.attachTransport(transport);
  const rename: Scene = () =>
    sending({ transport }, `/v1/sessions/${session.sessionId}`, {
      method: "PATCH",
      body: JSON.stringify({ name: "Other" }),
    });
  return { session, storage, transport, options, rename };
}

const malformed: Partial<Record<ProblemCode, Scene>> = {
  INVALID_JSON: async () => sending(httpFixture(), "/v1/sessions", { method: "POST", body: "{" }),
  JSON_TOO_DEEP: async () =>
    sending(httpFixture(), "/v1/sessions", { method: "POST", body: "[".repeat(100) }),
  VALIDATION_ERROR: at("/messages", { body: {} }),
  TOKEN_NEEDED: async () =>
    httpFixture([], { anonymousOwner: "anonymous" }).call("/v1/sessions", {
      token: null,
      method: "POST",
      headers: { "idempotency-key": "k" },
    }),
  UNKNOWN_PROFILE: at("/messages?profile=other", { body: { text: "hi" } }),
  UPGRADE_REQUIRED: at("/socket"),
  BODY_TIMEOUT: async () =>
    sending(httpFixture([], { limits: { bodyIdleMs: 10 } }), "/v1/sessions", {
      method: "POST",
      body: new ReadableStream(),
    }),
  BODY_TOO_LARGE: async () =>
    httpFixture([], { limits: { bodyBytes: 10 } }).call("/v1/sessions", { body: { name: "long" } }),
  ATTACHMENT_REFUSED: at("/messages", {
    body: {
      text: "hi",
      attachments: [
        { type: "file", mediaType: "application/zip", data: btoa("PK\u0003\u0004\u0000") },
      ],
    },
  }),
  ATTACHMENT_TOO_LARGE: async () => {
    const { call, path } = await one();
    const file = { type: "file", mediaType: "text/plain", url: "data:text/plain;base64,eA==" };
    const message = { id: "1", role: "user", parts: Array.from({ length: 100 }, () => file) };
    return call(`${path}/messages?profile=ai-sdk-ui`, { body: { id: "c", messages: [message] } });
  },
};

const refused: Partial<Record<ProblemCode, Scene>> = {
  UNAUTHORIZED: async () => httpFixture().call("/v1/sessions", { token: null }),
  TICKET_REFUSED: at("/events?ticket=other", { token: null }),
  INSUFFICIENT_SCOPE: async () => {
    const tokens = { ann: { token: "reader", scopes: ["read" as const] } };
    return httpFixture([], { tokens }).call("/v1/sessions", { token: "reader", method: "POST" });
  },
  ORIGIN_NOT_ALLOWED: async () => {
    // A page of this test can't set the header by itself.
    const headers = { authorization: "Bearer ann-secret", origin: "https://other.example" };
    return httpFixture().transport.fetch(requestWith("http://localhost/v1/sessions", { headers }));
  },
  HOST_NOT_ALLOWED: async () =>
    httpFixture([], { allowedHosts: ["sessions.example"] }).call("/v1/sessions"),
  MODE_NOT_ALLOWED: at("", { method: "PATCH", body: { permissionMode: "bypassPermissions" } }),
  COMMAND_REFUSED: at("/commands/mode", { body: { args: "bypassPermissions" } }),
  MODEL_NOT_AVAILABLE: async () => {
    const provider = new ScriptedProvider([], { model: "claude-sonnet-4-5" });
    const { call, path } = await one({ session: { provider } });
    return call(path, { method: "PATCH", body: { model: "gpt-5" } });
  },
};

const absent: Partial<Record<ProblemCode, Scene>> = {
  NOT_FOUND: async () => httpFixture().call("/v1/sessions/nobody"),
  NO_SUCH_ROUTE: async () => httpFixture().call("/v1/nothing"),
  NO_SUCH_COMMAND: at("/commands/nothing", { method: "POST" }),
  METHOD_NOT_ALLOWED: at("/history", { method: "DELETE" }),
  NOT_SUPPORTED: async () => {
    const transport = httpTransport({ tokens: { ann: "ann-secret" } });
    return sending({ transport }, "/v1/sessions", { method: "POST" });
  },
};

const files: Partial<Record<ProblemCode, Scene>> = {
  PATH_NOT_CANONICAL: at("/files?path=../x"),
  PATH_TOO_LONG: at(`/files/${"x".repeat(256)}`, { method: "PUT", body: "x" }),
  NO_SUCH_FILE: at("/files/a.txt"),
  FILE_CHANGED: async () => {
    const { call, path } = await one();
    const files = [{ path: "/project/a.txt", stamp: "other" }];
    return call(`${path}/rewind`, { body: { checkpointId: "start", files } });
  },
  FILE_CONFLICT: async () => {
    const { call, path } = await one();
    await call(`${path}/files/a/b.txt`, { method: "PUT", body: "x" });
    return call(`${path}/files/a`, { method: "PUT", body: "x" });
  },
  FILE_TOO_LARGE: async () => {
    const limits = { fileBytes: 4 };
    const { call, path, provider } = await one(
      { limits, session: { permissionMode: "acceptEdits" } },
      [
        { toolCalls: [{ name: "Write", args: { filePath: "a.txt", content: "too long" } }] },
        { text: "Written" },
      ],
    );
    const headers = { accept: "text/event-stream" };
    await (await call(`${path}/messages`, { body: { text: "write" }, headers })).text();
    if (provider.requests.length !== 2) throw new Error("The file was not written");
    return call(`${path}/files/a.txt`);
  },
  PRECONDITION_FAILED: at("/files/a.txt", {
    method: "PUT",
    body: "x",
    headers: { "if-match": '"other"' },
  }),
  RANGE_NOT_SATISFIABLE: async () => {
    const { call, path } = await one();
    await call(`${path}/files/a.txt`, { method: "PUT", body: "x" });
    return call(`${path}/files/a.txt`, { headers: { range: "bytes=90-99" } });
  },
};

const states: Partial<Record<ProblemCode, Scene>> = {
  ALREADY_ANSWERED: async () => {
    const { call, path } = await one({}, [...ASKING, { text: "Written" }]);
    const headers = { accept: "text/event-stream" };
    const turn = await call(`${path}/messages`, { body: { text: "write" }, headers });
    const asked = (await eventsUntil(turn, "permission_request")).at(-1);
    if (asked?.type !== "permission_request") throw new Error("Nothing was asked");
    const answer = { body: { decision: "deny" } };
    await call(`${path}/permissions/${asked.request.id}`, answer);
    return call(`${path}/permissions/${asked.request.id}`, answer);
  },
  APPROVAL_PENDING: async () => {
    const { call, path } = await one({}, ASKING);
    const headers = { accept: "text/event-stream" };
    const turn = await call(`${path}/messages`, { body: { text: "write" }, headers });
    await eventsUntil(turn, "permission_request");
    const message = { id: "2", role: "user", parts: [{ type: "text", text: "and now?" }] };
    return call(`${path}/messages?profile=ai-sdk-ui`, { body: { id: "c", messages: [message] } });
  },
  IDEMPOTENCY_KEY_REUSED: async () => {
    const { call, path } = await one({}, [{ text: "Hello" }]);
    const headers = { "idempotency-key": "k" };
    await call(`${path}/messages`, { body: { text: "hi" }, headers });
    return call(`${path}/messages`, { body: { text: "other" }, headers });
  },
  QUEUE_FULL: async () => {
    const { call, path } = await one({ session: { queueLimit: 1 } }, HANGING);
    const answers: Response[] = [];
    for (const text of ["runs", "waits", "is too much"])
      answers.push(await call(`${path}/messages`, { body: { text } }));
    return answers.at(-1)!;
  },
  SESSION_BUSY: async () => {
    const { call, path } = await one({}, HANGING);
    await call(`${path}/messages`, { body: { text: "hi" } });
    return call(`${path}/rewind`, { body: { checkpointId: "none" } });
  },
  HANDED_OVER: async () => {
    const { call, path } = await used();
    await call(`${path}/hand-over`, { body: { to: { sessionId: "there" } } });
    return call(`${path}/messages`, { body: { text: "hi" } });
  },
  CLOSED: async () => {
    const { session, rename } = attached();
    await session.shutdown();
    return rename();
  },
  FENCED: async () => {
    const { session, options, rename } = attached();
    await session.setName("Here");
    const { sessionId: resumeSessionId } = session;
    const taker = new InteractiveSession({ ...options, resumeSessionId, takeOver: true });
    await taker.setName("There");
    return rename();
  },
  FULL: async () => {
    const { session, storage, rename } = attached();
    await session.setName("Here");
    storage.isFull = true;
    return rename();
  },
};

/** The answer to the import of an exported session after a change to its text. */
async function importing(change: (log: string) => string): Promise<Response> {
  const { call, path, transport, newSession } = await used();
  const log = await (await call(`${path}/log`)).text();
  const body = change(log);
  return sending({ transport }, `/v1/sessions/${await newSession()}/log`, { method: "PUT", body });
}

const logs: Partial<Record<ProblemCode, Scene>> = {
  LOG_CORRUPT: () => importing((log) => log.slice(0, -200)),
  LOG_VERSION: () => importing((log) => log.replace('"version":1', '"version":99')),
  NOT_EMPTY: async () => {
    const { call, path } = await used();
    return call(`${path}/log`, { method: "PUT" });
  },
};

/** A server that counts use, with these limits. */
function counted(limits: Partial<UsageLimits>): Partial<HttpTransportOptions> {
  const all = { requestsPerMinute: 600, streams: 32, ...limits };
  const { request, streams } = storedUsage(new MemoryStorage(), all);
  return { countRequest: request, streamCounter: streams };
}

const limits: Partial<Record<ProblemCode, Scene>> = {
  TOO_MANY_REQUESTS: async () => {
    const { call } = httpFixture([], counted({ requestsPerMinute: 1 }));
    await call("/v1/sessions");
    return call("/v1/sessions");
  },
  TOO_MANY_SESSIONS: async () => {
    const { call } = await one({ sessionsPerOwner: 1 });
    return call("/v1/sessions", { method: "POST" });
  },
  TOO_MANY_STREAMS: async () => {
    const { call, path } = await one(counted({ streams: 0 }));
    return call(`${path}/events`);
  },
  DAILY_LIMIT: async () => {
    const { call, path } = await one(counted({ tokensPerDay: 0 }));
    return call(`${path}/messages`, { body: { text: "hi" } });
  },
};

const server: Partial<Record<ProblemCode, Scene>> = {
  INTERNAL_ERROR: async () => {
    const tokens = (): never => {
      throw new Error("No connection to the directory");
    };
    return httpFixture([], { tokens }).call("/v1/sessions");
  },
  CONFIGURATION_ERROR: async () => httpFixture([], { tokens: () => ({}) }).call("/v1/sessions"),
  NOT_CONFIGURED: async () => {
    const { call, path } = await one({ ticketSecret: null });
    return call(`${path}/tickets`, { method: "POST" });
  },
  STOPPED: async () => {
    const { call, transport } = httpFixture();
    await transport.stop();
    return call("/healthz");
  },
};

/** A scene for each code of a problem. */
export const PROBLEM_SCENES: Partial<Record<ProblemCode, Scene>> = {
  ...malformed,
  ...refused,
  ...absent,
  ...files,
  ...states,
  ...logs,
  ...limits,
  ...server,
};
