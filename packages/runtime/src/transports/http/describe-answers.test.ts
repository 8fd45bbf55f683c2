import { Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import { at, document, problemFinder } from "../../../../../test/support/network/described.ts";
import type { JsonObject } from "../../messages/message.ts";
import type { SessionEvent } from "../../session/log/events.ts";
import {
  type CallOptions,
  eventsUntil,
  httpFixture,
  readEvents,
} from "../../../../../test/support/network/http-sessions.ts";
import { operationList } from "./operations.ts";

const problemsOf = problemFinder(Validator);
const SSE = { accept: "text/event-stream" };

/** An operation's path as a regular expression. */
function patternOf(path: string): string {
  return path.replace(/:\w+\{\.\+\}$/, ".+").replaceAll(/:\w+/g, "[^/]+");
}

/** The described answer of that status to such a request. */
function describedAnswer(path: string, method: string, status: number): JsonObject {
  const { pathname } = new URL(path, "http://localhost");
  const operation = operationList.find(
    (candidate) =>
      candidate.method === method && new RegExp(`^${patternOf(candidate.path)}$`).test(pathname),
  );
  const template = operation?.path.replaceAll(/:(\w+)(?:\{\.\+\})?/g, "{$1}") ?? "";
  const responses = at(document, "paths", template, method.toLowerCase(), "responses");
  return at(responses, Object.hasOwn(responses, String(status)) ? String(status) : "default");
}

/** A client that only accepts answers that the document describes; `seen` collects them. */
function describedClient(fixture: ReturnType<typeof httpFixture>) {
  const seen = new Set<string>();
  const call = async (path: string, options: CallOptions = {}): Promise<Response> => {
    const method = options.method ?? (options.body === undefined ? "GET" : "POST");
    const response = await fixture.call(path, options);
    const described = describedAnswer(path, method, response.status);
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    const where = `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, "{id}")} ${response.status}`;
    seen.add(where);
    const { schema } = {
      ...at(described, "content", "*/*"),
      ...at(described, "content", type),
    };
    if (type === "") expect([where, described["content"]]).toEqual([where, undefined]);
    else if (schema === undefined) expect(where).toBe(`described with ${type}`);
    else if (/[/+]json$/.test(type)) {
      expect([where, problemsOf(schema, await response.clone().json())]).toEqual([where, []]);
    }
    return response;
  };
  return { seen, call };
}

const write = { name: "Write", args: { filePath: "a.txt", content: "x" } };

it("describes every route's actual response, field by field", async () => {
  const fixture = httpFixture([
    { thinking: "Hm", text: "I will", toolCalls: [write] },
    { text: "Done" },
    { error: "The model is gone" },
    { text: "never", delayMs: Infinity },
  ]);
  const { call, seen } = describedClient(fixture);
  for (const path of ["/healthz", "/openapi.json", "/docs", "/llms.txt"])
    await call(path, { token: null });
  const created = await call("/v1/sessions", { body: { name: "One", permissionMode: "default" } });
  const { id }: { id: string } = await created.json();
  const path = `/v1/sessions/${id}`;
  await call("/v1/sessions", { method: "POST" });
  await call("/v1/sessions");
  await call(`${path}/messages/chat/stream`);

  const asking = await call(`${path}/messages`, { body: { text: "go" }, headers: SSE });
  const asked = await eventsUntil(asking, "permission_request");
  expect(asked.at(-1)?.type).toBe("permission_request");
  const waiting = await call(path);
  const { pendingPermissions }: { pendingPermissions: { id: string }[] } = await waiting.json();
  const answerPath = `${path}/permissions/${pendingPermissions[0]?.id}`;
  await call(`${path}/messages`, { body: { text: "and then" } });
  await call(`${path}/messages`, { body: { text: "too much" } });
  await call(path);
  await call("/v1/sessions");
  const queued = await call(`${path}/queue`);
  const { prompts }: { prompts: { id: string }[] } = await queued.json();
  const prompt = `${path}/queue/${prompts[0]?.id}`;
  await call(prompt, { method: "PATCH", body: { text: "and after that", place: 0 } });
  await call(`${path}/queue`, { method: "PATCH", body: { paused: true } });
  await call(`${path}/queue`, { method: "PATCH", body: { paused: false } });
  await call(prompt, { method: "DELETE" });
  await call(prompt, { method: "DELETE" });
  await call(`${path}/cancel-queue`, { body: { text: "another" } });
  await call(`${path}/cancel-queue`, { method: "POST" });
  await call(answerPath, { body: { decision: "perhaps" } });
  await call(answerPath, { body: { decision: "allow", scope: "session" } });
  await eventsUntil(await call(`${path}/events`), "turn_end");
  await call(answerPath, { body: { decision: "deny" } });
  await eventsUntil(await call(`${path}/messages`, { body: { text: "x" }, headers: SSE }), "error");
  for (const route of ["messages", "history", "context", "checkpoints"])
    await call(`${path}/${route}`);
  const listing = await call(`${path}/changes`);
  const { files }: { files: { path: string; stamp: string }[] } = await listing.json();
  const changed = files.map((each) => each.path);
  expect(changed).toHaveLength(1);
  await call(`${path}/changes?turn=none`);
  await call(`${path}/changes`, { body: { paths: changed } });
  await call(`${path}/changes`, { body: { paths: [] } });
  const undo = files.map((each) => ({ path: each.path, stamp: each.stamp }));
  for (const body of [{ what: "both" }, {}, {}])
    await call(`${path}/rewind`, { body: { checkpointId: "start", files: undo, ...body } });
  const file = `${path}/files/notes/a.txt`;
  await call(file, { method: "PUT", body: "x" });
  await call(file, { method: "PUT", body: "y", headers: { "if-none-match": "*" } });
  await call(file);
  await call(`${path}/files?path=notes`);
  await call(`${path}/files?path=../x`);
  await call(file, { method: "DELETE" });
  await call(file);
  await call(`${path}/tickets`, { method: "POST" });
  await call(path, { method: "PATCH", body: { name: "Two", permissionMode: "plan" } });
  await call(path, { method: "PATCH", body: { permissionMode: "bypassPermissions" } });
  const { checkpoints }: { checkpoints: { id: string }[] } = await (
    await call(`${path}/checkpoints`)
  ).json();
  const checkpointId = checkpoints.at(-1)?.id;
  await call(`${path}/fork`, { body: { at: checkpointId } });
  await call(`${path}/rewind`, { body: { checkpointId } });
  await call(`${path}/history`);
  await call(`${path}/commands`);
  await call(`${path}/complete`, { body: { text: "/re" } });
  await call(`${path}/complete`, { body: { text: "/re", cursor: -1 } });
  await call(`${path}/commands/context`, { method: "POST" });
  await call(`${path}/commands/rename`, { body: { args: "" } });
  await call(`${path}/commands/mode`, { body: { args: "plan" } });
  await call(`${path}/commands/nothing`, { body: { args: 1 } });
  await call(`${path}/commands/nothing`, { method: "POST" });
  await call(`${path}/messages`, { body: { text: "again" } });
  await call(`${path}/steer`, { body: { text: "in German" } });
  await call(`${path}/abort`, { method: "POST" });
  await call(`${path}/log?files=all`);
  await call(`${path}/log?files=none`);
  await call(`${path}/log`, { method: "PUT" });
  await call(`${path}/events?after=x`);
  await call(`${path}/socket`);
  for (const sessionId of ["there", "elsewhere"])
    await call(`${path}/hand-over`, { body: { to: { sessionId } } });
  await call(path);
  await call("/v1/sessions/nobody");
  await call(path, { token: null });
  await call(path, { method: "DELETE" });
  expect([...seen].map((line) => line.slice(-3))).toEqual(
    expect.arrayContaining(["200", "201", "202", "204", "400", "401", "403", "404", "409", "422"]),
  );
  const routes = [...seen].map((line) => line.slice(0, -4).split("?")[0]);
  for (const operation of operationList) {
    const pattern = new RegExp(`^${operation.method} ${patternOf(operation.path)}$`);
    expect(
      routes.some((route) => pattern.test(route ?? "")),
      operation.path,
    ).toBe(true);
  }
});

it("describes every event of a stream, so that a generated client can answer an approval", async () => {
  const fixture = httpFixture([
    { thinking: "Hm", text: "I will", toolCalls: [write], usage: { inputTokens: 3 } },
    { deltas: ["Do", "ne"] },
  ]);
  const id = await fixture.newSession();
  const path = `/v1/sessions/${id}`;
  const stream = await fixture.call(`${path}/messages`, { body: { text: "go" }, headers: SSE });
  const described = describedAnswer(`${path}/messages`, "POST", 200);
  const { schema = null } = at(described, "content", "text/event-stream");
  const types = new Set<string>();
  for await (const { event = "", data } of readEvents(stream)) {
    types.add(event);
    const value: SessionEvent = JSON.parse(data);
    expect([event, problemsOf(schema, value)]).toEqual([event, []]);
    if (value.type === "permission_request") {
      const answer = { decision: "allow", scope: "session" };
      await fixture.call(`${path}/permissions/${value.request.id}`, { body: answer });
    }
  }
  expect([...types]).toEqual(
    expect.arrayContaining(["permission_request", "permission_decision", "tool_end", "done"]),
  );
  const events = describedAnswer(`${path}/events`, "GET", 200);
  expect(at(events, "content", "text/event-stream", "schema")).toEqual({
    $ref: "#/components/schemas/SessionEvent",
  });
});

it("discriminates events by type, without dangling references", () => {
  const schemas = at(document, "components", "schemas");
  const { oneOf, discriminator } = at(schemas, "SessionEvent");
  const mapping = at(discriminator ?? {}, "mapping");
  expect(Object.keys(mapping).length).toBeGreaterThan(20);
  expect(Object.values(mapping).map(($ref) => ({ $ref }))).toEqual(oneOf);
  for (const [type, reference] of Object.entries(mapping)) {
    const name = typeof reference === "string" ? reference.split("/").at(-1) : undefined;
    expect(at(schemas, name ?? "", "properties", "type")).toEqual({ const: type });
  }
  const references = JSON.stringify(document).matchAll(/"#\/([^"]*)"/g);
  for (const [, pointer = ""] of references)
    expect(at(document, ...pointer.split("/")), pointer).not.toEqual({});
});

it("detects undescribed responses", () => {
  const session = { $ref: "#/components/schemas/ContextWindow" };
  const value = { maxTokens: 1, usedTokens: 1, usedPercentage: 1, remainingPercentage: 1 };
  expect(problemsOf(session, value)).toEqual([]);
  expect(problemsOf(session, { ...value, more: 1 })).not.toEqual([]);
});
