import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Robota } from "../../agent/robota.ts";
import type { JsonObject } from "../../messages/message.ts";
import { OpenAIProvider } from "./index.ts";
import { strictFormat } from "./strict-schema.ts";

const json = (schema: z.ZodType): JsonObject => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest as JsonObject;
};

describe("a schema for strict mode", () => {
  it("requires every property, and uses null for an omitted optional one", () => {
    const schema = json(
      z.object({
        name: z.string().min(1).max(80).describe("Of a person"),
        nick: z.string().optional(),
        size: z.enum(["s", "m"]).default("s"),
        pets: z.array(z.object({ kind: z.string(), age: z.number().int().positive().optional() })),
        contact: z.union([z.url(), z.number()]).optional(),
      }),
    );
    expect(strictFormat(schema)).toEqual({
      strict: true,
      schema: {
        type: "object",
        properties: {
          name: { type: "string", description: "Of a person" },
          nick: { type: ["string", "null"] },
          size: { anyOf: [{ type: "string", enum: ["s", "m"] }, { type: "null" }] },
          pets: {
            type: "array",
            items: {
              type: "object",
              properties: {
                kind: { type: "string" },
                age: expect.objectContaining({ type: ["integer", "null"], exclusiveMinimum: 0 }),
              },
              required: ["kind", "age"],
              additionalProperties: false,
            },
          },
          contact: { anyOf: [{ type: "string" }, { type: "number" }, { type: "null" }] },
        },
        required: ["name", "nick", "size", "pets", "contact"],
        additionalProperties: false,
      },
    });
  });

  it("keeps references, and turns `oneOf` into `anyOf`", () => {
    const schema: JsonObject = {
      type: "object",
      properties: {
        next: { $ref: "#/$defs/node", description: "Further on" },
        kind: { oneOf: [{ const: "a" }, { const: "b" }] },
      },
      $defs: { node: { type: "object", properties: {} } },
    };
    expect(strictFormat(schema).schema).toMatchObject({
      properties: {
        next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
        kind: { anyOf: [{ const: "a" }, { const: "b" }, { type: "null" }] },
      },
      $defs: { node: { properties: {}, required: [], additionalProperties: false } },
    });
  });

  it.each<[string, JsonObject]>([
    ["open objects", json(z.object({ map: z.record(z.string(), z.number()) }))],
    ["intersections", { type: "object", allOf: [{ type: "object", properties: {} }] }],
    ["tuples", json(z.object({ pair: z.tuple([z.string(), z.number()]) }))],
  ])("sends %s unchanged, without strict mode", (_, schema) => {
    expect(strictFormat(schema)).toEqual({ strict: false, schema });
  });
});

it.each(["chat", "responses"] as const)(
  "omits null optional fields from the output, over the %s API",
  async (api) => {
    let sent: Record<string, unknown> = {};
    const answer = '{"name":"Ada","nick":null,"note":null}';
    const events =
      api === "chat"
        ? [{ choices: [{ index: 0, delta: { content: answer }, finish_reason: "stop" }] }]
        : [
            {
              type: "response.output_item.added",
              output_index: 0,
              item: { type: "message", id: "m", content: [] },
            },
            { type: "response.output_text.delta", item_id: "m", output_index: 0, delta: answer },
            {
              type: "response.completed",
              response: {
                status: "completed",
                output: [
                  { type: "message", id: "m", content: [{ type: "output_text", text: answer }] },
                ],
              },
            },
          ];
    const provider = new OpenAIProvider({
      apiKey: "k",
      dangerouslyAllowBrowser: true,
      model: "m",
      api,
      baseURL: "https://model.example/v1",
      fetch: async (url, init) => {
        sent = (await new Request(url, init).json()) as Record<string, unknown>;
        const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
        return new Response(`${body}data: [DONE]\n\n`, {
          headers: { "content-type": "text/event-stream" },
        });
      },
    });
    const person = z.object({
      name: z.string(),
      nick: z.string().optional(),
      note: z.string().nullable(),
    });
    const { output, error, rounds } = await new Robota({ provider }).run("Who?", {
      responseFormat: person,
    });
    expect({ output, error, rounds }).toEqual({
      output: { name: "Ada", note: null },
      error: undefined,
      rounds: 1,
    });
    const format = { required: ["name", "nick", "note"] };
    expect(sent).toMatchObject(
      api === "chat"
        ? { response_format: { json_schema: { strict: true, schema: format } } }
        : { text: { format: { strict: true, schema: format } } },
    );
  },
);
