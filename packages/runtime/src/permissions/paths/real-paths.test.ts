import { describe, expect, it } from "vitest";
import { FileSystemError } from "../../errors.ts";
import { resolvePaths } from "./real-paths.ts";

/** A disk of directories and links; `!` stands for what may not be looked at. */
function disk(entries: Record<string, "dir" | "!" | { to: string }>): {
  fs: Parameters<typeof resolvePaths>[0];
  asked: string[];
} {
  const asked: string[] = [];
  const fail = (code: "ENOENT" | "ENOTDIR" | "EACCES" | "ELOOP", path: string): never => {
    throw new FileSystemError(code, path);
  };
  const follow = (path: string, depth = 0): string => {
    if (depth > 60) return fail("ELOOP", path);
    let current = "";
    for (const segment of path.split("/").filter(Boolean)) {
      const next = `${current}/${segment}`;
      const entry = entries[next] ?? fail(segment.endsWith(".txt") ? "ENOTDIR" : "ENOENT", next);
      if (entry === "!") fail("EACCES", next);
      current =
        typeof entry === "object"
          ? follow(entry.to.startsWith("/") ? entry.to : `${current}/${entry.to}`, depth + 1)
          : next;
    }
    return current || "/";
  };
  const entryAt = (path: string): "dir" | "!" | { to: string } =>
    entries[path] ?? fail("ENOENT", path);
  return {
    asked,
    fs: {
      realpath: async (path) => {
        asked.push(path);
        return follow(path);
      },
      lstat: async (path) => ({
        type: typeof entryAt(path) === "object" ? "symlink" : "directory",
        size: 0,
        mtimeMs: 0,
        mode: 0,
      }),
      readlink: async (path) => {
        const entry = entryAt(path);
        return typeof entry === "object" ? entry.to : fail("ENOENT", path);
      },
    },
  };
}

describe("the target of a path", () => {
  const { fs, asked } = disk({
    "/code": "dir",
    "/code/src": "dir",
    "/code/out": { to: "/elsewhere/deep" },
    "/code/new": { to: "/elsewhere/none" },
    "/code/newer": { to: "new" },
    "/code/a": { to: "/code/b" },
    "/code/b": { to: "/code/a" },
    "/code/shut": "!",
    "/elsewhere": "dir",
    "/elsewhere/deep": "dir",
  });
  const leads = async (path: string): Promise<readonly string[] | undefined> =>
    (await resolvePaths(fs, [path])).get(path);

  it.each([
    ["/", ["/"]],
    ["/code/src", ["/code/src"]],
    ["/code//./src/", ["/code/src"]],
    ["/code/src/not/there", ["/code/src/not/there"]],
    ["/code/a.txt/b", ["/code/a.txt/b"]],
    ["/code/out", ["/code/out", "/elsewhere/deep"]],
    ["/code/out/x", ["/code/out/x", "/elsewhere/deep/x"]],
    ["/code/new", ["/code/new", "/elsewhere/none"]],
    ["/code/newer", ["/code/newer", "/elsewhere/none"]],
    ["/code/out/../x", ["/code/x", "/elsewhere/x"]],
    ["/code/./src//../x", ["/code/x"]],
    ["/code/out/../../x", ["/x", "/x"]],
  ])("%s leads to %j", async (path, forms) => {
    expect(await leads(path)).toEqual([...new Set(forms)]);
  });

  it.each([
    "/code/a",
    "/code/a/x",
    "/code/a/../x",
    "/code/shut",
    "/code/shut/x",
    "/code/shut/x/..",
  ])("of %s is undecidable", async (path) => expect(await leads(path)).toBeUndefined());

  it("is looked up once per place", async () => {
    asked.length = 0;
    await resolvePaths(fs, ["/code/src", "/code/src", "/code//src"]);
    expect(asked).toEqual(["/code/src"]);
  });

  it("follows as many links as a kernel does", async () => {
    const chain = (length: number): Parameters<typeof resolvePaths>[0] =>
      disk({
        "/l0": { to: "/none" },
        ...Object.fromEntries(
          Array.from({ length }, (_, at) => [`/l${at + 1}`, { to: `/l${at}` }]),
        ),
      }).fs;
    expect((await resolvePaths(chain(39), ["/l39"])).get("/l39")).toEqual(["/l39", "/none"]);
    expect((await resolvePaths(chain(40), ["/l40"])).get("/l40")).toBeUndefined();
  });

  it("is undecidable on a failing disk", async () => {
    const broken = {
      ...fs,
      realpath: () => Promise.reject(new Error("broken")),
    };
    expect((await resolvePaths(broken, ["/code/src"])).get("/code/src")).toBeUndefined();
  });
});
