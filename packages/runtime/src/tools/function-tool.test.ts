import { expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { createFunctionTool, createZodFunctionTool, FunctionTool } from "./function-tool.ts";
import type { ToolContext } from "./tool.ts";
import { validateArgs } from "./validate-args.ts";

const context = { cwd: "/code" } as ToolContext;

it("makes a tool of a function and a JSON Schema", async () => {
  const parameters = { type: "object", properties: { a: { type: "number" } } };
  const add = createFunctionTool<{ a: number; b: number }>(
    "add",
    "Adds",
    parameters,
    ({ a, b }) => a + b,
  );
  expect(add).toBeInstanceOf(FunctionTool);
  expect(add).toMatchObject({ name: "add", description: "Adds", parameters });
  expect(await add.execute({ a: 1, b: 2 }, context)).toEqual({ success: true, output: "3" });
});

it("returns text as is, other values as JSON, and full results unchanged", async () => {
  const returning = (value: unknown) =>
    createFunctionTool("t", "t", { type: "object" }, () => value as string).execute({}, context);
  expect((await returning("text")).output).toBe("text");
  expect((await returning({ a: [1, null] })).output).toBe('{"a":[1,null]}');
  expect((await returning(null)).output).toBe("null");
  expect((await returning(undefined)).output).toBe("");
  const result = { success: false, output: "no", error: "no", errorCode: "denied" };
  expect(await returning(result)).toBe(result);
});

it("passes the context to the function, and its errors through", async () => {
  const tool = createFunctionTool("t", "t", { type: "object" }, (_, { cwd }) => cwd);
  expect((await tool.execute({}, context)).output).toBe("/code");
  const failing = createFunctionTool("t", "t", { type: "object" }, () => {
    throw new Error("no such city");
  });
  await expect(failing.execute({}, context)).rejects.toThrow("no such city");
});

it("describes and validates arguments by a zod schema", async () => {
  const schema = z.object({ city: z.string().describe("Its name"), days: z.int().default(3) });
  const weather = createZodFunctionTool("weather", "Weather", schema, ({ city, days }, { cwd }) => {
    return `${city} ${days.toFixed(0)} ${cwd}`;
  });
  expect(weather.parameters).toEqual({
    type: "object",
    properties: {
      city: { type: "string", description: "Its name" },
      days: expect.objectContaining({ type: "integer", default: 3 }),
    },
    required: ["city"],
  });

  const checked = await validateArgs(weather, { city: "Bern" });
  expect(checked).toEqual({ ok: true, args: { city: "Bern", days: 3 } });
  expect(await weather.execute({ city: "Bern", days: 3 }, context)).toEqual({
    success: true,
    output: "Bern 3 /code",
  });
});

it("locates an argument that a schema refuses", async () => {
  const schema = z.object({ edits: z.array(z.object({ oldString: z.string() })) });
  const tool = createZodFunctionTool("edit", "Edits", schema, () => "");
  const result = await validateArgs(tool, { edits: [{}] });
  expect(result).toEqual({
    ok: false,
    problems: [expect.stringMatching(/^\/edits\/0\/oldString: /)],
  });
});

it("refuses a schema that cannot be sent to a model", () => {
  const make = (schema: Parameters<typeof createZodFunctionTool>[2]) => () =>
    createZodFunctionTool("t", "t", schema, () => "");
  expect(make(z.string())).toThrow(/object/);
  expect(make(z.object({ when: z.date() }))).toThrow(/JSON Schema/);
});

it.each([
  ["without a JSON Schema of its own", z3.object({ city: z3.string() })],
  ["that is none at all", { city: "string" }],
  ["that is missing", undefined],
])("describes a schema %s in its own words", (_, schema) => {
  // @ts-expect-error -- only a program that no compiler checked gives these
  expect(() => createZodFunctionTool("weather", "Weather", schema, () => "")).toThrow(
    expect.objectContaining({
      code: "CONFIGURATION_ERROR",
      message: "The schema of tool weather has no JSON Schema form",
      hint: expect.stringContaining("zod 4.2"),
    }),
  );
});
