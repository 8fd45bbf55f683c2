import { expect, it } from "vitest";
import type { AccessRules } from "../../../ports/access.ts";
import type { FileSystem } from "../../../ports/file-system.ts";
import { MemoryFileSystem } from "../../../virtual/memory-file-system.ts";
import type { PathContext } from "../locate.ts";
import { openFile, readWhole } from "./open-file.ts";

/** Forbids /secret, and files named `.env`. */
const rules: AccessRules = {
  refusesFile: (path) =>
    path.startsWith("/secret/") || path.endsWith("/.env") ? `${path} is off limits.` : undefined,
  refusesCommand: () => undefined,
};

const files = {
  "/code/src/index.ts": "index",
  "/code/src/lib/a.ts": "",
  "/code/.env": "KEY=1",
  "/secret/key": "secret",
  "/secret/kez": "secret",
};

function place(fs: FileSystem = new MemoryFileSystem({ files })): PathContext {
  return { platform: { fs }, cwd: "/code" };
}

async function text(context: PathContext, path: string): Promise<string> {
  const file = await openFile(context, path);
  const bytes = await readWhole(file);
  await file[Symbol.asyncDispose]();
  return new TextDecoder().decode(bytes);
}

/** A file system without `open`, as on hosts whose files are stored as a whole. */
function wholeFiles(fs: FileSystem): FileSystem {
  return new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const value = target[name];
      return name === "open" || value === undefined ? undefined : value.bind(target);
    },
  });
}

it("suggests an existing file for a missing one", async () => {
  await expect(openFile(place(), "/code/src/Index.ts")).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringContaining("Did you mean /code/src/index.ts?"),
  });
  await expect(openFile(place(), "/code/scr/index.ts")).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringMatching(/no \/code\/scr either\. Did you mean \/code\/src\?/),
  });
});

it("lists a directory that was taken for a file", async () => {
  await expect(openFile(place(), "/code/src")).rejects.toMatchObject({
    code: "EISDIR",
    hint: "It holds index.ts, lib/. Glob finds files in it.",
  });
});

it("reports a path below another file", async () => {
  await expect(openFile(place(), "/code/src/index.ts/b")).rejects.toMatchObject({
    code: "ENOTDIR",
  });
});

it.each([
  ["with open", (fs: FileSystem) => fs],
  ["with whole files", wholeFiles],
])("checks the rules for the path and its target (%s)", async (_, made) => {
  const fs = made(new MemoryFileSystem({ files }));
  await fs.symlink("/secret/key", "/code/link");
  await fs.symlink("/secret", "/code/way");
  await fs.symlink("/code/src/index.ts", "/secret/out");
  const context = { ...place(fs), rules };
  const refused = { code: "permission_denied", message: expect.stringContaining("off limits") };
  for (const path of ["/code/.env", "/code/link", "/code/way/key", "/secret/out", "/secret/no"]) {
    await expect(openFile(context, path)).rejects.toMatchObject(refused);
  }
  expect(await text(context, "/code/src/index.ts")).toBe("index");
  expect(await text(place(fs), "/code/link")).toBe("secret");
});

it("never names denied files, neither as a suggestion nor in a listing", async () => {
  const fs = new MemoryFileSystem({ files });
  await fs.symlink("/secret", "/code/way");
  const context = { ...place(fs), rules };
  for (const path of ["/code/.enw", "/code/way/kex"]) {
    await expect(openFile(context, path)).rejects.toMatchObject({
      code: "ENOENT",
      hint: "The working directory is /code.",
    });
  }
  await expect(openFile(context, "/code/way")).rejects.toMatchObject({
    code: "EISDIR",
    hint: "Glob finds files in it.",
  });
  await expect(openFile(context, "/code")).rejects.toMatchObject({
    hint: "It holds src/, way. Glob finds files in it.",
  });
});

it("reads no other file when a link is swapped between check and read", async () => {
  const swaps = ["open", "realpath", "stat", "readFile"] as const;
  for (const made of [(fs: FileSystem) => fs, wholeFiles]) {
    for (const moment of swaps) {
      for (const place of ["/code/link", "/code/src/index.ts", "/code/src"]) {
        const fs = new MemoryFileSystem({ files });
        await fs.symlink("/code/src/index.ts", "/code/link");
        const secret = place === "/code/src" ? "/secret" : "/secret/key";
        await fs.writeFile("/secret/index.ts", "secret");
        const swap = async (): Promise<void> => {
          await fs.remove(place, { recursive: true });
          await fs.symlink(secret, place);
        };
        const context = { platform: { fs: swapping(made(fs), moment, swap) }, cwd: "/code", rules };
        const read = await text(context, "/code/link").catch(({ code }: { code: string }) => code);
        expect(["index", "permission_denied", "EBUSY", "ENOENT"]).toContain(read);
      }
    }
  }
});

/** Runs `swap` right after the first call of `moment`. */
function swapping(fs: FileSystem, moment: keyof FileSystem, swap: () => Promise<void>): FileSystem {
  let isDone = false;
  return new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const value = target[name];
      if (!value) return undefined;
      return async (...args: never[]) => {
        const result: unknown = await Reflect.apply(value, target, args);
        if (name === moment && !isDone) {
          isDone = true;
          await swap();
        }
        return result;
      };
    },
  });
}
