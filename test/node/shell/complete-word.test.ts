import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";
import { completeWord } from "../../../apps/playground/src/shell/complete-word.ts";

const fs = new MemoryFileSystem({
  files: {
    "/w/README.md": "",
    "/w/src/slug.js": "",
    "/w/src/slugs.css": "",
    "/w/src/.hidden": "",
    "/w/two words/a": "",
    "/w/it's": "",
  },
});
const shell = new VirtualShell({ fs });
const run = async (command: string) => (await shell.exec(command, { cwd: "/w" })).stdout;

it.each([
  ["cat REA", "cat README.md ", []],
  ["mkdi", "mkdir ", []],
  ["ls | mkdi", "ls | mkdir ", []],
  ["cat s", "cat src/", []],
  ["cat src/s", "cat src/slug", []],
  ["cat src/slug", "cat src/slug", ["slug.js", "slugs.css"]],
  ["cat src/", "cat src/slug", []],
  ["cat src/.", "cat src/.hidden ", []],
  ["cat tw", String.raw`cat two\ words/`, []],
  [String.raw`cat two\ w`, String.raw`cat two\ words/`, []],
  ["cat it", String.raw`cat it\'s `, []],
  ["cat /w/REA", "cat /w/README.md ", []],
  ["./nothing", "./nothing", []],
  ["cat 'REA", "cat 'REA", []],
  ["cat $(nothing", "cat $(nothing", []],
])("completes %j to %j", async (before, completed, choices) => {
  expect(await completeWord(before, run)).toEqual({ before: completed, choices });
});

it("lists what a word can be", async () => {
  const { choices } = await completeWord("cat ", run);
  expect(choices).toEqual(["README.md", "it's", "src/", "two words/"]);
});
