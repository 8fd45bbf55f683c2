import { contentText, createFunctionTool, InteractiveSession, type Tool } from "@robota/runtime";
import { dirname } from "@robota/runtime/ports";
import { type ToolMessage } from "@robota/runtime/providers";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect } from "vitest";
import type { Host } from "../hosts/host.ts";

type Call = [name: string, args: Record<string, unknown>];

/** The results that a session's model reads for these calls, one per round. */
async function callTools(
  { platform, cwd }: Host,
  calls: readonly Call[],
  tools?: Tool[],
): Promise<string[]> {
  const provider = new ScriptedProvider([
    ...calls.map(([name, args]) => ({ toolCalls: [{ name, args }] })),
    { text: "done" },
  ]);
  await using session = new InteractiveSession({
    platform,
    cwd,
    provider,
    permissionMode: "bypassPermissions",
    tools,
  });
  const { state, error } = await session.submit("go");
  expect(error).toBeUndefined();
  expect(state).toBe("complete");
  return session
    .getMessages()
    .filter((message): message is ToolMessage => message.role === "tool")
    .map(({ content }) => contentText(content));
}

/** A small task with all tools for files and commands; identical on every host, to the letter. */
export async function worksOnFiles(host: Host): Promise<void> {
  const { platform, cwd } = host;
  const results = await callTools(host, [
    ["Write", { filePath: "src/sum.ts", content: "export const sum = (a, b) => a - b;\n" }],
    ["Write", { filePath: ".gitignore", content: "dist\n" }],
    [
      "Bash",
      { command: "mkdir -p dist docs && echo 'sum of all' > dist/out.js && echo sum > docs/a.md" },
    ],
    ["Read", { filePath: "src/sum.ts" }],
    ["Edit", { filePath: "src/sum.ts", oldString: "a - b", newString: "a + b" }],
    ["Glob", { pattern: "**/*" }],
    ["Grep", { pattern: "su(m|b)\\b", outputMode: "content" }],
    ["Bash", { command: "cat src/sum.ts; echo problem >&2; exit 3" }],
    ["Edit", { filePath: "docs/a.md", oldString: "sum", newString: "total" }],
  ]);
  expect(results).toEqual([
    `Created ${cwd}/src/sum.ts (1 line).`,
    `Created ${cwd}/.gitignore (1 line).`,
    "(no output)",
    "     1\texport const sum = (a, b) => a - b;",
    `Edited ${cwd}/src/sum.ts (1 replacement).\n@@ -1,1 +1,1 @@\n-export const sum = (a, b) => a - b;\n+export const sum = (a, b) => a + b;`,
    `${cwd}/docs/a.md\n${cwd}/src/sum.ts`,
    `${cwd}/docs/a.md:1:sum\n${cwd}/src/sum.ts:1:export const sum = (a, b) => a + b;`,
    "export const sum = (a, b) => a + b;\n\n[stderr]\nproblem\n\nExit code 3",
    `${cwd}/docs/a.md has not been read in this session.\nRead it first, so that the change is based on its present content.`,
  ]);
  const bytes = await platform.fs.readFile(`${cwd}/src/sum.ts`);
  expect(new TextDecoder().decode(bytes)).toBe("export const sum = (a, b) => a + b;\n");
}

/** Keeps output beyond the display limit within the model's reach. */
export async function keepsLongOutput(host: Host): Promise<void> {
  const command = "seq 1 9000 | cat";
  const [shown = ""] = await callTools(host, [["Bash", { command }]]);
  expect(shown.startsWith("1\n2\n3\n")).toBe(true);
  expect(shown.endsWith("\n8999\n9000")).toBe(true);
  expect(shown.length).toBeLessThan(31_000);
  const file = /all 9,000 lines are in (\S+),/.exec(shown)?.[1];
  expect(file).toBeDefined();
  const [line] = await callTools(host, [["Read", { filePath: file, offset: 4500, limit: 1 }]]);
  expect(line).toContain("  4500\t4500\n");
  await host.platform.fs.remove(dirname(file ?? ""), { recursive: true });
}

/** Cuts the output of a tool without limits to its head and tail; identical on every host, to the letter. */
export async function cutsLongOutput(host: Host): Promise<void> {
  const text = `${"a".repeat(40_000)}${"b".repeat(40_000)}`;
  const tool = createFunctionTool("Dump", "Shows much", { type: "object" }, () => text);
  const [shown = ""] = await callTools(host, [["Dump", {}]], [tool]);
  const [head, note, tail] = shown.split("\n\n");
  expect([head, tail]).toEqual(["a".repeat(15_000), "b".repeat(15_000)]);
  const file = /^\[… 50,000 characters left out; all 1 line are in (\S+),/.exec(note ?? "")?.[1];
  expect(file).toBeDefined();
  const kept = await host.platform.fs.readFile(file ?? "");
  expect(new TextDecoder().decode(kept)).toBe(text);
  await host.platform.fs.remove(dirname(file ?? ""), { recursive: true });
}
