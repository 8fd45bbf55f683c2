import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../messages/message.ts";
import { document, toolsOf } from "../../../../../test/support/openapi.ts";
import { createOpenAPITools, type OpenAPIToolsOptions } from "./openapi-tools.ts";

describe("credentials", () => {
  const secured = (security: JsonObject[], more: JsonObject = {}): JsonObject =>
    document(
      {
        "/x": {
          get: {
            operationId: "x",
            parameters: [{ name: "api_key", in: "query", schema: { type: "string" } }],
            ...more,
          },
        },
      },
      {
        security,
        components: {
          securitySchemes: {
            query: { type: "apiKey", in: "query", name: "api_key" },
            header: { type: "apiKey", in: "header", name: "X-Key" },
            cookie: { type: "apiKey", in: "cookie", name: "sid" },
            basic: { type: "http", scheme: "basic" },
            bearer: { type: "http", scheme: "bearer" },
            oauth: { type: "oauth2", flows: {} },
          },
        },
      },
    );
  const requestWith = async (
    security: JsonObject[],
    credentials: OpenAPIToolsOptions["credentials"],
  ): Promise<Request | undefined> => {
    const { call, requests } = await toolsOf(secured(security), credentials ? { credentials } : {});
    await call("x");
    return requests[0];
  };

  it("are sent as their scheme says", async () => {
    const query = await requestWith([{ query: [] }], { query: "k&1" });
    expect(query?.url).toBe("https://api.example/x?api_key=k%261");
    const header = await requestWith([{ header: [] }], { header: "k1" });
    expect(header?.headers.get("x-key")).toBe("k1");
    const basic = await requestWith([{ basic: [] }], { basic: { username: "ü", password: "p" } });
    expect(basic?.headers.get("authorization")).toBe("Basic w7w6cA==");
    const bearer = await requestWith([{ bearer: [] }], { bearer: async () => "t1\n" });
    expect(bearer?.headers.get("authorization")).toBe("Bearer t1");
    const oauth = await requestWith([{ oauth: ["read"] }], { oauth: "t2" });
    expect(oauth?.headers.get("authorization")).toBe("Bearer t2");
  });

  it("are never requested of the model", async () => {
    const { tools } = await toolsOf(secured([{}]));
    expect(tools[0]?.parameters["properties"]).toEqual({});
  });

  it("are of the first alternative that is complete", async () => {
    const security = [{ header: [], query: [] }, { bearer: [] }, {}];
    const request = await requestWith(security, { header: "h", bearer: "b" });
    expect([request?.headers.get("authorization"), request?.headers.get("x-key")]).toEqual([
      "Bearer b",
      null,
    ]);
    expect((await requestWith(security, undefined))?.headers.get("authorization")).toBeNull();
  });

  it("must exist and be known", async () => {
    await expect(createOpenAPITools(secured([{ header: [] }]))).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      hint: expect.stringContaining("it needs credentials for header"),
    });
    await expect(
      createOpenAPITools(secured([]), { credentials: { headr: "x" } }),
    ).rejects.toMatchObject({ hint: "Did you mean header?" });
    const { call } = await toolsOf(secured([{ header: [] }]), { credentials: { header: "a\nb" } });
    const broken = await call("x");
    expect(broken).toMatchObject({ success: false, errorCode: "CONFIGURATION_ERROR" });
  });

  it("never appear in a result, in any encoding", async () => {
    const echo = async (request: Request): Promise<Response> =>
      new Response(`url ${request.url}, key ${request.headers.get("x-key")}`, {
        status: request.url.includes("fail") ? 401 : 200,
      });
    const credentials = { query: "s3cr&t/q", header: "hunter2-key" };
    const both = secured([{ query: [], header: [] }]);
    const { call } = await toolsOf(both, { credentials }, echo);
    expect((await call("x")).output).toBe(
      "url https://api.example/x?api_key=[REDACTED], key [REDACTED]",
    );
    const failing = await toolsOf(both, { credentials, baseUrl: "https://fail.example" }, echo);
    const failed = JSON.stringify(await failing.call("x"));
    expect(failed).toContain("401");
    expect(failed).not.toMatch(/s3cr|hunter2/);
    const down = await toolsOf(both, { credentials }, (request) =>
      Promise.reject(new TypeError(`fetch failed: ${request.url}`)),
    );
    const unreachable = await down.call("x");
    expect(unreachable).toMatchObject({ success: false, errorCode: "network_error" });
    expect(JSON.stringify(unreachable)).not.toMatch(/s3cr/);
  });
});
