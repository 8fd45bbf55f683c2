import { expect, it } from "vitest";
import { entriesInOrder } from "./map-order.ts";

it("lists keys as bash does, whatever the order in which they were set", () => {
  const keys = ["foo", "zz", "x y", "a", "k", "é", "key10", "key9"];
  const listed = (names: readonly string[]): string[] =>
    entriesInOrder(new Map(names.map((name) => [name, ""]))).map(([key]) => key);
  expect(listed(keys)).toEqual(listed(keys.toReversed()));
  expect(listed(keys).join("|")).toBe("k|a|zz|foo|key9|x y|key10|é");
});
