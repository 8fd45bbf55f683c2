import { expect, it } from "vitest";
import type { JsonObject, ToolArgs } from "../messages/message.ts";
import { invalidArgumentsText, validateArgs } from "./validate-args.ts";

const parameters: JsonObject = {
  type: "object",
  properties: {
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: { oldString: { type: "string" }, line: { type: "integer", minimum: 1 } },
        required: ["oldString"],
        additionalProperties: false,
      },
    },
    mode: { enum: ["fast", "slow"] },
    "a/b": { $ref: "#/$defs/name" },
  },
  $defs: { name: { type: "string", pattern: "^x" } },
  required: ["edits"],
  additionalProperties: false,
};

async function problems(args: ToolArgs): Promise<string[]> {
  const result = await validateArgs({ parameters }, args);
  return result.ok ? [] : result.problems;
}

it("hands valid arguments on as they are", async () => {
  const args = { edits: [{ oldString: "a", line: 1 }], mode: "fast", "a/b": "xyz" };
  expect(await validateArgs({ parameters }, args)).toEqual({ ok: true, args });
});

it("names each problem once, with its place", async () => {
  expect(await problems({})).toEqual(["/edits: required"]);
  expect(
    await problems({ edits: [{ line: 0 }, { oldString: 5 }, { oldString: "", x: 1 }] }),
  ).toEqual([
    "/edits/0/oldString: required",
    "/edits/0/line: 0 is less than 1. (minimum: 1)",
    "/edits/1/oldString: must be of type string, not number",
    "/edits/2/x: unknown property",
  ]);
  expect(await problems({ edits: [], mode: "medium" })).toEqual([
    '/mode: must be one of "fast", "slow"',
  ]);
  expect(await problems({ edits: [], "a/b": "y" })).toEqual([
    "/a~1b: String does not match pattern. (pattern: ^x)",
  ]);
});

it("coerces nothing", async () => {
  expect(await problems({ edits: "[]" })).toEqual(["/edits: must be of type array, not string"]);
  expect(await problems({ edits: [{ oldString: "a", line: "1" }] })).toEqual([
    "/edits/0/line: must be of type integer, not string",
  ]);
  expect(await problems({ edits: null })).toEqual(["/edits: must be of type array, not null"]);
});

it("takes an undefined argument as left out", async () => {
  expect(await problems({ edits: [], mode: undefined })).toEqual([]);
});

it("prefers the tool's own check", async () => {
  const validate = (args: ToolArgs) => ({ ok: true as const, args: { ...args, limit: 10 } });
  expect(await validateArgs({ parameters, validate }, {})).toEqual({
    ok: true,
    args: { limit: 10 },
  });
});

it("shows the model the problems and the schema", () => {
  const text = invalidArgumentsText({ name: "MultiEdit", parameters }, ["/edits: required"]);
  expect(text).toContain("MultiEdit");
  expect(text).toContain("- /edits: required");
  expect(text).toContain(JSON.stringify(parameters));
});

it("stops listing problems when there are very many", () => {
  const many = Array.from({ length: 500 }, (_, index) => `/edits/${index}/oldString: required`);
  const text = invalidArgumentsText({ name: "MultiEdit", parameters }, many);
  expect(text.split("\n- ")).toHaveLength(12);
  expect(text).toContain("490 more");
});
