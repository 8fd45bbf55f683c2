import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { runPostgres } from "../../support/servers/postgres.ts";
import { serveExample } from "./run-example.ts";

it("a session of the fleet goes on in another process when the one that had it is killed", async () => {
  const home = await mkdtemp(join(tmpdir(), "robota-fleet-"));
  await using database = await runPostgres();
  const env = { DATABASE_URL: database.url };
  await using first = await serveExample("fleet.ts", home, env);
  await using second = await serveExample("fleet.ts", home, env);
  await using third = await serveExample("fleet.ts", home, env);
  const headers = { authorization: "Bearer secret", accept: "text/event-stream" };
  const call = (url: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}/v1/sessions${path}`, { ...init, headers });
  const say = async (url: string, path: string, text: string): Promise<string> =>
    (await call(url, path, { method: "POST", body: JSON.stringify({ text }) })).text();

  const { id }: { id: string } = await (await call(first.url, "", { method: "POST" })).json();
  expect(await say(first.url, `/${id}/messages`, "run echo one")).toContain("one");
  await first.kill();
  expect(await say(second.url, `/${id}/messages`, "run echo two")).toContain("two");
  // Also without any death: whichever process gets the request, and again the one that had it before.
  expect(await say(third.url, `/${id}/messages`, "run echo three")).toContain("three");
  expect(await say(second.url, `/${id}/messages`, "run echo four")).toContain("four");

  const { messages }: { messages: { role: string; content: string }[] } = await (
    await call(second.url, `/${id}/messages`)
  ).json();
  expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "run echo one",
    "run echo two",
    "run echo three",
    "run echo four",
  ]);
  await rm(home, { recursive: true });
});

it("a process of the fleet ends on SIGTERM, and leaves its sessions to the others at once", async () => {
  const home = await mkdtemp(join(tmpdir(), "robota-fleet-"));
  await using database = await runPostgres();
  await using server = await serveExample("fleet.ts", home, { DATABASE_URL: database.url });
  const headers = { authorization: "Bearer secret" };
  await fetch(`${server.url}/v1/sessions`, { method: "POST", headers });
  expect(await server.terminate()).toBe(0);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query("SELECT name FROM robota.leases");
  await client.end();
  expect(rows).toEqual([]);
  await rm(home, { recursive: true });
});
