import { expect, it } from "vitest";
import type { JsonObject, ToolArgs } from "../messages/message.ts";
import { invalidArgumentsText, uncheckedPatterns, validateArgs } from "./validate-args.ts";
import { expectWithin } from "../../../../test/support/time/own-time.ts";

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

it("returns valid arguments unchanged", async () => {
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

it("treats an undefined argument as omitted", async () => {
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

it("limits the number of listed problems", () => {
  const many = Array.from({ length: 500 }, (_, index) => `/edits/${index}/oldString: required`);
  const text = invalidArgumentsText({ name: "MultiEdit", parameters }, many);
  expect(text.split("\n- ")).toHaveLength(12);
  expect(text).toContain("490 more");
});

function textSchema(schema: JsonObject): JsonObject {
  return { type: "object", properties: { text: schema } };
}

it.each<[JsonObject, string]>([
  [{ pattern: "^(a+)+$" }, "a".repeat(40)],
  [{ $ref: "#/hidden" }, "a".repeat(40)],
  [{ format: "url" }, `http://${"a".repeat(40)}`],
  [{ pattern: "^(a+)+$", format: "email" }, "a".repeat(40)],
])("takes linear time for %j", async (schema, start) => {
  const whole = { ...textSchema(schema), hidden: { pattern: "^(a|a)*$" } };
  await expectWithin(60_000, async () => {
    expect(await validateArgs({ parameters: whole }, { text: `${start}<` })).toMatchObject({
      ok: false,
    });
    // The host's engine takes hours.
  });
});

it("checks patterns of both engines", async () => {
  const check = async (pattern: string, text: string): Promise<boolean> =>
    (await validateArgs({ parameters: textSchema({ pattern }) }, { text })).ok;
  expect(await check("^(a+)+$", "aaa")).toBe(true);
  expect(await check("^(?<year>\\d{4})-\\u0041$", "2026-A")).toBe(true);
  expect(await check("^(?<year>\\d{4})-\\u0041$", "2026-B")).toBe(false);
  expect(await check("^[a-z]+$", `${"a".repeat(5000)}1`)).toBe(false);
  expect(await check("^[a-z]+$", "a".repeat(5000))).toBe(true);
  expect(
    await validateArgs({ parameters: textSchema({ pattern: "^(x+)+$" }) }, { text: "y" }),
  ).toEqual({ ok: false, problems: ["/text: String does not match pattern. (pattern: ^(x+)+$)"] });
  const both = textSchema({ pattern: "^(x@)+y$", format: "email" });
  expect((await validateArgs({ parameters: both }, { text: "x@y" })).ok).toBe(true);
  expect((await validateArgs({ parameters: both }, { text: "z@y" })).ok).toBe(false);
});

it("accepts any text for a pattern that can't be checked in linear time, and names the pattern", async () => {
  const pattern = "^(?!a)(b+)+$";
  const schemas: JsonObject[] = [
    { pattern },
    { not: { pattern } },
    { oneOf: [{ pattern }, { type: "string" }] },
    Object.fromEntries([["if", { pattern }], ...["then", "else"].map((key) => [key, false])]),
    { pattern: "(" },
  ];
  for (const schema of schemas) {
    const parameters = textSchema(schema);
    expect(await validateArgs({ parameters }, { text: "abc" })).toMatchObject({ ok: true });
    expect(await uncheckedPatterns(parameters)).toHaveLength(1);
  }
  expect(await uncheckedPatterns(textSchema({ pattern: "^(a+)+$" }))).toEqual([]);
});

it("checks property names only by safe patterns, and only short ones", async () => {
  const named = (pattern: string): JsonObject => ({
    type: "object",
    patternProperties: { [pattern]: { type: "number" } },
    additionalProperties: false,
  });
  const check = async (pattern: string, name: string, value: unknown): Promise<boolean> =>
    (await validateArgs({ parameters: named(pattern) }, { [name]: value })).ok;
  expect(await check("^x-", "x-1", 1)).toBe(true);
  expect(await check("^x-", "x-1", "1")).toBe(false);
  expect(await check("^x-", "y", 1)).toBe(false);
  expect(await check("^(a+)+$", `${"a".repeat(40)}!`, 1)).toBe(true);
  expect(await check("^.*.*.*.*!$", "a".repeat(100_000), 1)).toBe(false);
  expect(await uncheckedPatterns(named("^(a+)+$"))).toEqual(["^(a+)+$"]);
});

it("ignores unknown formats", async () => {
  for (const format of ["__proto__", "constructor", "mine"]) {
    const parameters = textSchema({ format });
    expect(await validateArgs({ parameters }, { text: "x" })).toMatchObject({ ok: true });
  }
});
