import { afterEach, expect, it, vi } from "vitest";
import { eventsUntil, httpFixture } from "../../../../../../test/support/network/http-sessions.ts";
import { httpTransport } from "../http-transport.ts";
import { ticketsFrom } from "./tickets.ts";

afterEach(() => vi.useRealTimers());

const SECRET = "0123456789abcdef0123456789abcdef";
const TOKENS = {
  ann: ["ann-secret", { token: "ann-read", scopes: ["read" as const] }],
  bob: "bob-secret",
};

async function fixture() {
  const made = httpFixture([{ text: "Hello" }], { tokens: TOKENS, ticketSecret: SECRET });
  const id = await made.newSession();
  const ticketFor = async (body: object = {}, token = "ann-secret"): Promise<string> => {
    const response = await made.call(`/v1/sessions/${id}/tickets`, { token, body });
    expect(response.status).toBe(201);
    return ((await response.json()) as { ticket: string }).ticket;
  };
  const watch = (ticket: string, path = `/v1/sessions/${id}/events`): Promise<Response> =>
    made.call(`${path}?ticket=${ticket}`, { token: null });
  return { ...made, id, ticketFor, watch };
}

it("opens an event stream with a ticket where no header can be sent, once", async () => {
  const { call, id, ticketFor, watch } = await fixture();
  await call(`/v1/sessions/${id}/messages`, { body: { text: "hi" } });
  const ticket = await ticketFor();
  const events = await eventsUntil(await watch(ticket), "turn_end");
  expect(events.at(-1)).toMatchObject({ type: "turn_end" });
  const replayed = await watch(ticket);
  expect(replayed.status).toBe(401);
  expect(await replayed.json()).toMatchObject({
    code: "TICKET_REFUSED",
    hint: expect.stringContaining("tickets"),
  });
});

it("lets one of many requests in that come with the same ticket at the same time", async () => {
  const { ticketFor, watch } = await fixture();
  const ticket = await ticketFor();
  const answers = await Promise.all(Array.from({ length: 8 }, () => watch(ticket)));
  const admitted = answers.filter(({ status }) => status === 200);
  expect(admitted).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(7);
  for (const { body } of admitted) await body?.cancel();
});

it("takes a ticket for its own session and for streams only, and for a minute", async () => {
  const { call, id, newSession, ticketFor, watch } = await fixture();
  const other = await newSession();
  expect((await watch(await ticketFor(), `/v1/sessions/${other}/events`)).status).toBe(401);
  expect((await watch(await ticketFor(), `/v1/sessions/${id}`)).status).toBe(401);
  expect((await watch(await ticketFor(), "/v1/sessions")).status).toBe(401);
  const sent = await call(`/v1/sessions/${id}/abort?ticket=${await ticketFor()}`, {
    method: "POST",
    token: null,
  });
  expect(sent.status).toBe(401);
  const late = await ticketFor();
  vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
  expect((await watch(late)).status).toBe(401);
});

it("refuses what another key has signed, what was changed, and what is no ticket", async () => {
  const { id, ticketFor, watch } = await fixture();
  const owner = { owner: "ann", scopes: ["admin" as const] };
  const forged = await ticketsFrom("x".repeat(32)).issue(owner, { session: id });
  const ticket = await ticketFor();
  const [head = "", claims = "", mac = ""] = ticket.split(".");
  const changed = btoa(atob(claims).replace('"ann"', '"bob"')).replaceAll("=", "");
  const unsigned = `${btoa('{"alg":"none","typ":"JWT"}').replaceAll("=", "")}.${claims}.`;
  for (const bad of [forged.ticket, `${head}.${changed}.${mac}`, unsigned, "x", "", "a.b.c"]) {
    expect((await watch(bad)).status, bad).toBe(401);
  }
  const good = await watch(ticket);
  expect(good.status).toBe(200);
  await good.body?.cancel();
});

it("gives a ticket no more scopes than its token has, and makes none for another's session", async () => {
  const { call, id } = await fixture();
  const path = `/v1/sessions/${id}/tickets`;
  const made = await call(path, { token: "ann-read", body: { scopes: ["admin", "read"] } });
  expect(await made.json()).toMatchObject({ scopes: ["read"] });
  expect((await call(path, { token: "bob-secret", method: "POST" })).status).toBe(404);
  const unknown = await call(path, { body: { scopes: ["reed"] } });
  expect(unknown.status).toBe(422);
});

it("makes no tickets where there is no secret, and takes none that could be guessed", async () => {
  const { call, newSession } = httpFixture([], { ticketSecret: null });
  const path = `/v1/sessions/${await newSession()}`;
  const refused = await call(`${path}/tickets`, { method: "POST" });
  expect(await refused.json()).toMatchObject({ status: 503, code: "NOT_CONFIGURED" });
  expect((await call(`${path}/events?ticket=x`, { token: null })).status).toBe(401);
  const guessable = { tokens: { ann: "ann-secret" }, ticketSecret: "secret" };
  expect(() => httpTransport(guessable)).toThrow(/32 characters/);
});
