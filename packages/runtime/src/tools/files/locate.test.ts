import { expect, it } from "vitest";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { locate, nearNames, type PathContext, readBytes } from "./locate.ts";

function place(files: Record<string, string>): PathContext {
  return { platform: { fs: new MemoryFileSystem({ files }) }, cwd: "/work" };
}

it("resolves paths from the working directory", () => {
  expect(locate({ cwd: "/work" }, "src/../a.ts")).toBe("/work/a.ts");
  expect(locate({ cwd: "/work" }, "/etc/hosts")).toBe("/etc/hosts");
});

it("suggests what a person may have meant", () => {
  const names = ["index.tsx", "README.md", "user-service.ts", "users.ts", "zebra.txt"];
  expect(nearNames("index.ts", names)).toEqual(["index.tsx"]);
  expect(nearNames("readme.MD", names)).toEqual(["README.md"]);
  expect(nearNames("user-servise.ts", names)).toEqual(["user-service.ts"]);
  expect(nearNames("user.ts", names)[0]).toBe("users.ts");
  expect(nearNames("nothing-like-it", names)).toEqual([]);
});

it("names a file that is there when the one asked for is not", async () => {
  const context = place({ "/work/src/index.ts": "" });
  await expect(readBytes(context, "/work/src/Index.ts", 10)).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringContaining("Did you mean /work/src/index.ts?"),
  });
  await expect(readBytes(context, "/work/scr/index.ts", 10)).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringMatching(/no \/work\/scr either\. Did you mean \/work\/src\?/),
  });
});

it("says what is in a directory that was taken for a file", async () => {
  const context = place({ "/work/src/index.ts": "", "/work/src/lib/a.ts": "" });
  await expect(readBytes(context, "/work/src", 10)).rejects.toMatchObject({
    code: "EISDIR",
    hint: expect.stringContaining("index.ts, lib/"),
  });
});

it("does not open a file that is too large", async () => {
  const context = place({ "/work/a": "x".repeat(20) });
  await expect(readBytes(context, "/work/a", 10)).rejects.toMatchObject({ code: "too_large" });
  expect(await readBytes(context, "/work/a", 20)).toHaveLength(20);
});

it("reports a file that lies below another file", async () => {
  const context = place({ "/work/a": "x" });
  await expect(readBytes(context, "/work/a/b", 10)).rejects.toMatchObject({ code: "ENOTDIR" });
});
