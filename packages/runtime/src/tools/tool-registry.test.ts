import { describe, expect, it } from "vitest";
import type { JsonObject } from "../messages/message.ts";
import { createFunctionTool } from "./function-tool.ts";
import type { Tool } from "./tool.ts";
import { toolProblems, ToolRegistry } from "./tool-registry.ts";

const tool = (name: string, parameters: JsonObject = { type: "object" }): Tool =>
  createFunctionTool(name, "Does it", parameters, () => "done");

describe("a tool registry", () => {
  it("finds tools by name and lists them in insertion order", () => {
    const registry = new ToolRegistry([tool("read")]).register(tool("write"));
    expect(registry.get("read")?.name).toBe("read");
    expect(registry.list().map(({ name }) => name)).toEqual(["read", "write"]);
    expect(registry.schemas()[0]).toEqual({
      name: "read",
      description: "Does it",
      parameters: { type: "object" },
    });
    expect([
      registry.unregister("read"),
      registry.has("read"),
      registry.unregister("read"),
    ]).toEqual([true, false, false]);
  });

  it("refuses a second tool of the same name", () => {
    const registry = new ToolRegistry([tool("read")]);
    expect(() => registry.register(tool("read"))).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR", hint: expect.stringMatching(/\S/) }),
    );
  });

  it("suggests near names for a missing tool", () => {
    const registry = new ToolRegistry([tool("weather"), tool("calendar")]);
    expect(registry.get("wether")).toBeUndefined();
    expect(() => registry.lookup("wether")).toThrow(
      expect.objectContaining({ hint: "Did you mean weather?" }),
    );
  });

  it("refuses a tool that providers would refuse, and lists all problems", () => {
    const bad = {
      ...tool("two words"),
      description: " ",
      parameters: { type: "array", properties: { a: { type: "text" } }, required: ["b"] },
    };
    expect(() => new ToolRegistry().register(bad)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR" }),
    );
    expect(toolProblems(bad)).toEqual([
      "its name is not 1 to 64 letters, digits, _ or -",
      "it has no description",
      'parameters: type is not "object"',
      'parameters: "b" is required but not among the properties',
      'parameters/properties/a: "text" is not a JSON type',
    ]);
  });

  it("validates nested schemas", () => {
    const parameters: JsonObject = {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "objekt" } },
        either: { anyOf: [{ type: ["string", "null"] }, 5] },
        deep: { type: "object", required: "all", properties: [] },
        any: true,
      },
      $defs: { node: { type: "knot" } },
    };
    expect(toolProblems({ name: "t", description: "t", parameters })).toEqual([
      'parameters/properties/list/items: "objekt" is not a JSON type',
      "parameters/properties/either/anyOf/1: not a schema",
      "parameters/properties/deep/required: not a list of names",
      "parameters/properties/deep/properties: not an object",
      'parameters/$defs/node: "knot" is not a JSON type',
    ]);
  });
});
