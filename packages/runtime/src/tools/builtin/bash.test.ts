import { expect, it } from "vitest";
import type { Shell, ShellOptions, ShellResult } from "../../ports/shell.ts";
import { contentText } from "../../messages/message.ts";
import { memoryPlatform } from "../../testing/memory-platform.ts";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../tool.ts";
import { bashTool, createBashTool } from "./bash.ts";
import { readTool } from "./read.ts";

type Run = (command: string, options: ShellOptions) => Partial<ShellResult>;

/** A shell that answers by a function of the test, and records its calls. */
function shellOf(run: Run): Shell & { calls: (ShellOptions & { command: string })[] } {
  const calls: (ShellOptions & { command: string })[] = [];
  return {
    kind: "virtual",
    calls,
    async exec(command, options) {
      calls.push({ command, ...options });
      const done = { exitCode: 0, stdout: "", stderr: "", timedOut: false, truncated: false };
      return { ...done, ...run(command, options) };
    },
  };
}

function workspace(run: Run): TestToolContext & { shell: ReturnType<typeof shellOf> } {
  const shell = shellOf(run);
  const platform = memoryPlatform({ shell, files: { "/code/src/a": "", "/tmp/": "" } });
  return { ...toolContext(platform), shell };
}

async function bash(context: TestToolContext, command: string, timeoutMs?: number) {
  const args = timeoutMs === undefined ? { command } : { command, timeoutMs };
  return (await bashTool.execute(args, context)) as ToolResult;
}

it("returns a command's output", async () => {
  const context = workspace((command) => ({ stdout: `${command}\n` }));
  expect(await bash(context, "ls")).toMatchObject({ success: true, output: "ls", exitCode: 0 });
  expect(context.shell.calls[0]).toMatchObject({ cwd: "/code", timeoutMs: 120_000 });
  expect(
    await bash(
      workspace(() => ({})),
      "true",
    ),
  ).toMatchObject({ output: "(no output)" });
});

it("separates errors from output, and reports the exit code", async () => {
  const context = workspace(() => ({ stdout: "out\n", stderr: "err\n", exitCode: 3 }));
  expect(await bash(context, "x")).toMatchObject({
    success: false,
    output: "out\n\n[stderr]\nerr\n\nExit code 3",
    exitCode: 3,
    error: "Exit code 3",
    errorCode: "exit_code",
  });
  const warned = await bash(
    workspace(() => ({ stderr: "careful\n" })),
    "x",
  );
  expect(warned).toMatchObject({ success: true, output: "[stderr]\ncareful" });
});

it("streams output while the command runs", async () => {
  const context = workspace((_, options) => {
    options.onOutput?.({ stream: "stdout", text: "one" });
    options.onOutput?.({ stream: "stderr", text: "two" });
    return {};
  });
  await bash(context, "x");
  expect(context.emitted).toEqual([
    { stream: "stdout", text: "one" },
    { stream: "stderr", text: "two" },
  ]);
});

it("reports a timeout or an abort", async () => {
  const slow = workspace(() => ({ stdout: "so far", exitCode: 124, timedOut: true }));
  const late = await bash(slow, "sleep 9", 5000);
  expect(late).toMatchObject({ success: false, errorCode: "timeout", exitCode: 124 });
  expect(late.output).toMatch(/^so far\n\nStopped after 5,000 ms\./);
  expect(slow.shell.calls[0]?.timeoutMs).toBe(5000);

  const controller = new AbortController();
  const stopped = workspace(() => {
    controller.abort();
    return { stdout: "so far", exitCode: 130 };
  });
  const result = await bash({ ...stopped, signal: controller.signal }, "sleep 9");
  expect(result).toMatchObject({ errorCode: "aborted", output: "so far\n\nAborted." });
});

it("keeps head and tail of a long output, and all of it in a file for Read", async () => {
  const whole = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join("\n");
  const context = workspace(() => ({ stdout: whole, exitCode: 1 }));
  const { output, data } = await bash(context, "x");
  expect(contentText(output).length).toBeLessThan(30_500);
  expect(output).toMatch(/^line 1\nline 2\n/);
  expect(output).toMatch(/line 5000\n\nExit code 1$/);
  const { file } = data as { file: string };
  expect(output).toContain(`all 5,000 lines are in ${file}, which Read opens`);

  const read = (await readTool.execute(
    { filePath: file, offset: 2500, limit: 1 },
    context,
  )) as ToolResult;
  expect(read.output).toContain("  2500\tline 2500\n");
  const { mode } = await context.platform.fs.stat(file.slice(0, file.lastIndexOf("/")));
  expect(mode).toBe(0o700);
});

it("reports lost output, and output that can't be kept", async () => {
  const lossy = workspace(() => ({ stdout: "x", truncated: true }));
  expect((await bash(lossy, "yes")).output).toContain("the rest is lost");

  const full = workspace(() => ({ stdout: "x".repeat(40_000) }));
  await full.platform.fs.writeFile("/tmp/x", "");
  full.platform.fs.mkdir = async () => {
    throw new Error("no space");
  };
  const { success, output } = await bash(full, "x");
  expect(success).toBe(true);
  expect(output).toContain("the whole output could not be saved: no space");
});

it("removes terminal codes and lone surrogates", async () => {
  const context = workspace(() => ({
    stdout: "\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x\ud83d",
  }));
  expect((await bash(context, "x")).output).toBe("red x\ufffd");
});

it("keeps colours for people, beside the text for the model", async () => {
  const colored = workspace(() => ({ stdout: "\u001b[31mred\u001b[0m\n", stderr: "no" }));
  const { output, data } = await bash(colored, "x");
  expect(output).toBe("red\n\n[stderr]\nno");
  expect(data).toMatchObject({ coloredOutput: "\u001b[31mred\u001b[0m\n\nno" });
  const plain = workspace(() => ({ stdout: "red" }));
  expect((await bash(plain, "x")).data).not.toHaveProperty("coloredOutput");
});

it("starts the next command in the last one's directory, within the workspace", async () => {
  let ended = "/code/src";
  const context = workspace(() => ({ cwd: ended }));
  expect((await bash(context, "cd src")).output).toContain("The next command starts in /code/src.");
  ended = "/code/src";
  expect((await bash(context, "pwd")).output).toBe("(no output)");
  expect(context.shell.calls[1]?.cwd).toBe("/code/src");

  ended = "/etc";
  expect((await bash(context, "cd /etc")).output).toContain("outside the workspace");
  await context.platform.fs.remove("/code/src", { recursive: true });
  ended = "/code";
  expect((await bash(context, "pwd")).output).toContain("/code/src no longer exists");
  expect(context.shell.calls.map(({ cwd }) => cwd)).toEqual([
    "/code",
    "/code/src",
    "/code/src",
    "/code",
  ]);
});

it("stays in the working directory when the shell can't report a command's", async () => {
  const context = workspace(() => ({}));
  await bash(context, "cd src");
  await bash(context, "pwd");
  expect(context.shell.calls.map(({ cwd }) => cwd)).toEqual(["/code", "/code"]);
});

it("describes the platform's shell", () => {
  expect(createBashTool({ kind: "virtual" }).description).toContain("virtual bash");
  expect(createBashTool({ kind: "native" }).description).toContain("real shell");
  const described = createBashTool({ kind: "virtual", describe: () => "It has git and jq." });
  expect(described.description).toContain(" It has git and jq. ");
  expect(described.parameters).toEqual(bashTool.parameters);
});
