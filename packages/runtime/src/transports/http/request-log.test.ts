import { expect, it } from "vitest";
import { httpFixture } from "../../../../../test/support/network/http-sessions.ts";
import type { RequestRecord } from "./request-log.ts";

it("logs requests without content, tokens, ids and addresses", async () => {
  const records: RequestRecord[] = [];
  const { call, newSession } = httpFixture([{ text: "The answer" }], {
    onRequest: (record) => records.push(record),
    clientAddress: () => "203.0.113.7",
  });
  const id = await newSession();
  const path = `/v1/sessions/${id}`;
  await call(`${path}/messages`, { body: { text: "The question" } });
  await call(`${path}/files/secret-plan.txt`, { method: "PUT", body: "The content" });
  const made = await call(`${path}/tickets`, { method: "POST" });
  const { ticket } = (await made.json()) as { ticket: string };
  const stream = await call(`${path}/events?ticket=${ticket}&after=0`, { token: null });
  await stream.body?.cancel();
  await call("/v1/sessions/nobody-knows?text=The%20query", { token: "wrong-secret" });
  expect(records).toHaveLength(6);
  const allowed = new Set(["method", "route", "status", "ms", "principal", "session"]);
  for (const record of records)
    expect(Object.keys(record).filter((name) => !allowed.has(name))).toEqual([]);
  const log = JSON.stringify(records);
  for (const word of [id, ticket, "ann", "secret", "The ", "203.0.113.7", "nobody"])
    expect(log).not.toContain(word);
  // The same caller and session can be followed through the log, all the same.
  expect(new Set(records.slice(1, 4).map(({ session }) => session)).size).toBe(1);
});
