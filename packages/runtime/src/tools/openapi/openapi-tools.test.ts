import { describe, expect, it } from "vitest";
import { Robota } from "../../agent/robota.ts";
import type { ToolArgs } from "../../messages/message.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../testing/scripted-provider.ts";
import { toolContext } from "../../../../../test/support/tool-context.ts";
import { toolProblems } from "../tool-registry.ts";
import { validateArgs } from "../validate-args.ts";
import { document, pets, toolsOf } from "../../../../../test/support/openapi.ts";
import { createOpenAPITools, type OperationTool } from "./openapi-tools.ts";

describe("tools of an OpenAPI document", () => {
  it("are one per operation, with names and schemas that providers accept", async () => {
    const skipped: string[] = [];
    const { tools } = await toolsOf(pets, {
      onSkip: ({ path, reason }) => skipped.push(`${path}: ${reason}`),
    });
    expect(tools.map(({ name, method, path, access }) => [name, method, path, access])).toEqual([
      ["pets_get", "GET", "/pets/{petId}", "network"],
      ["put_pets_petId", "PUT", "/pets/{petId}", "network-write"],
      ["login", "POST", "/login", "network-write"],
    ]);
    expect(tools.flatMap(toolProblems)).toEqual([]);
    expect(tools[0]?.description).toBe("One pet\n(GET /pets/{petId})");
    expect(skipped).toEqual(["/photo: its body is of no media type that can be sent"]);
  });

  it("take the document's parameters as arguments, without read-only properties", async () => {
    const { tools } = await toolsOf(pets);
    expect(tools[0]?.parameters).toEqual({
      type: "object",
      properties: {
        petId: { type: "integer" },
        fields: { type: "array", items: { type: "string" } },
        "X-Trace": { type: "string" },
      },
      required: ["petId"],
      additionalProperties: false,
    });
    expect(tools[1]?.parameters).toEqual({
      type: "object",
      properties: {
        petId: { type: "integer" },
        query_petId: { type: "string" },
        filter_kind_: { type: "string" },
        body: { $ref: "#/$defs/Pet" },
      },
      required: ["petId", "body"],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: "object",
          required: ["name"],
          properties: {
            name: { type: "string" },
            weight: { type: ["number", "null"] },
            parent: { $ref: "#/$defs/Pet" },
          },
        },
      },
    });
  });

  it("validate arguments through circular references", async () => {
    const { tools } = await toolsOf(pets);
    const put = tools[1] as OperationTool;
    const args = (parent: object): ToolArgs => ({
      petId: 1,
      body: { name: "a", weight: null, parent },
    });
    expect(await validateArgs(put, args({ name: "b" }))).toMatchObject({ ok: true });
    expect(await validateArgs(put, args({ weight: 5 }))).toEqual({
      ok: false,
      problems: ["/body/parent/name: required"],
    });
  });

  it("send each argument in its place", async () => {
    const { call, requests } = await toolsOf(pets, { serverVariables: { region: "us" } });
    await call("pets_get", { petId: 7, fields: ["name", "a b"], "X-Trace": "t1" });
    await call("put_pets_petId", {
      petId: 7,
      query_petId: "q",
      filter_kind_: "cat",
      body: { name: "Tom" },
    });
    await call("login", { body: { user: "a&b", roles: ["x", "y"] } });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET https://us.pets.example/v1/pets/7?fields=name,a%20b",
      "PUT https://us.pets.example/v1/pets/7?petId=q&filter%5Bkind%5D=cat",
      "POST https://us.pets.example/v1/login",
    ]);
    expect(requests[0]?.headers.get("x-trace")).toBe("t1");
    expect(requests[1]?.headers.get("content-type")).toBe("application/json");
    expect(await requests[1]?.json()).toEqual({ name: "Tom" });
    expect(requests[2]?.headers.get("content-type")).toBe("application/x-www-form-urlencoded");
    expect(await requests[2]?.text()).toBe("user=a%26b&roles=x&roles=y");
  });

  it("send forms with parts", async () => {
    const { call, requests } = await toolsOf(
      document({
        "/upload": {
          post: {
            operationId: "upload",
            requestBody: {
              content: {
                "multipart/form-data": {
                  schema: { type: "object" },
                  encoding: { file: { contentType: "text/csv" } },
                },
              },
            },
          },
        },
      }),
    );
    await call("upload", { body: { title: "T", file: "a,b", meta: { x: 1 } } });
    const form = await requests[0]?.formData();
    expect(form?.get("title")).toBe("T");
    const file = form?.get("file") as File;
    expect([file.type, await file.text()]).toEqual(["text/csv", "a,b"]);
    const meta = form?.get("meta") as File;
    expect(await meta.text()).toBe('{"x":1}');
  });

  it("never let a value change the called operation", async () => {
    const { call, requests } = await toolsOf(
      document({
        "/users/{name}/files/{file}": {
          get: {
            operationId: "file",
            parameters: ["name", "file"].map((name) => ({
              name,
              in: "path",
              required: true,
              schema: { type: "string" },
            })),
          },
        },
      }),
    );
    for (const name of ["..", ".", "", "%2e%2e"]) {
      const result = await call("file", { name, file: "x" });
      if (name === "%2e%2e") expect(result.success).toBe(true);
      else expect(result).toMatchObject({ success: false, errorCode: "invalid_arguments" });
    }
    await call("file", { name: "a/../b", file: "x?y" });
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
      "/users/%252e%252e/files/x",
      "/users/a%2F..%2Fb/files/x%3Fy",
    ]);
    expect(await call("file", { name: "a" })).toMatchObject({ errorCode: "invalid_arguments" });
  });

  it("send cookies, or report that programs of this host may not", async () => {
    const { call, requests } = await toolsOf(
      document({
        "/x": {
          get: {
            operationId: "x",
            parameters: [{ name: "sid", in: "cookie", schema: { type: "string" } }],
          },
        },
      }),
    );
    const result = await call("x", { sid: "a b" });
    if (result.success) expect(requests[0]?.headers.get("cookie")).toBe("sid=a%20b");
    else expect([result.errorCode, requests.length]).toEqual(["header_not_allowed", 0]);
  });

  it("run in an agent", async () => {
    const { tools } = await toolsOf(pets, {}, () => Response.json({ name: "Tom" }));
    const provider = new ScriptedProvider([
      { toolCalls: [{ name: "pets_get", args: { petId: "x" } }] },
      { toolCalls: [{ name: "pets_get", args: { petId: 1 } }] },
      { text: "Tom" },
    ]);
    const agent = new Robota({ provider, tools });
    expect((await agent.run("Who is 1?")).text).toBe("Tom");
    expect(agent.getHistory().filter(({ role }) => role === "tool")).toMatchObject([
      { errorCode: "invalid_arguments" },
      { content: '{"name":"Tom"}' },
    ]);
  });

  it("have unique names of at most 64 characters", async () => {
    const long = "a".repeat(80);
    const { tools } = await toolsOf(
      document({
        "/a": { get: { operationId: long }, post: { operationId: long } },
        "/": { get: {} },
        "/é": { get: { operationId: "äöü" } },
      }),
      { prefix: "api-" },
    );
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([`api-${"a".repeat(60)}`, `api-${"a".repeat(58)}_2`, "api-get", "api-"]);
  });

  it("are limited to the selected ones", async () => {
    const { tools } = await toolsOf(pets, { include: ({ tags }) => tags.includes("pets") });
    expect(tools.map(({ name }) => name)).toEqual(["pets_get"]);
  });
});

it("warn once of a pattern that can't be checked, and of no other", async () => {
  const parameter = (name: string, pattern: string): object => ({
    name,
    in: "query",
    schema: { type: "string", pattern },
  });
  const [tool] = await createOpenAPITools(
    {
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      servers: [{ url: "https://api.example" }],
      paths: {
        "/a": {
          get: {
            operationId: "a",
            parameters: [parameter("back", "^(a+)+\\1$"), parameter("slow", "^(a+)+$")],
            responses: {},
          },
        },
      },
    },
    { fetch: async () => Response.json({}) },
  );
  const warnings: string[] = [];
  const platform = { ...memoryPlatform(), warn: (text: string) => void warnings.push(text) };
  for (const back of ["aa", "ab"])
    expect(await tool?.execute({ back }, toolContext(platform))).toMatchObject({ success: true });
  expect(warnings).toEqual([expect.stringMatching(/^a: .*not checked.*"\^\(a\+\)\+\\\\1\$"/)]);
});

it("reach a private server only when a person named it, not the document", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(input instanceof Request ? input.url : input.toString());
    return Response.json({});
  };
  const documentOf = (server: string): object => ({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    servers: [{ url: server }],
    paths: { "/a": { get: { operationId: "a", responses: {} } } },
  });
  for (const server of [
    "http://127.0.0.1:9000",
    "http://169.254.169.254",
    "http://printer.local",
  ]) {
    const [tool] = await createOpenAPITools(documentOf(server), { fetch });
    expect(await tool?.execute({}, toolContext(memoryPlatform()))).toMatchObject({
      success: false,
      errorCode: "EGRESS_REFUSED",
    });
    expect(asked).toEqual([]);
    const [given] = await createOpenAPITools(documentOf(server), { fetch, baseUrl: server });
    expect(await given?.execute({}, toolContext(memoryPlatform()))).toMatchObject({
      success: true,
    });
    expect(asked.splice(0)).toEqual([`${server}/a`]);
  }
});
