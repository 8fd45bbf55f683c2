import { expect, it } from "vitest";
import { changeAt, merged, parseValue, settingRows } from "./setting-rows.ts";

it("lists values with their layers, and hides those that may be keys", () => {
  const rows = settingRows({
    values: {
      language: "German",
      permissions: { allow: ["Bash(ls)"] },
      mcpServers: { "a.b": { url: "https://a.example", headers: { x: "secret" } } },
    },
    sources: {
      "mcpServers.a.b.url": "host",
      "mcpServers.a.b.headers": "host",
      language: ".robota/settings.json",
      "permissions.allow.0": "host",
    },
    warnings: [],
    trust: "not-needed",
  });
  expect(rows).toEqual([
    { path: "language", value: '"German"', layer: ".robota/settings.json" },
    { path: "mcpServers.a.b.headers", value: "hidden", layer: "host" },
    { path: "mcpServers.a.b.url", value: '"https://a.example"', layer: "host" },
    { path: "permissions.allow.0", value: '"Bash(ls)"', layer: "host" },
  ]);
});

it("makes a change of a path and a text", () => {
  expect(changeAt("permissions.defaultMode", parseValue("plan"))).toEqual({
    permissions: { defaultMode: "plan" },
  });
  expect(parseValue("12")).toBe(12);
  expect(parseValue('["Bash(ls)"]')).toEqual(["Bash(ls)"]);
  expect(merged({ a: { b: 1, c: 2 }, d: 1 }, { a: { c: 3 }, d: undefined })).toEqual({
    a: { b: 1, c: 3 },
    d: undefined,
  });
});
