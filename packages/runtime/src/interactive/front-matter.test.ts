import { expect, it } from "vitest";
import { expectRatio } from "../../../../test/support/time/own-time.ts";
import { parseFrontMatter } from "./front-matter.ts";

const parsed = (yaml: string) => parseFrontMatter(`---\n${yaml}\n---\nBody\n`);

it("reads fields, and says what it can't read", async () => {
  expect(await parsed("name: a\n200: b\nlist: [x, { y: 1 }]")).toEqual({
    fields: new Map<string, unknown>([
      ["200", "b"],
      ["name", "a"],
      ["list", ["x", { y: 1 }]],
    ]),
    body: "Body",
  });
  expect(await parsed("a: b\na: c")).toEqual({
    problem: expect.stringContaining("a is there twice"),
  });
  expect(await parsed("a: &b c\nd: *b")).toEqual({ problem: expect.stringContaining("Alias") });
  expect(await parsed("a: [")).toEqual({ problem: expect.stringContaining("line") });
});

it.each(["? [", "{[", "[{? {", "? - "])(
  "refuses keys that are no texts, at once: %s",
  async (open) => {
    const close = Array.from(open)
      .toReversed()
      .map((mark) => (mark === "[" ? "]" : mark === "{" ? "}" : ""))
      .join("");
    const times = 600;
    expect(await parsed(open.repeat(times) + close.repeat(times))).toEqual({
      problem: expect.stringContaining("YAML"),
    });
  },
);

it("takes a time that grows with the number of keys", async () => {
  const map = (length: number): string =>
    `{${Array.from({ length }, (_, index) => String.fromCodePoint(0x4e_00 + index)).join(",")}}`;
  await expectRatio(
    30,
    () => parsed(map(7600)),
    () => parsed(map(760)),
  );
});
