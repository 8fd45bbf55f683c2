import { Validator } from "@cfworker/json-schema";
import { expect, it } from "vitest";
import * as z from "../../../zod.ts";
import type { JsonValue } from "../../../messages/message.ts";
import { BODIES } from "./schemas.ts";
import { problemsOf } from "./problems.ts";
import { bodySchemas } from "./json-schemas.ts";
import { httpFixture } from "../../../../../../test/support/network/http-sessions.ts";
import { jsonDepth } from "../../../messages/json-depth.ts";
import { readBody } from "./read-body.ts";

const limits = { bodyBytes: 1000, jsonDepth: 64, bodyIdleMs: 30_000 };
const anything = { load: async () => z.unknown() };

function post(body: BodyInit): Request {
  const init = { method: "POST", body, duplex: "half" };
  return new Request("http://localhost/", init);
}

async function refusal(
  body: BodyInit,
  definition: Parameters<typeof readBody>[1] = anything,
): Promise<unknown> {
  return readBody(post(body), definition, limits).then(
    () => "taken",
    (error: { status: number; code: string }) => [error.status, error.code],
  );
}

it("reports a message's problems before acting on it", async () => {
  const { call, newSession, provider } = httpFixture();
  const id = await newSession();
  const path = `/v1/sessions/${id}/messages`;
  const bodies = [{}, { text: 1 }, { text: "" }, { text: "x", more: 1 }, [], null, "text"];
  for (const body of bodies) {
    const response = await call(path, { body });
    const problem = (await response.json()) as { code: string; detail: string; hint: string };
    expect([response.status, problem.code]).toEqual([422, "VALIDATION_ERROR"]);
    expect(problem.hint).toContain("/openapi.json");
  }
  expect(provider.requests).toEqual([]);
});

it("locates each problem of a body, and lists the allowed values", async () => {
  const { call, newSession } = httpFixture();
  const path = `/v1/sessions/${await newSession()}`;
  const detailOf = async (route: string, body: JsonValue): Promise<string> => {
    const response = await call(path + route, { body });
    const { detail }: { detail: string } = await response.json();
    return detail.replace("The body is invalid: ", "");
  };
  expect(await detailOf("/messages", {})).toBe("/text: required");
  expect(await detailOf("/messages", { text: 1, displayText: "" })).toBe(
    "/text: must be of type string; /displayText: must not be empty",
  );
  expect(await detailOf("/messages", [])).toBe("/: must be of type object");
  expect(await detailOf("/messages", { text: "x", tekst: 1 })).toBe('/: unknown property "tekst"');
  expect(await detailOf("/permissions/1", { decision: "perhaps", scope: null })).toBe(
    "/decision: must be one of allow, deny; /scope: must be one of once, turn, session, workspace",
  );
  expect(await detailOf("/rewind", { checkpointId: "x".repeat(201) })).toBe(
    "/checkpointId: must have at most 200 characters",
  );
});

it("validates bodies as the OpenAPI document describes them", async () => {
  const texts = ["", "x", "👋".repeat(101), "👋".repeat(200), "👋".repeat(201), "x".repeat(2001)];
  const words = ["allow", "deny", "once", "both", "plan", "bypassPermissions"];
  const values = [...texts, ...words, null, 1, true, [], {}, JSON.parse('{"__proto__":{}}')];
  for (const [operation, schema] of Object.entries(bodySchemas())) {
    const validator = new Validator(schema, "2020-12");
    const body: z.ZodMiniType | undefined = Object.entries(BODIES).find(
      ([name]) => name === operation,
    )?.[1];
    const names = ["more", "__proto__", ...Object.keys(schema["properties"] ?? {})];
    const bodies = names.flatMap((name) =>
      values.flatMap((value) => [
        Object.fromEntries([[name, value]]),
        Object.fromEntries([...names.slice(2).map((other) => [other, "allow"]), [name, value]]),
      ]),
    );
    for (const sample of [...values, ...bodies]) {
      const isTaken = body !== undefined && problemsOf(body, sample).length === 0;
      const isDescribed = validator.validate(sample).valid;
      expect(isTaken, `${operation} ${JSON.stringify(sample).slice(0, 200)}`).toBe(isDescribed);
    }
  }
});

it("refuses invalid JSON and invalid UTF-8", async () => {
  expect(await refusal("{")).toEqual([400, "INVALID_JSON"]);
  expect(await refusal("")).toEqual([400, "INVALID_JSON"]);
  expect(await refusal('{"a":NaN}')).toEqual([400, "INVALID_JSON"]);
  expect(await refusal(new Uint8Array([0x22, 0xff, 0x22]))).toEqual([400, "INVALID_JSON"]);
  expect(await readBody(post(" "), { ...anything, optional: true }, limits)).toEqual({});
});

it("counts bytes as they arrive and stops reading at the limit", async () => {
  const quoted = (length: number): string => JSON.stringify("x".repeat(length - 2));
  expect(await readBody(post(quoted(1000)), anything, limits)).toHaveLength(998);
  expect(await refusal(quoted(1001))).toEqual([413, "BODY_TOO_LARGE"]);
  // Characters of three bytes: 400 of them are too many.
  expect(await refusal(JSON.stringify("€".repeat(400)))).toEqual([413, "BODY_TOO_LARGE"]);
});

it("gives up on an unbounded body without a length", async () => {
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(100));
    },
    cancel() {
      isCancelled = true;
    },
  });
  expect(await refusal(endless)).toEqual([413, "BODY_TOO_LARGE"]);
  expect(sent).toBeLessThan(30);
  expect(isCancelled).toBe(true);
});

it("times out a body that never arrives or stalls, and cancels it", async () => {
  const { transport, newSession, errors } = httpFixture([], { limits: { bodyIdleMs: 20 } });
  const id = await newSession();
  for (const [method, route] of [
    ["POST", `/v1/sessions`],
    ["POST", `/v1/sessions/${id}/messages`],
    ["PUT", `/v1/sessions/${id}/log`],
  ] as const) {
    for (const sent of ["", '{"text":']) {
      const cancelled = Promise.withResolvers<void>();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          if (sent !== "") controller.enqueue(new TextEncoder().encode(sent));
        },
        cancel: () => cancelled.resolve(),
      });
      const init = { method, body, duplex: "half" };
      const headers = { authorization: "Bearer ann-secret" };
      const request = new Request(`http://localhost${route}`, { ...init, headers });
      const response = await transport.fetch(request);
      expect(response.status).toBe(408);
      expect(await response.json()).toMatchObject({
        title: "Request Timeout",
        code: "BODY_TIMEOUT",
        hint: expect.stringContaining("again"),
      });
      await cancelled.promise;
    }
  }
  expect(errors).toEqual([]);
});

it("refuses deep nesting before parsing", async () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect(await readBody(post(nested(64)), anything, limits)).toBeInstanceOf(Array);
  expect(await refusal(nested(65))).toEqual([400, "JSON_TOO_DEEP"]);
  expect(await refusal("[".repeat(900))).toEqual([400, "JSON_TOO_DEEP"]);
  expect(jsonDepth('{"a":["[[[[","\\"[[["],"b":[{}]}')).toBe(3);
});
