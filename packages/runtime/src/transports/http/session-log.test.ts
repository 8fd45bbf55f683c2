import { expect, it } from "vitest";
import {
  httpFixture,
  type HttpFixture,
} from "../../../../../test/support/network/http-sessions.ts";

const write = (content: string) => ({
  toolCalls: [{ name: "Write", args: { filePath: "a.txt", content } }],
});

async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { code: string }).code];
}

/** Sends a message, answers its requests with yes, and waits for its end. */
async function turn({ call }: HttpFixture, id: string, text: string): Promise<void> {
  await call(`/v1/sessions/${id}/messages`, { body: { text } });
  for (;;) {
    const status = (await (await call(`/v1/sessions/${id}`)).json()) as {
      state: string;
      pendingPermissions: { id: string }[];
    };
    if (status.state === "idle") return;
    for (const request of status.pendingPermissions) {
      const path = `/v1/sessions/${id}/permissions/${request.id}`;
      await call(path, { body: { decision: "allow" } });
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function put({ transport }: HttpFixture, id: string, body: BodyInit): Promise<Response> {
  const init = {
    method: "PUT",
    body,
    duplex: "half",
    headers: { authorization: "Bearer ann-secret" },
  };
  return Promise.resolve(
    transport.fetch(new Request(`http://localhost/v1/sessions/${id}/log`, init)),
  );
}

async function contents({ call }: HttpFixture, id: string): Promise<unknown[]> {
  const { messages } = (await (await call(`/v1/sessions/${id}/messages`)).json()) as {
    messages: { role: string; content: unknown }[];
  };
  return messages.filter(({ role }) => role !== "tool").map(({ content }) => content);
}

it("exports a session and continues it in another one", async () => {
  const here = httpFixture([write("one"), { text: "First" }]);
  const id = await here.newSession();
  await turn(here, id, "Write");
  const response = await here.call(`/v1/sessions/${id}/log`);
  expect(response.headers.get("content-type")).toContain("application/x-ndjson");
  const log = await response.text();
  expect(JSON.parse(log.slice(0, log.indexOf("\n")))).toMatchObject({
    format: "robota-session",
    session: { id },
  });

  const there = httpFixture([{ text: "Second" }]);
  const moved = await there.newSession();
  expect((await put(there, moved, log)).status).toBe(204);
  expect(await contents(there, moved)).toEqual(["Write", "", "First"]);
  await turn(there, moved, "Go on");
  expect((await contents(there, moved)).at(-1)).toBe("Second");
  expect(await codeOf(await put(there, moved, log))).toEqual([409, "NOT_EMPTY"]);
});

it("exports no foreign session, no empty one, and nothing for a malformed request", async () => {
  const fixture = httpFixture([{ text: "Hi" }]);
  const id = await fixture.newSession();
  expect(await codeOf(await fixture.call(`/v1/sessions/${id}/log`))).toEqual([404, "NOT_FOUND"]);
  await turn(fixture, id, "Hi");
  expect((await fixture.call(`/v1/sessions/${id}/log`, { method: "HEAD" })).status).toBe(200);
  for (const route of ["log", "checkpoints"])
    expect(
      (await fixture.call(`/v1/sessions/${id}/${route}`, { token: "bob-secret" })).status,
    ).toBe(404);
  expect(await codeOf(await fixture.call(`/v1/sessions/${id}/log?files=all`))).toEqual([
    400,
    "VALIDATION_ERROR",
  ]);
});

it("refuses a truncated, invalid or oversized import while it arrives", async () => {
  const fixture = httpFixture([{ text: "Hi" }], { limits: { logBytes: 2_000 } });
  const id = await fixture.newSession();
  await turn(fixture, id, "Hi");
  const log = await (await fixture.call(`/v1/sessions/${id}/log`)).text();
  const empty = await fixture.newSession();
  expect(await codeOf(await put(fixture, empty, "{}\n"))).toEqual([422, "VALIDATION_ERROR"]);
  expect((await put(fixture, empty, "")).status).toBe(422);
  const small = log.split("\n").slice(0, 2).join("\n");
  expect((await put(fixture, empty, `${small}\n`)).status).toBe(422);

  let pulled = 0;
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(500).fill(32));
    },
  });
  expect(await codeOf(await put(fixture, empty, endless))).toEqual([413, "BODY_TOO_LARGE"]);
  expect(pulled).toBeLessThan(10);
  // The session is as empty as before.
  expect(await contents(fixture, empty)).toEqual([]);
  expect(fixture.errors).toEqual([]);
});

it("rewinds to a checkpoint, and back again", async () => {
  const fixture = httpFixture([write("one"), { text: "First" }, write("two"), { text: "Second" }]);
  const id = await fixture.newSession();
  await turn(fixture, id, "Write one");
  await turn(fixture, id, "Write two");
  const { checkpoints } = (await (await fixture.call(`/v1/sessions/${id}/checkpoints`)).json()) as {
    checkpoints: { id: string; input: string }[];
  };
  expect(checkpoints.map(({ input }) => input)).toEqual(["Write one", "Write two"]);
  const rewind = (body: object): Promise<Response> =>
    fixture.call(`/v1/sessions/${id}/rewind`, { body });
  const result = (await (await rewind({ checkpointId: checkpoints[1]?.id })).json()) as {
    undoId: string;
    files: { restored: string[] };
  };
  expect(result.files.restored).toEqual(["/project/a.txt"]);
  expect(await contents(fixture, id)).toEqual(["Write one", "", "First"]);
  await rewind({ checkpointId: result.undoId, what: "conversation" });
  expect((await contents(fixture, id)).at(-1)).toBe("Second");
  expect(await codeOf(await rewind({ checkpointId: "none" }))).toEqual([404, "NOT_FOUND"]);
  expect(await codeOf(await rewind({ what: "both" }))).toEqual([422, "VALIDATION_ERROR"]);
});

it("forks at a checkpoint and at the end, as its owner's own session", async () => {
  const fixture = httpFixture([{ text: "First" }, { text: "Second" }, { text: "Forked" }]);
  const id = await fixture.newSession();
  await turn(fixture, id, "One");
  await turn(fixture, id, "Two");
  const { checkpoints } = (await (await fixture.call(`/v1/sessions/${id}/checkpoints`)).json()) as {
    checkpoints: { id: string }[];
  };
  const fork = async (body?: object): Promise<Response> =>
    fixture.call(`/v1/sessions/${id}/fork`, { method: "POST", ...(body ? { body } : {}) });
  const made = await fork({ at: checkpoints[1]?.id });
  expect(made.status).toBe(201);
  const { id: early } = (await made.json()) as { id: string };
  expect(made.headers.get("location")).toBe(`http://localhost/v1/sessions/${early}`);
  expect(await contents(fixture, early)).toEqual(["One", "First"]);
  await turn(fixture, early, "Another way");
  expect((await contents(fixture, early)).at(-1)).toBe("Forked");

  const { id: late } = (await (await fork()).json()) as { id: string };
  expect(await contents(fixture, late)).toEqual(["One", "First", "Two", "Second"]);
  const before = (await (await fixture.call("/v1/sessions")).json()) as { sessions: unknown[] };
  expect(before.sessions).toHaveLength(3);
  expect((await fixture.call(`/v1/sessions/${early}`, { token: "bob-secret" })).status).toBe(404);

  expect(await codeOf(await fork({ at: "none" }))).toEqual([404, "NOT_FOUND"]);
  const bob = { method: "POST", token: "bob-secret" };
  expect((await fixture.call(`/v1/sessions/${id}/fork`, bob)).status).toBe(404);
  const after = (await (await fixture.call("/v1/sessions")).json()) as { sessions: unknown[] };
  expect(after.sessions).toHaveLength(3);
});
