import { expect, it } from "vitest";
import {
  basename,
  dirname,
  isNormalized,
  isWithin,
  normalizePath,
  relativePath,
  resolvePath,
} from "./path.ts";

it("resolves dots and repeated slashes and never leaves the root", () => {
  expect(normalizePath("//a/./b/../c/")).toBe("/a/c");
  expect(normalizePath("/../../etc")).toBe("/etc");
  expect(resolvePath("/code", "../x")).toBe("/x");
  expect(resolvePath("/code", "/x")).toBe("/x");
});

it("recognizes normalised paths", () => {
  const plain = ["/", "/a", "/a/b.c", "/.a", "/..a", "/a./b", "/a../b", "/...", "/a/.../b"];
  const others = ["", "a", "a/b", "a/", "//", "//a", "/a//b", "/a/", "/.", "/..", "/a/.", "/a/.."];
  others.push("/./a", "/../a", "/a/./b", "/a/../b");
  for (const path of [...plain, ...others])
    expect([path, isNormalized(path)]).toEqual([path, normalizePath(path) === path]);
  expect(plain.every(isNormalized)).toBe(true);
  expect(others.some(isNormalized)).toBe(false);
});

it("compares containment by segment", () => {
  expect(isWithin("/app", "/app")).toBe(true);
  expect(isWithin("/app", "/app/x")).toBe(true);
  expect(isWithin("/app", "/app-secret")).toBe(false);
  expect(isWithin("/", "/anything")).toBe(true);
});

it("splits paths", () => {
  expect([dirname("/a/b"), dirname("/a"), dirname("/")]).toEqual(["/a", "/", "/"]);
  expect([basename("/a/b"), basename("/")]).toEqual(["b", ""]);
  expect([
    relativePath("/a", "/a/b/c"),
    relativePath("/a", "/a"),
    relativePath("/a", "/b"),
    relativePath("/a", "/a-2/b"),
    relativePath("/", "/a/b"),
  ]).toEqual(["b/c", ".", "/b", "/a-2/b", "a/b"]);
});
