import { expect, it } from "vitest";
import { replaceInCss, replaceInSrcset, resolveReference } from "./references.ts";

const from = "/w/site/index.html";
const pathOf = (text: string) => {
  const found = resolveReference(text, from, "/w");
  return found?.kind === "file" ? found.path : found?.kind;
};

it("finds files beside the page and from the workspace's root, never out of it", () => {
  expect(pathOf("a%20b.css?v=1#x")).toBe("/w/site/a b.css");
  expect(pathOf("../img/x.png")).toBe("/w/img/x.png");
  expect(pathOf("/img/x.png")).toBe("/w/img/x.png");
  expect(pathOf("100%.png")).toBe("/w/site/100%.png");
  for (const text of ["../../etc/passwd", "", "#top", "data:,x", "..", "JavaScript:alert(1)"])
    expect(pathOf(text), text).toBeUndefined();
  for (const text of ["https://x.example/a.js", "//x.example/a.js", "file:///etc/passwd"])
    expect(pathOf(text), text).toBe("remote");
});

it("replaces the addresses of a style sheet, but nothing in its comments and strings", async () => {
  const css = `@import "b.css" screen; /* url(no.png) */
a { background: url( 'x y.png' ), url(z.png); content: "url(no.png) \\" url(no.png)"; }
@import url(c.css); b { src: url(remote) }`;
  const replace = async (reference: string) =>
    reference === "remote" ? undefined : `<${reference}>`;
  expect(await replaceInCss(css, replace)).toBe(`@import url("<b.css>") screen; /* url(no.png) */
a { background: url("<x y.png>"), url("<z.png>"); content: "url(no.png) \\" url(no.png)"; }
@import url("<c.css>"); b { src: url(remote) }`);
});

it("replaces the candidates of a srcset", async () => {
  const replace = async (reference: string) => (reference === "b.png" ? "data:,b" : undefined);
  expect(await replaceInSrcset("a.png, b.png 2x,c.png 300w", replace)).toBe(
    "a.png, data:,b 2x, c.png 300w",
  );
});
