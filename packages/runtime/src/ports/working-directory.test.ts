import { describe, expect, it } from "vitest";
import { workingDirectory } from "./working-directory.ts";

const work = { cwd: "/home/me/work" };

describe("a session's working directory", () => {
  it.each([
    ["none, where the platform has one", undefined, work, "/home/me/work"],
    ["none, where it has none", undefined, {}, "/"],
    ["an absolute path", "/a//b/../c/", work, "/a/c"],
    ["a dot", ".", work, "/home/me/work"],
    ["a relative path", "../src", work, "/home/me/src"],
    ["an empty text", "", work, "/home/me/work"],
  ])("%s", (_, cwd, platform, expected) => {
    expect(workingDirectory(cwd, platform)).toBe(expected);
  });

  it.each([
    [".", {}],
    ["src", {}],
    ["", {}],
    [String.raw`C:\work`, work],
    ["C:/work", work],
    ["C:", work],
    [String.raw`\\server\share`, work],
    [undefined, { cwd: String.raw`C:\work` }],
  ])("refuses %j on %j", (cwd, platform) => {
    expect(() => workingDirectory(cwd, platform)).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR", hint: expect.stringMatching(/path/) }),
    );
  });
});
