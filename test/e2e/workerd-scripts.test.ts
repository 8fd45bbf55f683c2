import type { ShellResult } from "@robota/runtime/ports";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scriptCases, scriptFiles } from "../support/script-cases.ts";
import { startWorkerd, type Workerd } from "./workerd.ts";

let workerd: Workerd;

beforeAll(async () => {
  workerd = await startWorkerd({ entry: "test/workerd/scripts-worker.ts", objects: {} });
});
afterAll(() => workerd[Symbol.asyncDispose]());

async function run(command: string, cwd = "/code"): Promise<ShellResult> {
  const body = JSON.stringify({ files: scriptFiles, command, cwd });
  const response = await fetch(workerd.url, { method: "POST", body });
  const result: ShellResult = await response.json();
  return result;
}

it.each(Object.entries(scriptCases))(
  "runs %s in a worker as on other hosts",
  async (command, [stdout, stderr = /^$/, exitCode = 0, cwd]) => {
    const result = await run(command, cwd);
    expect(result.stdout, result.stderr).toEqual(
      typeof stdout === "string" ? stdout : expect.stringMatching(stdout),
    );
    expect(result.stderr).toMatch(stderr);
    expect(result.exitCode).toBe(exitCode);
  },
);

it("ends a computing script in a worker soon after an abort", async () => {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && best > 250; attempt++) {
    const asked = { files: scriptFiles, command: "js -e 'for (;;);'", cwd: "/code", abortMs: 150 };
    const response = await fetch(workerd.url, { method: "POST", body: JSON.stringify(asked) });
    const result: ShellResult & { lateMs: number } = await response.json();
    expect(result.exitCode).toBe(130);
    best = Math.min(best, result.lateMs);
  }
  expect(best).toBeLessThan(250);
});
