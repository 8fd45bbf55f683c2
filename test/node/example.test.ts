import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const source = ["--conditions=@robota/source"];

it("runs the example for Node: it asks, changes the file, and says so", async () => {
  const { stdout } = await run(process.execPath, [...source, "examples/node/main.ts"], {
    cwd: root,
  });
  expect(stdout).toContain("[Edit asks:");
  expect(stdout).toContain("Hello, world!");
});

it("runs the first program of the README as it stands there", async () => {
  const [, program = ""] =
    /```ts\n([^`]*nodePlatform[^`]*)```/.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
  expect(program.split("\n").length).toBeGreaterThan(5);
  // Beside the example, where the packages resolve; its home is not the person's.
  const folder = await mkdtemp(join(root, "examples/node/readme-"));
  try {
    await writeFile(join(folder, "program.ts"), program);
    const env = { ...process.env, HOME: folder };
    const { stdout } = await run(process.execPath, [...source, "program.ts"], { cwd: folder, env });
    expect(stdout).toContain("program.ts");
  } finally {
    await rm(folder, { recursive: true });
  }
});
