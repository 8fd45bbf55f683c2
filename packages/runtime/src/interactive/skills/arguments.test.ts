import { expect, it } from "vitest";
import { withArguments } from "./arguments.ts";

it.each([
  ["Deploy to $ARGUMENTS.", "staging now", "Deploy to staging now."],
  ["$1, then $2, then $3.", "one two", "one, then two, then ."],
  ["$1|$2|$3", `"two words" 'and these' "a \\"quote\\""`, 'two words|and these|a "quote"'],
  ["$ARGUMENTS and $ARGUMENTS", "x", "x and x"],
  ["Nothing to fill in.", "x y", "Nothing to fill in.\n\nArguments: x y"],
  ["Nothing to fill in.", "", "Nothing to fill in."],
  ["$1", "", ""],
  ["Costs $10, $ARGUMENTSX, $0, ${1}", "x", "Costs $10, $ARGUMENTSX, $0, ${1}\n\nArguments: x"],
])("expands %j to %j", (body, args, expected) => {
  expect(withArguments(body, args)).toBe(expected);
});

it("inserts arguments literally, without expanding or running them", () => {
  const hostile = "$1 $2 $ARGUMENTS $& $$ $` !`rm -rf ~` @/etc/passwd $(id) `id`";
  expect(withArguments("Do $ARGUMENTS now", hostile)).toBe(`Do ${hostile} now`);
  expect(withArguments("$1 $2", "$2 $1")).toBe("$2 $1");
  expect(withArguments("!`cat x` @README.md $1", "y")).toBe("!`cat x` @README.md y");
});
