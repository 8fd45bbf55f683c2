import { expect, it } from "vitest";
import type { AccessRules } from "../../../ports/access.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { memoryPlatform } from "../../../testing/memory-platform.ts";
import { MemoryFileSystem } from "../../../virtual/memory-file-system.ts";
import { editTool } from "../../builtin/edit.ts";
import { readTool } from "../../builtin/read.ts";
import { writeTool } from "../../builtin/write.ts";
import { type TestToolContext, toolContext } from "../../../../../../test/support/tool-context.ts";
import type { ToolResult } from "../../tool.ts";

/** Forbids writes outside of /code, and to its .git. */
const rules: AccessRules = {
  refusesFile: (path, kind) =>
    kind === "write" && !/^\/code\/(?!\.git\/)/.test(path) ? `${path} is off limits.` : undefined,
  refusesCommand: () => undefined,
};

const files = {
  "/code/a": "one\n",
  "/code/src/b": "one\n",
  "/code/.git/config": "",
  "/etc/passwd": "one\n",
  "/etc/b": "one\n",
};

function workspace(fs: FileSystem = new MemoryFileSystem({ files })): TestToolContext {
  return toolContext(memoryPlatform({ fs }), { rules });
}

async function write(context: TestToolContext, filePath: string): Promise<ToolResult> {
  return (await writeTool.execute({ filePath, content: "two\n" }, context)) as ToolResult;
}

async function edit(context: TestToolContext, filePath: string): Promise<ToolResult> {
  const args = { filePath, oldString: "one", newString: "two" };
  return (await editTool.execute(args, context)) as ToolResult;
}

async function text(fs: FileSystem, path: string): Promise<string> {
  return new TextDecoder().decode(await fs.readFile(path));
}

it("checks the rules for the path and for link targets, also for a missing file", async () => {
  const context = workspace();
  const { fs } = context.platform;
  await fs.symlink("/etc/passwd", "/code/link");
  await fs.symlink("/etc", "/code/way");
  await fs.symlink("/etc/new", "/code/dangling");
  await fs.symlink("dangling", "/code/chain");
  await fs.symlink("/code/a", "/etc/in");
  for (const path of ["link", "way/passwd", "/etc/in", ".git/config"]) {
    await readTool.execute({ filePath: path }, context);
    const refused = { success: false, errorCode: "permission_denied" };
    expect(await write(context, path)).toMatchObject(refused);
    expect(await edit(context, path)).toMatchObject(refused);
  }
  for (const path of ["way/new", "way/sub/new", "dangling", "chain", "/tmp/x", ".git/hooks/x"]) {
    expect(await write(context, path)).toMatchObject({ errorCode: "permission_denied" });
  }
  const preview = await writeTool.preview?.({ filePath: "chain", content: "" }, context);
  expect(preview).toEqual({ note: "The call will fail: /etc/new is off limits." });
  expect(await text(fs, "/etc/passwd")).toBe("one\n");
  expect((await fs.readdir("/etc")).map(({ name }) => name)).toEqual(["b", "in", "passwd"]);
});

it("writes through a link to its target, and reports that first", async () => {
  const context = workspace();
  const { fs } = context.platform;
  await fs.symlink("a", "/code/link");
  await fs.symlink("src/new/file", "/code/dangling");
  await fs.chmod("/code/a", 0o755);
  await readTool.execute({ filePath: "link" }, context);
  const args = { filePath: "link", oldString: "one", newString: "two" };
  expect(await editTool.preview?.(args, context)).toMatchObject({
    note: "/code/link leads to /code/a.",
    changes: [{ path: "/code/link", before: "one\n", after: "two\n" }],
  });
  expect(await edit(context, "link")).toMatchObject({ success: true });
  expect((await fs.lstat("/code/link")).type).toBe("symlink");
  expect(await text(fs, "/code/a")).toBe("two\n");
  expect((await fs.stat("/code/a")).mode).toBe(0o755);
  expect(await write(context, "dangling")).toMatchObject({ success: true });
  expect(await text(fs, "/code/src/new/file")).toBe("two\n");
});

it("changes no other file when an entry is swapped for a link meanwhile", async () => {
  const moments = ["realpath", "open", "readlink", "stat", "mkdir"] as const;
  for (const change of [write, edit]) {
    for (const moment of moments) {
      for (const place of ["/code/link", "/code/src/b", "/code/src"]) {
        const memory = new MemoryFileSystem({ files });
        await memory.symlink("src/b", "/code/link");
        let isArmed = false;
        const swap = async (): Promise<void> => {
          await memory.remove(place, { recursive: true });
          await memory.symlink(place === "/code/src" ? "/etc" : "/etc/b", place);
        };
        const fs = new Proxy<FileSystem>(memory, {
          get(target, name: keyof FileSystem) {
            const method = target[name]!;
            return async (...args: never[]) => {
              const result: unknown = await Reflect.apply(method, target, args);
              if (isArmed && name === moment) {
                isArmed = false;
                await swap();
              }
              return result;
            };
          },
        });
        const context = workspace(fs);
        await readTool.execute({ filePath: "link" }, context);
        isArmed = true;
        const { success } = await change(context, "link");
        expect(await text(memory, "/etc/b")).toBe("one\n");
        if (success) expect(await text(memory, "/code/src/b")).toBe("two\n");
      }
    }
  }
});

it("keeps a notebook valid", async () => {
  const notebook = '{\n "cells": [\n  {"cell_type": "code", "source": ["one\\n"]}\n ]\n}\n';
  const context = workspace(new MemoryFileSystem({ files: { "/code/n.ipynb": notebook } }));
  const { fs } = context.platform;
  await readTool.execute({ filePath: "n.ipynb" }, context);
  const broken = { filePath: "n.ipynb", oldString: "one", newString: 'say "one"' };
  expect(await editTool.execute(broken, context)).toMatchObject({
    success: false,
    errorCode: "invalid_notebook",
    output: expect.stringContaining("each line of a cell's source is a JSON string"),
  });
  expect(await editTool.preview?.(broken, context)).toMatchObject({
    note: expect.stringContaining("would no longer be a notebook"),
  });
  expect(await write(context, "n.ipynb")).toMatchObject({ errorCode: "invalid_notebook" });
  expect(await write(context, "new.ipynb")).toMatchObject({ errorCode: "invalid_notebook" });
  expect(await text(fs, "/code/n.ipynb")).toBe(notebook);
  expect(await edit(context, "n.ipynb")).toMatchObject({ success: true });
});
