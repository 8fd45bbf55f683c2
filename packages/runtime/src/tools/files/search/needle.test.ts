import * as fc from "fast-check";
import { expect, it } from "vitest";
import { findByNeedle } from "./needle.ts";

it("agrees with the host's own search, from any position", () =>
  fc.assert(
    fc.property(
      // Few letters, so that there are many near misses.
      fc.string({ unit: fc.constantFrom("e", "x", "Q", "\n"), minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom("e", "x", "Q", "\n"), maxLength: 60 }),
      fc.nat({ max: 64 }),
      (text, many, from) => {
        expect(findByNeedle(text)(many, from)).toBe(many.indexOf(text, from));
      },
    ),
    { numRuns: 2000 },
  ));

it("finds a text whose rarest letter is everywhere", () => {
  const many = `${"QeQeQxQe".repeat(50_000)}QQx`;
  expect(findByNeedle("QQ")(many, 0)).toBe(many.length - 3);
  expect(findByNeedle("QQe")(many, 0)).toBe(-1);
});
