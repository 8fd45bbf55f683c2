import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../messages/message.ts";
import { document, pets, toolsOf } from "../../../../../test/support/openapi.ts";
import { createOpenAPITools } from "./openapi-tools.ts";

describe("a document", () => {
  const names = async (source: object | string): Promise<string[]> =>
    (await createOpenAPITools(source)).map(({ name }) => name);

  it("may be an object, JSON or YAML, of 3.1, 3.0 or 2.0, and is not mutated", async () => {
    const source = document({ "/x": { get: { operationId: "x" } } });
    const before = structuredClone(source);
    expect(await names(source)).toEqual(["x"]);
    expect(source).toEqual(before);
    expect(await names(JSON.stringify(source))).toEqual(["x"]);
    const old = {
      swagger: "2.0",
      info: {},
      host: "a.example",
      schemes: ["https"],
      paths: source["paths"],
    };
    expect(await names(old)).toEqual(["x"]);
  });

  it.each([
    ["no document", "not: openapi", "no `openapi` version"],
    ["another version", { openapi: "4.0.0", paths: {} }, "OpenAPI 4.0.0 can't be read"],
    ["no object", "- a", "is an object"],
    ["broken text", "{", "can't be read"],
    ["broken YAML", "a: [", "can't be read"],
    ["no operation", document({}), "no operation"],
    [
      "a foreign reference",
      document({ "/x": { $ref: "other.yaml#/x" } }),
      "not in this OpenAPI document",
    ],
    [
      "a loose reference",
      document({ "/x": { $ref: "#/components/pathItems/x" } }),
      "has no #/components",
    ],
    ["a circle", document({ "/x": { $ref: "#/paths/~1x" } }), "in circles"],
    [
      "no server",
      { ...document({ "/x": { get: {} } }), servers: [{ url: "/v1" }] },
      "not the address of a server",
    ],
  ])("with %s is refused with a reason and a hint", async (_, source, message) => {
    await expect(createOpenAPITools(source)).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
      message: expect.stringContaining(message),
      hint: expect.stringMatching(/\w/),
    });
  });

  it("with circular objects is refused", async () => {
    const node: JsonObject = { type: "object" };
    node["properties"] = { child: node };
    const source = document({
      "/x": { post: { requestBody: { content: { "application/json": { schema: node } } } } },
    });
    await expect(createOpenAPITools(source)).rejects.toMatchObject({ code: "CONFIGURATION_ERROR" });
  });

  it("whose YAML aliases expand without bound is refused", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
    for (let letter = 98; letter < 107; letter++) {
      const [name, last] = [letter, letter - 1].map((code) => String.fromCharCode(code));
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${last}`).join()}]`);
    }
    await expect(createOpenAPITools(bomb.join("\n"))).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
    });
  });

  it("lists its servers: chosen, custom, relative, and with known variables only", async () => {
    const { call, requests } = await toolsOf(
      {
        ...document({ "/x": { get: { operationId: "x" } } }),
        servers: [{ url: "https://a.example" }, { url: "../v2" }],
      },
      { server: 1, documentUrl: "https://b.example/api/openapi.json" },
    );
    await call("x");
    expect(requests[0]?.url).toBe("https://b.example/v2/x");
    await expect(
      createOpenAPITools(pets, { serverVariables: { region: "mars" } }),
    ).rejects.toMatchObject({
      hint: "Give serverVariables.region: eu, us.",
    });
    await expect(createOpenAPITools(pets, { server: 3 })).rejects.toMatchObject({
      code: "CONFIGURATION_ERROR",
    });
  });
});
