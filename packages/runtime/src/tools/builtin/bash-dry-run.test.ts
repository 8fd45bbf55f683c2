import { beforeAll, expect, it } from "vitest";
import { contentText } from "../../messages/message.ts";
import type { Shell } from "../../ports/shell.ts";
import { memoryPlatform } from "@robota/shell/testing";
import { treeOf } from "../../../../../test/support/tree-of.ts";
import { VirtualShell } from "@robota/shell";
import { type TestToolContext, toolContext } from "../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../tool.ts";
import { bashTool } from "./bash.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

const files = { "/code/a.txt": "one\ntwo\n", "/code/b.txt": "b\n", "/tmp/": "", "/code/sub/": "" };

// The programs load with their first use, which takes a while where they are compiled on the way.
beforeAll(async () => {
  const { fs } = memoryPlatform({ files });
  const programs =
    "sed p a.txt; rm b.txt; printf x; ln -s a l; chmod 600 a.txt; cat a.txt; ls; seq 1; touch x; sleep 0";
  await new VirtualShell({ fs }).exec(programs, { cwd: "/code" });
  await import("../../virtual/dry-run.ts");
});

function workspace(overrides: Partial<TestToolContext> = {}) {
  const platform = memoryPlatform({ files });
  const shell = platform.shell;
  const runs: string[] = [];
  const counting: Shell = {
    kind: "virtual",
    exec(command, options) {
      runs.push(command);
      return shell.exec(command, options);
    },
    over: (fs) => shell.over?.(fs) ?? shell,
    beyondFiles: shell.beyondFiles ?? [],
  };
  return { ...toolContext({ ...platform, shell: counting }, overrides), runs };
}

const preview = (context: TestToolContext, command: string) =>
  Promise.resolve(bashTool.preview?.({ command }, context));
const execute = async (context: TestToolContext, command: string) =>
  (await bashTool.execute({ command }, context)) as ToolResult;

it("shows a command's file changes without making them", async () => {
  const context = workspace();
  const before = await treeOf(context.platform.fs, "/code");
  const shown = await preview(
    context,
    "sed -i s/one/1/ a.txt; rm b.txt; echo new > sub/c; printf '\\0x' > d; ln -s a.txt l; chmod 600 a.txt; echo done; exit 3",
  );
  expect(shown?.changes).toEqual([
    { path: "/code/a.txt", before: "one\ntwo\n", after: "1\ntwo\n" },
    { path: "/code/b.txt", before: "b\n", after: null },
    { path: "/code/d", before: null, after: "[binary, 2 bytes]" },
    { path: "/code/l", before: null, after: "[link to a.txt]" },
    { path: "/code/sub/c", before: null, after: "new\n" },
  ]);
  expect(shown?.note).toBe("Dry run: exit code 3, 5 files changed.\ndone");
  expect(await treeOf(context.platform.fs, "/code")).toEqual(before);
});

it("applies the previewed changes, without running the command again", async () => {
  const context = workspace();
  const command = "echo $RANDOM$RANDOM > r; cat r; cd sub; export X=1; echo oops >&2";
  const shown = await preview(context, command);
  const { output, success } = await execute(context, command);
  expect(context.runs).toEqual([]);
  const made = new TextDecoder().decode(await context.platform.fs.readFile("/code/r"));
  expect(shown?.changes).toEqual([{ path: "/code/r", before: null, after: made }]);
  expect(success).toBe(true);
  expect(output).toContain(`${made}\n[stderr]\noops`);
  expect(output).toContain("The next command starts in /code/sub.");
  expect(context.emitted).toEqual([
    { stream: "stdout", text: made },
    { stream: "stderr", text: "oops\n" },
  ]);
  expect((await execute(context, "echo $X; pwd")).output).toBe("1\n/code/sub");
});

it.each([
  ["a file that it read", "cat a.txt > copy", "/code/a.txt"],
  ["a file that it wrote", "echo x > b.txt; cat b.txt", "/code/b.txt"],
  ["a directory that it listed", "ls > /tmp/list; cat /tmp/list", "/code/new"],
  ["a file that was not there", "cat later || echo none", "/code/later"],
])("runs again when %s has changed since", async (_what, command, path) => {
  const context = workspace();
  await preview(context, command);
  await context.platform.fs.writeFile(path, "changed meanwhile\n");
  const { output } = await execute(context, command);
  expect(context.runs).toEqual([command]);
  const isOther = command.includes("list") || command.includes("later");
  expect(contentText(output).includes("the outcome differs from the preview")).toBe(isOther);
});

it("runs a command that differs from the previewed one", async () => {
  const context = workspace();
  await preview(context, "rm a.txt");
  await execute(context, "rm b.txt");
  expect(context.runs).toEqual(["rm b.txt"]);
  expect(await treeOf(context.platform.fs, "/code")).toHaveProperty("/code/a.txt");
});

it("skips commands that reach beyond files, are refused, or take too long", async () => {
  let sent = 0;
  const fetch = async () => new Response(String(++sent));
  const platform = memoryPlatform({ files, fetch });
  const online = toolContext(platform);
  expect((await preview(online, "curl -s https://example.com"))?.note).toContain("not complete");
  expect(sent).toBe(0);
  expect((await execute(online, "curl -s https://example.com")).output).toBe("1");

  const ruled = workspace({
    rules: {
      refusesFile: (path) => (path === "/code/b.txt" ? "b is closed" : undefined),
      refusesCommand: () => undefined,
    },
  });
  expect((await preview(ruled, "cat b.txt"))?.note).toContain("not complete: b is closed");

  const slow = workspace();
  await expectWithin(2_000, async () => {
    expect((await preview(slow, "touch x; while :; do :; done"))?.note).toContain("too long");
  });
  await execute(slow, "touch y");
  expect(slow.runs).toEqual(["touch y"]);
});

it("limits the size of the preview", async () => {
  const context = workspace();
  const shown = await preview(
    context,
    "for i in {1..30}; do echo $i > f$i; done; seq 1 5000 > big; cat big",
  );
  expect(shown?.changes?.length).toBe(20);
  expect(JSON.stringify(shown).length).toBeLessThan(60_000);
  expect(shown?.note).toContain("31 files changed.\n11 more files not shown.");
});

it("shows nothing for a native shell", async () => {
  const shell: Shell = {
    kind: "native",
    exec: async () => {
      throw new Error("must not run");
    },
  };
  const context = toolContext(memoryPlatform({ shell }));
  expect(await preview(context, "rm -rf /")).toBeUndefined();
});

it("costs in proportion to the changes, not to the workspace", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [`/code/many/${index}`, "x"]),
  );
  const platform = memoryPlatform({ files: { ...many, ...files } });
  let looks = 0;
  const lstat = platform.fs.lstat.bind(platform.fs);
  platform.fs.lstat = (path) => {
    looks += 1;
    return lstat(path);
  };
  const context = toolContext({ ...platform, shell: new VirtualShell({ fs: platform.fs }) });
  await preview(context, "echo x > many/new; rm many/7");
  expect(looks).toBeLessThan(100);
});
