import { expect, it } from "vitest";
import { findJsonProblem, MAX_JSON_LENGTH } from "./strict-json.ts";

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

it.each([
  "{}",
  ' { "a" : [ 1 , -2.5e3, true, null, "x\\u00e9\\n\\"😀" ] , "b":{"a":{}} }\n',
  '"\u007f \u2028"',
  "9007199254740991",
  "0.1",
  "1e300",
  '{"__proto__":1,"constructor":{"__proto__":[]}}',
  nested(64),
])("finds no problem in %j", (text) => {
  expect(findJsonProblem(text)).toBeUndefined();
  expect(() => JSON.parse(text) as unknown).not.toThrow();
});

it.each([
  ['{"a":1,"b":{"c":[0,{"d":1,"d":2}]}}', "/b/c/1", 26, "twice"],
  ['{"a":1,"\\u0061":2}', "", 7, "twice"],
  ['{"a":1,}', "", 7, "double quotes"],
  ["[1,]", "/1", 3, "expected a value"],
  ["{'a':1}", "", 1, "double quotes"],
  ['{"a":NaN}', "/a", 5, "expected a value"],
  ['{"a":Infinity}', "/a", 5, "expected a value"],
  ['{"a/b~":undefined}', "/a~1b~0", 8, "expected a value"],
  ['{"a":"x', "/a", 5, "not closed"],
  ['{"a":"x\ny"}', "/a", 5, "not escaped"],
  ['{"a":1', "", 6, "but the text ends"],
  ['{"a" 1}', "", 5, 'expected ":"'],
  ['{"a":1}}', "", 7, "behind the value"],
  ["\ufeff{}", "", 0, "expected a value"],
  ["[01]", "", 2, 'expected "," or "]"'],
  ["// a\n{}", "", 0, "expected a value"],
  ["", "", 0, "but the text ends"],
  ['{"id":12345678901234567890}', "/id", 6, "give it as text"],
  ["[1e999]", "/0", 1, "give it as text"],
  ['["\\ud800"]', "/0", 1, "surrogate"],
  [nested(65), "/0".repeat(64), 64, "64 levels"],
  [nested(100_000), "/0".repeat(64), 64, "64 levels"],
])("locates the problem in %j", (text, pointer, offset, problem) => {
  expect(findJsonProblem(text)).toEqual({
    pointer,
    offset,
    problem: expect.stringContaining(problem),
  });
});

it("does not examine texts over a million characters", () => {
  const text = (length: number): string => JSON.stringify("x".repeat(length - 2));
  expect(findJsonProblem(text(MAX_JSON_LENGTH))).toBeUndefined();
  expect(findJsonProblem(text(MAX_JSON_LENGTH + 1))?.problem).toContain("1,000,000");
});

it("agrees with JSON.parse on invalid JSON", () => {
  const sound = '{"a":[1,-2.5e3,true,null,"x\\u00e9 \\n"],"b":{"c":""}}';
  const pieces = '{}[],:"\\ -+.e019tnx'.split("");
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  const disagreements: string[] = [];
  for (let round = 0; round < 3000; round++) {
    let text = sound;
    for (let change = random(3); change >= 0; change--) {
      const at = random(text.length + 1);
      text = text.slice(0, at) + (pieces[random(pieces.length)] ?? "") + text.slice(at + random(2));
    }
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    const problem = findJsonProblem(text)?.problem ?? "";
    const isOnlyUnclear = /twice|exact|surrogate/.test(problem);
    if (isJson !== (problem === "" || isOnlyUnclear)) disagreements.push(text);
  }
  expect(disagreements).toEqual([]);
});
