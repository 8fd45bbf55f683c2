import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const source = ["--conditions=@robota/source"];

it("runs the example for Node: it requests approval, changes the file, and reports so", async () => {
  const { stdout } = await run(process.execPath, [...source, "examples/node/main.ts"], {
    cwd: root,
  });
  expect(stdout).toContain("[Edit asks:");
  expect(stdout).toContain("Hello, world!");
});

describe("the README's programs for Node, verbatim,", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const programs = readme
    .split("```ts\n")
    .slice(1)
    .map((rest) => rest.slice(0, rest.indexOf("\n```\n") + 1))
    .filter((program) => program.includes('from "@robota/adapters-node"'));

  /** Runs one beside the example, where the packages resolve; its home is not the person's. */
  async function runProgram(program: string): Promise<{ stdout: string; stderr: string }> {
    const folder = await mkdtemp(join(root, "examples/node/readme-"));
    try {
      await writeFile(join(folder, "program.ts"), program);
      const env = { ...process.env, HOME: folder };
      return await run(process.execPath, [...source, "program.ts"], { cwd: folder, env });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it("are a question in five lines, and a session", () => {
    expect(programs).toHaveLength(2);
    expect(programs[0]).toContain("createQuery");
    expect(programs[1]).toContain("InteractiveSession");
  });

  it.each(programs)("run", async (program) => {
    expect((await runProgram(program)).stdout).toContain("program.ts");
  });

  it("report a failed turn", async () => {
    const failing = programs[1]?.replace('"list **/*.ts"', '"fail 429"') ?? "";
    const { stderr } = await runProgram(failing);
    expect(stderr).toContain("RATE_LIMIT_ERROR: ");
  });

  it("warn of an unanswered request, where Node would exit silently", async () => {
    const silent =
      programs[1]
        ?.replace(/^session\.on\("permission_request".*$/m, "")
        .replace('"list **/*.ts"', '"run touch made"') ?? "";
    const ended = runProgram(silent);
    await expect(ended).rejects.toMatchObject({
      code: 13,
      stderr: expect.stringContaining("waits for permission to call Bash, and nothing listens"),
    });
  });
});
