import { describe, expect, it } from "vitest";
import { isInlineImage, linkTarget } from "./links.ts";

describe("linkTarget", () => {
  it("follows web and mail addresses", () => {
    expect(linkTarget("https://example.com/a?b#c")).toEqual({
      kind: "external",
      url: "https://example.com/a?b#c",
    });
    expect(linkTarget("mailto:a@example.com").kind).toBe("external");
  });

  it("resolves relative addresses to files of the workspace", () => {
    expect(linkTarget("src/a%20b.js")).toEqual({ kind: "path", path: "/src/a b.js" });
    expect(linkTarget("./src/../README.md#top")).toEqual({ kind: "path", path: "/README.md" });
    expect(linkTarget("/workspace/x.js")).toEqual({ kind: "path", path: "/workspace/x.js" });
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://example.com/1",
    "#fragment",
    "%",
  ])("does not follow %j", (href) => {
    expect(linkTarget(href).kind).not.toBe("external");
    if (href !== "%") expect(linkTarget(href)).toEqual({ kind: "none" });
  });

  it("recognizes addresses without a protocol that leave the page", () => {
    expect(linkTarget("//evil.example/x").kind).toBe("external");
    expect(linkTarget("\\\\evil.example/x").kind).toBe("external");
  });
});

it("shows only inline images, and none of a document type", () => {
  expect(isInlineImage("data:image/png;base64,AAAA")).toBe(true);
  expect(isInlineImage("data:image/svg+xml;base64,AAAA")).toBe(false);
  expect(isInlineImage("https://example.com/a.png")).toBe(false);
});
