import { expect, it } from "vitest";
import { createCommandGuard, refusesCommandOf } from "./command-guard.ts";

const call = (words: readonly string[], cwd = "/code") => ({
  words,
  cwd,
  assignments: [],
  redirections: [],
});

it("has no check without rules and without another check", () => {
  expect(refusesCommandOf(undefined, undefined)).toBeUndefined();
});

it.each([
  ["both", "own", "other", "own"],
  ["the rules alone", "own", undefined, "own"],
  ["the other one alone", undefined, "other", "other"],
  ["neither", undefined, undefined, undefined],
])("refuses what %s refuses", async (_, own, other, reason) => {
  const rules = { refusesCommand: () => own };
  expect(refusesCommandOf(rules, () => other)?.(["rm"], "/code")).toBe(reason);
  expect(refusesCommandOf(rules, undefined)?.(["rm"], "/code")).toBe(own);
  expect(refusesCommandOf(undefined, async () => other)?.(["rm"], "/code")).toBeInstanceOf(Promise);
});

it.each([
  [
    ["/usr/bin/rm", "x"],
    "/code",
    [
      ["/usr/bin/rm", "x"],
      ["rm", "x"],
    ],
  ],
  [["../bin/rm"], "/code", [["../bin/rm"], ["rm"]]],
  [["/code/rm"], "/code", [["/code/rm"]]],
  [["rm"], "/bin", [["rm"]]],
  [[], "/code", [[]]],
])("asks about %j in %s", async (words, cwd, expected) => {
  const asked: (readonly string[])[] = [];
  const guard = createCommandGuard((given, place) => {
    expect(place).toBe(cwd);
    asked.push(given);
    return undefined;
  });
  expect(await guard.refuses(call(words, cwd))).toBeUndefined();
  expect(asked).toEqual(expected);
});

it.each(["rm", "/bin/rm"])(
  "gives the first reason to refuse /bin/rm, here for %s",
  async (refused) => {
    const guard = createCommandGuard(async ([word]) =>
      word === refused ? `no ${word}` : undefined,
    );
    expect(await guard.refuses(call(["/bin/rm"]))).toBe(`no ${refused}`);
  },
);
