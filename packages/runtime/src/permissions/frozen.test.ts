import { expect, it } from "vitest";
import type { ToolArgs } from "../messages/message.ts";
import { frozenArgs } from "./frozen.ts";

it("deep-copies plain data, so that judged arguments can't be changed", () => {
  const list: unknown[] = [{ a: 1 }, "b", null];
  const deep = { b: [1] };
  const bare: unknown = Object.assign(Object.create(null), { c: deep });
  const given: ToolArgs = { text: "a", nothing: null, list, nested: { deep }, bare };
  const frozen = frozenArgs(given);
  expect(frozen).toEqual({
    text: "a",
    nothing: null,
    list: [{ a: 1 }, "b", null],
    nested: { deep: { b: [1] } },
    bare: { c: { b: [1] } },
  });
  const before = JSON.stringify(frozen);
  const everything = (value: unknown): unknown[] =>
    typeof value === "object" && value !== null
      ? [value, ...Object.values(value).flatMap(everything)]
      : [];
  expect(everything(frozen)).toHaveLength(9);
  for (const part of everything(frozen)) expect(Object.isFrozen(part)).toBe(true);
  list.push("more");
  deep.b.push(2);
  expect(JSON.stringify(frozen)).toBe(before);
});

it("keeps other values of arguments as they are", () => {
  const date = new Date(0);
  const run = (): number => 1;
  const frozen = frozenArgs({ date, run });
  expect(Object.isFrozen(date)).toBe(false);
  expect(frozen).toMatchObject({ date, run });
  expect(Object.values(frozen)[0]).toBe(date);
});
