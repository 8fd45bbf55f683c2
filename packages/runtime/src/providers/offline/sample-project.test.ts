import { expect, it } from "vitest";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { VirtualShell } from "@robota/shell";
import { parseCommand } from "./command.ts";
import { sampleProject } from "./sample-project.ts";

async function workspace(): Promise<{
  fs: MemoryFileSystem;
  check: () => Promise<{ exitCode: number; stdout: string }>;
}> {
  const fs = new MemoryFileSystem();
  for (const [path, content] of Object.entries(sampleProject.files)) {
    await fs.mkdir(`/code/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await fs.writeFile(`/code/${path}`, content);
  }
  const shell = new VirtualShell({ fs });
  return { fs, check: () => shell.exec("sh check.sh", { cwd: "/code" }) };
}

it("has a failing test that the guided prompt fixes", async () => {
  const { fs, check } = await workspace();
  const before = await check();
  expect(before.stdout).toContain("FAILED  Hello, World! -> hello--world (wanted hello-world)");
  expect(before.stdout).toContain("1 failed");
  expect(before.exitCode).toBe(1);

  const prompt = sampleProject.prompts.find(({ title }) => title === "Fix the failing test");
  const change = prompt?.commands.map(parseCommand).find((command) => command?.verb === "replace");
  if (change?.verb !== "replace") throw new Error("no change in the prompt");
  const path = `/code/${change.path}`;
  const rules = new TextDecoder().decode(await fs.readFile(path));
  expect(rules.split(change.from)).toHaveLength(2);
  await fs.writeFile(path, rules.replace(change.from, change.to));

  const after = await check();
  expect(after.stdout).toContain("0 failed");
  expect(after.exitCode).toBe(0);
});

it("uses only known commands in its prompts", () => {
  for (const { commands } of sampleProject.prompts) {
    for (const command of commands) expect(parseCommand(command), command).toBeDefined();
  }
});
