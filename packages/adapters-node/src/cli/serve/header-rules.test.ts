import { expect, it } from "vitest";
import { headersFor, parseHeaderRules } from "./header-rules.ts";

const rules = parseHeaderRules(`# For every file.
/*
  X-Frame-Options: DENY
  Referrer-Policy: no-referrer

/assets/*
  Cache-Control: public, max-age=31536000, immutable

/preview*
  ! X-Frame-Options
  X-Note: a: b

/exact
  X-Exact: yes
`);

it("gives a path the headers of all rules that it matches", () => {
  expect([...headersFor(rules, "/assets/a.js")]).toEqual([
    ["X-Frame-Options", "DENY"],
    ["Referrer-Policy", "no-referrer"],
    ["Cache-Control", "public, max-age=31536000, immutable"],
  ]);
  expect(headersFor(rules, "/exact/").has("X-Exact")).toBe(false);
  expect(headersFor(rules, "/exact").get("X-Exact")).toBe("yes");
});

it("takes headers away that an earlier rule gave", () => {
  expect([...headersFor(rules, "/preview.html")]).toEqual([
    ["Referrer-Policy", "no-referrer"],
    ["X-Note", "a: b"],
  ]);
});
