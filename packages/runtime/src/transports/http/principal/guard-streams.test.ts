import { afterEach, expect, it, vi } from "vitest";
import {
  type HttpFixture,
  httpFixture,
  readEvents,
} from "../../../../../../test/support/network/http-sessions.ts";
import type { HttpTransportOptions } from "../http-transport.ts";
import type { TokenTable } from "./tokens.ts";

afterEach(() => vi.useRealTimers());

const READER = { token: "ann-read", scopes: ["read" as const] };
const WITH_READER: TokenTable = { ann: ["ann-secret", READER], bob: "bob-secret" };
const WITHOUT: TokenTable = { ann: "ann-secret", bob: "bob-secret" };

type Paths = (id: string, fixture: HttpFixture) => Promise<Response>;

/** Ways to open a stream as the reader. */
const STREAMS: Record<string, Paths> = {
  events: (id, { call }) => call(`/v1/sessions/${id}/events`, { token: "ann-read" }),
  "events with a ticket": async (id, { call }) => {
    const made = await call(`/v1/sessions/${id}/tickets`, { token: "ann-read", method: "POST" });
    const { ticket } = (await made.json()) as { ticket: string };
    return call(`/v1/sessions/${id}/events?ticket=${ticket}`, { token: null });
  },
  "events of AG-UI": (id, { call }) =>
    call(`/v1/sessions/${id}/events?profile=ag-ui`, { token: "ann-read" }),
  "events of the AI SDK": (id, { call }) =>
    call(`/v1/sessions/${id}/events?profile=ai-sdk-ui`, { token: "ann-read" }),
};

/** Follows a stream; resolves to its text once it has ended. */
async function textOf(response: Response, onText: (text: string) => void): Promise<string> {
  let all = "";
  for await (const { data } of readEvents(response)) {
    all += data;
    onText(all);
  }
  return all;
}

async function revoked(
  open: Paths,
  options: Partial<HttpTransportOptions>,
  revoke: () => void,
): Promise<string> {
  const fixture = httpFixture([{ text: "First" }, { text: "Second" }], options);
  const id = await fixture.newSession();
  const stream = await open(id, fixture);
  expect(stream.status).toBe(200);
  let seen = "";
  const read = textOf(stream, (text) => (seen = text));
  const say = (text: string): Promise<Response> =>
    fixture.call(`/v1/sessions/${id}/messages`, { body: { text } });
  await say("one");
  await expect.poll(() => seen).toContain("First");
  revoke();
  await say("two");
  const whole = await read;
  expect(fixture.errors).toEqual([]);
  return whole;
}

for (const [name, open] of Object.entries(STREAMS)) {
  it(`ends ${name} whose token was revoked, before the next event`, async () => {
    let tokens = WITH_READER;
    const whole = await revoked(open, { tokens: () => tokens }, () => (tokens = WITHOUT));
    expect(whole).not.toContain("Second");
    expect(whole).not.toContain("two");
  });

  it(`ends ${name} whose token has expired`, async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const tokens = { ann: ["ann-secret", { ...READER, expiresAt }] };
    const whole = await revoked(open, { tokens }, () =>
      vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] }),
    );
    expect(whole).not.toContain("Second");
  });
}

it("ends the stream of a turn, and not the turn", async () => {
  let tokens: TokenTable = { ...WITHOUT, ann: ["ann-secret", { token: "p", scopes: ["prompt"] }] };
  const { call, newSession } = httpFixture([{ text: "First" }], { tokens: () => tokens });
  const path = `/v1/sessions/${await newSession()}`;
  const turn = await call(`${path}/messages`, {
    token: "p",
    body: { text: "x" },
    headers: { accept: "text/event-stream" },
  });
  tokens = WITHOUT;
  expect(await turn.text()).toBe("");
  const history = async (): Promise<string> => (await call(`${path}/history`)).text();
  await expect.poll(history).toContain("First");
});

it("ends a quiet stream with its next sign of life", async () => {
  let tokens = WITH_READER;
  const { call, newSession } = httpFixture([], { tokens: () => tokens, pingIntervalMs: 10 });
  const stream = await call(`/v1/sessions/${await newSession()}/events`, { token: "ann-read" });
  tokens = WITHOUT;
  await stream.text();
});

it("keeps the streams of other tokens, of the same owner too", async () => {
  let tokens: TokenTable = WITH_READER;
  const { call, newSession } = httpFixture([{ text: "First" }], { tokens: () => tokens });
  const id = await newSession();
  const stream = await call(`/v1/sessions/${id}/events`);
  tokens = WITHOUT;
  await call(`/v1/sessions/${id}/messages`, { body: { text: "one" } });
  for await (const { event } of readEvents(stream)) if (event === "turn_end") return;
  expect.unreachable("The stream ended.");
});

it("refuses a ticket whose token was revoked before it was used", async () => {
  let tokens = WITH_READER;
  const { call, newSession } = httpFixture([], { tokens: () => tokens });
  const id = await newSession();
  const made = await call(`/v1/sessions/${id}/tickets`, { token: "ann-read", method: "POST" });
  const { ticket } = (await made.json()) as { ticket: string };
  tokens = WITHOUT;
  const refused = await call(`/v1/sessions/${id}/events?ticket=${ticket}`, { token: null });
  expect(await refused.json()).toMatchObject({ status: 401, code: "TICKET_REFUSED" });
  // Whoever sees an address learns nothing about the token from it.
  const claims = atob(ticket.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? "");
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("ann-read"));
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0"));
  expect(claims).not.toContain(hex.join("").slice(0, 32));
});

it("asks the host too, and ends the stream where it does not know", async () => {
  let answer: () => boolean = () => true;
  const { call, newSession, errors } = httpFixture([{ text: "First" }], {
    isAllowed: ({ principal }) => principal.owner !== "ann" || answer(),
  });
  const id = await newSession();
  const stream = await call(`/v1/sessions/${id}/events`);
  answer = () => {
    throw new Error("No connection to the directory");
  };
  await call(`/v1/sessions/${id}/messages`, { body: { text: "one" } });
  expect(await stream.text()).not.toContain("First");
  expect(errors).toEqual([new Error("No connection to the directory")]);
});

it("lets nobody in by a table that is not valid", async () => {
  const { call } = httpFixture([], {
    tokens: () => ({ ann: { token: "x", scopes: [], expiresAt: "tomorrow" } }),
  });
  const refused = await call("/v1/sessions", { token: "x" });
  expect(await refused.json()).toMatchObject({
    status: 503,
    detail: expect.stringContaining("expires"),
  });
});

it("refuses an expired token, and says so", async () => {
  const { call } = httpFixture([], {
    tokens: { ann: { token: "old", scopes: ["admin"], expiresAt: "2026-01-01" } },
  });
  const refused = await call("/v1/sessions", { token: "old" });
  expect(await refused.json()).toMatchObject({
    status: 401,
    detail: "The bearer token has expired.",
  });
});
