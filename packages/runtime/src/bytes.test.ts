import { expect, it } from "vitest";
import { isBase64 } from "./bytes.ts";

it.each(["", "AA", "AAA", "AAA=", "AA==", "+/09"])("takes %j for Base64, as atob does", (text) => {
  expect(isBase64(text)).toBe(true);
  expect(() => atob(text)).not.toThrow();
});

it.each(["A", "AAAAA", "AA=", "AAAA=", "=A", "A===", "A=A=", "A B", "A\n", "data:,", "é"])(
  "does not take %j for Base64",
  (text) => {
    expect(isBase64(text)).toBe(false);
  },
);

it("takes megabytes", () => {
  expect(isBase64("A".repeat(20_000_000))).toBe(true);
});
