import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { Modules } from "./modules.ts";
import { WebFiles } from "./web-files.ts";

const decoded = (address = "") => atob(address.slice(address.indexOf(",") + 1));

it("leads from relative imports to the code of their modules, also around a circle", async () => {
  const fs = new MemoryFileSystem({
    files: {
      "/w/a.js": 'export { b } from "./lib/b.js"; export const a = "./lib/b.js"; // "./lib/b.js"',
      "/w/lib/b.js": 'import { a } from "../a.js"; export const b = () => import("./c.js");',
      "/w/lib/c.js": 'import "react"; import "./none.js"; import "https://x.example/d.js";',
    },
  });
  const files = new WebFiles(fs, "/w");
  const modules = new Modules(files);
  expect(await modules.rewrite('import "./a.js"', "/w/index.html")).toBe(
    'import "workspace:/w/a.js"',
  );
  expect(Object.keys(modules.imports).toSorted()).toEqual([
    "workspace:/w/a.js",
    "workspace:/w/lib/b.js",
    "workspace:/w/lib/c.js",
  ]);
  expect(decoded(modules.imports["workspace:/w/a.js"])).toBe(
    'export { b } from "workspace:/w/lib/b.js"; export const a = "./lib/b.js"; // "./lib/b.js"',
  );
  expect(decoded(modules.imports["workspace:/w/lib/b.js"])).toBe(
    'import { a } from "workspace:/w/a.js"; export const b = () => import("workspace:/w/lib/c.js");',
  );
  expect(decoded(modules.imports["workspace:/w/lib/c.js"])).toContain('import "./none.js"');
  expect(files.missing).toEqual(["./none.js"]);
});

it("gives a page no file of another kind, such as one with keys", async () => {
  const fs = new MemoryFileSystem({
    files: {
      "/w/.env": "KEY=1",
      "/w/notes.txt": "x",
      "/w/.css": "x",
      "/w/loop.css": '@import "loop.css";',
    },
  });
  const files = new WebFiles(fs, "/w");
  for (const name of [".env", "notes.txt", ".css", "../w/.env"])
    expect(await files.embed(name, "/w/index.html"), name).toBeUndefined();
  const sheet = await files.embed("loop.css", "/w/index.html");
  expect(decoded(sheet)).toBe('@import url("data:text/css,");');
});
