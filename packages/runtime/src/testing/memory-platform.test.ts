import { expect, it } from "vitest";
import type { Shell } from "../ports/shell.ts";
import { MemoryFileSystem } from "../virtual/memory-file-system.ts";
import { memoryPlatform, type MemoryShellParts } from "./memory-platform.ts";

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

it("has the given files and an empty home", async () => {
  const platform = memoryPlatform({
    files: { "/code/a.txt": "A", "/code/deep/b": Uint8Array.of(66), "/code/empty/": "" },
  });
  expect(platform.name).toBe("memory");
  expect(text(await platform.fs.readFile("/code/a.txt"))).toBe("A");
  expect(text(await platform.fs.readFile("/code/deep/b"))).toBe("B");
  expect(await platform.fs.readdir("/code/empty")).toEqual([]);
  expect(await platform.fs.readdir(platform.home)).toEqual([]);
});

it("refuses commands without a shell, and accepts a shell over its files", async () => {
  await expect(memoryPlatform().shell.exec("ls", { cwd: "/" })).rejects.toMatchObject({
    code: "SHELL_ERROR",
    message: expect.stringContaining("ls"),
    hint: expect.stringContaining("@robota/shell/testing"),
  });
  const shell: Shell = { kind: "virtual", exec: async () => Promise.reject(new Error("unused")) };
  const given: MemoryShellParts[] = [];
  const platform = memoryPlatform({
    shell(parts) {
      given.push(parts);
      return shell;
    },
  });
  expect(platform.shell).toBe(shell);
  expect(given).toEqual([{ fs: platform.fs, home: platform.home }]);
});

it("has only the given variables", () => {
  const platform = memoryPlatform({ env: { KEY: "value" } });
  expect([platform.env("KEY"), platform.env("OTHER"), platform.env("toString")]).toEqual([
    "value",
    undefined,
    undefined,
  ]);
});

it("refuses a request with a hint, and passes it to a given fetch", async () => {
  await expect(memoryPlatform().fetch("https://example.com/x")).rejects.toMatchObject({
    code: "CONFIGURATION_ERROR",
    message: expect.stringContaining("https://example.com/x"),
    hint: expect.stringContaining("fetch"),
  });
  const platform = memoryPlatform({ fetch: async () => new Response("pong") });
  expect(await (await platform.fetch("https://example.com")).text()).toBe("pong");
});

it("has the same times and ids in each run on request", async () => {
  const run = async () => {
    const platform = memoryPlatform({ deterministic: true });
    await platform.fs.writeFile("/file", "x");
    const { mtimeMs } = await platform.fs.stat("/file");
    return [mtimeMs, platform.now(), platform.randomUUID(), platform.randomUUID()];
  };
  const first = await run();
  expect(first).toEqual(await run());
  expect(first[2]).toMatch(/^[0-9a-f-]{36}$/);
  expect(first[3]).not.toBe(first[2]);
});

it("accepts ports, but no files for a foreign file system", async () => {
  const fs = new MemoryFileSystem({ files: { "/a": "A" } });
  expect(memoryPlatform({ fs }).fs).toBe(fs);
  expect(() => memoryPlatform({ fs, files: { "/b": "B" } })).toThrow("either files or fs");
});

it("can be disposed twice", async () => {
  const platform = memoryPlatform();
  await platform.dispose();
  await platform[Symbol.asyncDispose]();
});
