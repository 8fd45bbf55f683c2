import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../messages/message.ts";
import { headerText, pairs, pathText, type ValueStyle } from "./serialize.ts";

const color = (style: string, explode: boolean, more: Partial<ValueStyle> = {}): ValueStyle => ({
  name: "color",
  style,
  explode,
  allowReserved: false,
  json: false,
  ...more,
});
const array = ["blue", "black", "brown"];
const object = { R: 100, G: 200, B: 150 };

/** The table "Style Examples" of the OpenAPI specification. */
const paths: [style: string, explode: boolean, value: JsonValue, expected: string][] = [
  ["matrix", false, "", ";color="],
  ["matrix", false, "blue", ";color=blue"],
  ["matrix", false, array, ";color=blue,black,brown"],
  ["matrix", false, object, ";color=R,100,G,200,B,150"],
  ["matrix", true, array, ";color=blue;color=black;color=brown"],
  ["matrix", true, object, ";R=100;G=200;B=150"],
  ["label", false, "blue", ".blue"],
  ["label", false, array, ".blue,black,brown"],
  ["label", false, object, ".R,100,G,200,B,150"],
  ["label", true, array, ".blue.black.brown"],
  ["label", true, object, ".R=100.G=200.B=150"],
  ["simple", false, "blue", "blue"],
  ["simple", false, array, "blue,black,brown"],
  ["simple", false, object, "R,100,G,200,B,150"],
  ["simple", true, array, "blue,black,brown"],
  ["simple", true, object, "R=100,G=200,B=150"],
];
const queries: [style: string, explode: boolean, value: JsonValue, expected: string][] = [
  ["form", false, "", "color="],
  ["form", false, "blue", "color=blue"],
  ["form", false, array, "color=blue,black,brown"],
  ["form", false, object, "color=R,100,G,200,B,150"],
  ["form", true, array, "color=blue&color=black&color=brown"],
  ["form", true, object, "R=100&G=200&B=150"],
  ["spaceDelimited", false, array, "color=blue%20black%20brown"],
  ["spaceDelimited", false, object, "color=R%20100%20G%20200%20B%20150"],
  ["pipeDelimited", false, array, "color=blue%7Cblack%7Cbrown"],
  ["pipeDelimited", false, object, "color=R%7C100%7CG%7C200%7CB%7C150"],
  ["deepObject", true, object, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"],
  ["form", false, [], ""],
  ["form", true, [], ""],
  [
    "deepObject",
    true,
    { a: { b: [1, 2] }, c: null },
    "color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2",
  ],
];

describe("a value in a path", () => {
  it.each(paths)("%s, explode %s, %j", (style, explode, value, expected) => {
    expect(pathText(color(style, explode), value)).toBe(expected);
  });

  it("can't leave its segment", () => {
    expect(pathText(color("simple", false), "a/b?c#d e%")).toBe("a%2Fb%3Fc%23d%20e%25");
    expect(pathText(color("simple", false), ["a,b", "c"])).toBe("a%2Cb,c");
  });
});

describe("a value in a query", () => {
  it.each(queries)("%s, explode %s, %j", (style, explode, value, expected) => {
    expect(pairs(color(style, explode), value).join("&")).toBe(expected);
  });

  it("keeps reserved characters where they are allowed, but none that would end the pair", () => {
    const value = "/a?b&c=d#e+f";
    expect(pairs(color("form", true), value)).toEqual(["color=%2Fa%3Fb%26c%3Dd%23e%2Bf"]);
    expect(pairs(color("form", true, { allowReserved: true }), value)).toEqual([
      "color=/a?b%26c%3Dd%23e%2Bf",
    ]);
  });

  it("is JSON when its media type says so, and inside lists", () => {
    expect(pairs(color("form", true, { json: true }), { a: 1 })).toEqual([
      "color=%7B%22a%22%3A1%7D",
    ]);
    expect(pairs(color("form", true), [{ a: 1 }])).toEqual(["color=%7B%22a%22%3A1%7D"]);
  });
});

it("serialises headers", () => {
  expect(headerText(color("simple", false), ["a b", true, 5])).toBe("a b,true,5");
});
