import { expect, it } from "vitest";
import { nameHint, nearNames } from "./near-names.ts";

const known = ["translate", "summarize", "review-code", "Plan"];

it("finds names by a typo, another case or a part", () => {
  expect(nearNames("transalte", known)).toEqual(["translate"]);
  expect(nearNames("plan", known)).toEqual(["Plan"]);
  expect(nearNames("review", known)).toEqual(["review-code"]);
  expect(nearNames("quaternion", known)).toEqual([]);
  expect(nearNames("", known)).toEqual([]);
});

it("suggests near names, or else all names", () => {
  expect(nameHint("sumarize", known)).toBe("Did you mean summarize?");
  expect(nameHint("quaternion", known)).toBe("There are translate, summarize, review-code, Plan.");
  expect(nameHint("plan", [])).toBe("There is none yet.");
});
