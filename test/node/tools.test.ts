import { execFile } from "node:child_process";
import { mkdir, open, readFile, rename, symlink, unlink, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { withHost } from "#host";
import { contentText, type ToolResult } from "@robota/runtime";
import { memoryPlatform } from "@robota/shell/testing";
import { expect, it } from "vitest";
import type { AccessRules } from "../../packages/runtime/src/ports/access.ts";
import { globTool } from "../../packages/runtime/src/tools/builtin/glob.ts";
import { grepTool } from "../../packages/runtime/src/tools/builtin/grep.ts";
import { readTool } from "../../packages/runtime/src/tools/builtin/read.ts";
import { writeTool } from "../../packages/runtime/src/tools/builtin/write.ts";
import { toolContext } from "../support/tool-context.ts";
import { liveHeap } from "./house/live-heap.ts";
import { keepsLongOutput, worksOnFiles } from "../support/tool-scenario.ts";

it("works on real files, with real commands", () => withHost(worksOnFiles));
it("keeps long output for Read", () => withHost(keepsLongOutput));

function shown(result: ToolResult | string): string {
  return contentText(typeof result === "string" ? result : result.output);
}

it("reads from a gigabyte in little memory", () =>
  withHost(async ({ platform, cwd }) => {
    /** One long line, a hole that takes no room on the disk, and one more line. */
    const makeLarge = async (name: string, size: number): Promise<void> => {
      const file = await open(`${cwd}/${name}`, "w");
      await file.write(`${"x".repeat(20_000)}\n`);
      await file.write("\nthe end\n", size - 9);
      await file.close();
    };
    await makeLarge("huge", 1_000_000_000);
    await makeLarge("large", 250_000_000);
    let most = 0;
    const before = process.memoryUsage().rss;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
    const context = toolContext(platform, { cwd });
    const start = await readTool.execute({ filePath: "huge", limit: 1 }, context);
    const end = await readTool.execute({ filePath: "large", offset: 3 }, context);
    clearInterval(watch);
    expect(shown(start)).toMatch(
      /^ {5}1\tx{2000} \[… 18,000 more bytes\]\n\n\(Lines 1 to 1 of a file/,
    );
    expect(shown(end)).toBe("     3\tthe end");
    expect(most - before).toBeLessThan(200_000_000);
  }));

it("counts a million files in little memory, and lists up to the limit", async () => {
  const platform = memoryPlatform({ files: { "/code/": "" } });
  const names = Array.from({ length: 1000 }, (_, index) => String(index));
  platform.fs.readdir = async (path) => {
    const type = path === "/code" ? ("directory" as const) : ("file" as const);
    return names.map((name) => ({ name, type }));
  };
  const context = toolContext(platform, { cwd: "/code" });
  let most = 0;
  const before = liveHeap();
  const watch = setInterval(() => (most = Math.max(most, liveHeap())), 1_000);
  const result = await globTool.execute({ pattern: "**" }, context);
  clearInterval(watch);
  expect(shown(result).length).toBeLessThan(30_200);
  expect(result).toMatchObject({ data: { files: 1_000_000 } });
  expect(most - before).toBeLessThan(120_000_000);
});

it("waits for no pipe and reads no device", () =>
  withHost(async ({ platform, cwd }) => {
    await promisify(execFile)("mkfifo", [`${cwd}/pipe`]);
    await symlink("/dev/zero", `${cwd}/zeros`);
    const context = toolContext(platform, { cwd });
    for (const filePath of ["pipe", "zeros"]) {
      expect(await readTool.execute({ filePath }, context)).toMatchObject({ errorCode: "EINVAL" });
    }
    await writeFile(`${cwd}/a`, "needle");
    expect(shown(await grepTool.execute({ pattern: "needle" }, context))).toBe(
      `${cwd}/a\n(Skipped: 1 unreadable path.)`,
    );
  }));

it("reads nothing forbidden while files and directories are swapped for links", () =>
  withHost(async ({ platform, cwd }) => {
    const rules: AccessRules = {
      refusesFile: (path) => (path.startsWith(`${cwd}/secret/`) ? "off limits" : undefined),
      refusesCommand: () => undefined,
    };
    for (const name of ["secret", "open/way", "other"]) {
      await mkdir(`${cwd}/${name}`, { recursive: true });
      await writeFile(`${cwd}/${name}/a`, name === "secret" ? "SECRET" : "plain");
    }
    let isDone = false;
    /** The directory itself, then a link to the secret one in its place, and so on. */
    const swaps = (async () => {
      const [way, aside, link] = [`${cwd}/open/way`, `${cwd}/other/way`, `${cwd}/open/link`];
      while (!isDone) {
        await symlink(`${cwd}/secret`, link);
        await rename(way, aside);
        await rename(link, way);
        await setTimeout(5);
        await unlink(way);
        await rename(aside, way);
        await setTimeout(5);
      }
    })();
    const outcomes = new Set<string>();
    try {
      for (let round = 0; round < 1000; round += 1) {
        const context = toolContext(platform, { cwd, rules });
        const search = round % 5 === 0;
        const result = search
          ? await grepTool.execute({ pattern: ".", path: "open", outputMode: "content" }, context)
          : await readTool.execute({ filePath: "open/way/a" }, context);
        expect(shown(result)).not.toContain("SECRET");
        if (!search && typeof result !== "string") outcomes.add(result.errorCode ?? "read");
      }
    } finally {
      isDone = true;
      await swaps;
    }
    // Both sides of the race were seen: the file, and a refusal before or after the opening.
    expect(outcomes).toContain("read");
    expect(outcomes.has("permission_denied") || outcomes.has("EBUSY")).toBe(true);
  }));

it("keeps a file's mode and the link to it", () =>
  withHost(async ({ platform, cwd }) => {
    await writeFile(`${cwd}/script`, "one\n", { mode: 0o755 });
    await symlink("script", `${cwd}/link`);
    const context = toolContext(platform, { cwd });
    await readTool.execute({ filePath: "script" }, context);
    const written = await writeTool.execute({ filePath: "link", content: "two\n" }, context);
    expect(written).toMatchObject({ success: true });
    expect((await platform.fs.stat(`${cwd}/script`)).mode).toBe(0o755);
    expect((await platform.fs.lstat(`${cwd}/link`)).type).toBe("symlink");
    expect(await readFile(`${cwd}/script`, "utf8")).toBe("two\n");
  }));
