import { expect, it } from "vitest";
import { MemoryFileSystem } from "../../virtual/memory-file-system.ts";
import { locate, nearNames, type PathContext, readBytes } from "./locate.ts";

function place(files: Record<string, string>): PathContext {
  return { platform: { fs: new MemoryFileSystem({ files }) }, cwd: "/code" };
}

it("resolves paths from the working directory", () => {
  expect(locate({ cwd: "/code" }, "src/../a.ts")).toBe("/code/a.ts");
  expect(locate({ cwd: "/code" }, "/etc/hosts")).toBe("/etc/hosts");
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
  const context = place({ "/code/src/index.ts": "" });
  await expect(readBytes(context, "/code/src/Index.ts", 10)).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringContaining("Did you mean /code/src/index.ts?"),
  });
  await expect(readBytes(context, "/code/scr/index.ts", 10)).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringMatching(/no \/code\/scr either\. Did you mean \/code\/src\?/),
  });
});

it("says what is in a directory that was taken for a file", async () => {
  const context = place({ "/code/src/index.ts": "", "/code/src/lib/a.ts": "" });
  await expect(readBytes(context, "/code/src", 10)).rejects.toMatchObject({
    code: "EISDIR",
    hint: expect.stringContaining("index.ts, lib/"),
  });
});

it("does not open a file that is too large", async () => {
  const context = place({ "/code/a": "x".repeat(20) });
  await expect(readBytes(context, "/code/a", 10)).rejects.toMatchObject({ code: "too_large" });
  expect(await readBytes(context, "/code/a", 20)).toHaveLength(20);
});

it("reports a file that lies below another file", async () => {
  const context = place({ "/code/a": "x" });
  await expect(readBytes(context, "/code/a/b", 10)).rejects.toMatchObject({ code: "ENOTDIR" });
});
