import { MemoryFileSystem } from "@robota/runtime/virtual";
import { sampleProject } from "@robota/runtime/providers/offline";
import { expect, it } from "vitest";
import { prepareSample, resetSample } from "./sample.ts";

const text = async (fs: MemoryFileSystem, path: string): Promise<string> =>
  new TextDecoder().decode(await fs.readFile(`/workspace/${path}`));

it("gives each card the sample as it was, and leaves what a person has written", async () => {
  const fs = new MemoryFileSystem();
  await prepareSample(fs);
  const rules = sampleProject.files["src/rules.js"] ?? "";
  expect(await text(fs, "src/rules.js")).toBe(rules);

  const fixed = rules.replace("[^a-z0-9]/g", "[^a-z0-9]+/g");
  expect(fixed).not.toBe(rules);
  await fs.writeFile("/workspace/src/rules.js", fixed);
  await fs.writeFile("/workspace/README.md", "Mine");
  await fs.remove("/workspace/src/slug.js");
  await prepareSample(fs);
  expect(await text(fs, "src/rules.js")).toBe(rules);
  expect(await text(fs, "src/slug.js")).toBe(sampleProject.files["src/slug.js"]);
  expect(await text(fs, "README.md")).toBe("Mine");

  await fs.writeFile("/workspace/own.txt", "Own");
  await resetSample(fs);
  expect(await text(fs, "README.md")).toBe(sampleProject.files["README.md"]);
  expect(await text(fs, "own.txt")).toBe("Own");
});
