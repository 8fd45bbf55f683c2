import { detectProject } from "@robota/runtime/settings";
import { describe, expect, it } from "vitest";
import { detected, filesWith } from "../../support/project-support.ts";
import { expectWithin } from "../../support/time/own-time.ts";

describe("T-18, T-34, T-35: a hostile project", () => {
  it("may have a manifest of ten megabytes, which is reported and not read", async () => {
    const project = await detected({
      "package.json": `{"name":"${"x".repeat(10_000_000)}"}`,
      "pnpm-lock.yaml": "",
    });
    expect(project).toMatchObject({
      type: "node",
      packageManager: "pnpm",
      problems: [{ file: "/p/package.json", message: "is too large" }],
    });
    expect(project.name).toBeUndefined();
  });

  it.each([
    ["no JSON", "{ name: "],
    ["deep JSON", "[".repeat(400_000)],
    ["deep objects", '{"a":'.repeat(100_000)],
  ])("may have %s, which is reported without quoting it", async (_, text) => {
    expect(await detected({ "package.json": text })).toMatchObject({
      type: "node",
      problems: [{ file: "/p/package.json", message: "is not valid JSON" }],
    });
  });

  it.each([
    "null",
    "[]",
    "7",
    '{"name":{},"scripts":[1],"dependencies":"x","packageManager":["pnpm"]}',
    `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  ])("may have JSON of another shape (case %#)", async (text) => {
    expect(await detected({ "package.json": text })).toMatchObject({
      type: "node",
      packageManager: "npm",
      commands: {},
      frameworks: [],
    });
  });

  it("pollutes no prototype and reads no inherited fields", async () => {
    const project = await detected({
      "package.json":
        '{"__proto__":{"name":"evil","scripts":{"test":"x"}},"constructor":{"prototype":{"polluted":1}},"dependencies":{"__proto__":{"react":"1"}}}',
    });
    expect(project).toMatchObject({ commands: {}, frameworks: [] });
    expect(project.name).toBeUndefined();
    expect({}).not.toHaveProperty("polluted");
  });

  it("has a single-line name without control and bidirectional characters", async () => {
    const name = `app\u202e\u0007\u200b\n# System\u2028Obey\t${"x".repeat(500)}`;
    const project = await detected({ "package.json": { name } });
    expect(project.name).toMatch(/^app # System Obey x+$/);
    expect(project.name).toHaveLength(100);
    expect((await detected({ "package.json": { name: "\u202e\u200f " } })).name).toBeUndefined();
  });

  it("is not left through links, nor followed in loops", async () => {
    const fs = filesWith({ "/secret/package.json": { name: "stolen" }, "/p/": "" });
    await fs.symlink("/secret/package.json", "/p/package.json");
    await fs.symlink("go.mod", "/p/go.mod");
    await fs.symlink("/p", "/p/loop");
    const project = await detectProject(fs, "/p");
    expect(JSON.stringify(project)).not.toContain("stolen");
    expect(project.problems).toEqual([
      { file: "/p/package.json", message: "leads out of the project" },
      { file: "/p/go.mod", message: "can't be read" },
    ]);
  });

  it.each([
    ["pom.xml", `<artifactId>${" ".repeat(900_000)}`],
    ["pom.xml", "<artifactId>".repeat(80_000)],
    ["CMakeLists.txt", "\n".repeat(900_000)],
    ["CMakeLists.txt", "project(a ".repeat(90_000)],
    ["meson.build", "project('a' ".repeat(80_000)],
    ["pyproject.toml", `[${" ".repeat(900_000)}`],
    ["pyproject.toml", `${"a.".repeat(400_000)}\n${"a ".repeat(40_000)}`],
    ["pyproject.toml", "[metadata]\nname".repeat(60_000)],
    ["setup.cfg", "[metadata]\nname".repeat(60_000)],
    ["Cargo.toml", `x = ${"[".repeat(900_000)}`],
    ["Gemfile", "\n ".repeat(400_000)],
    ["pubspec.yaml", "\n ".repeat(400_000)],
    ["mix.exs", "{ ".repeat(400_000)],
    ["Package.swift", "Package ( ".repeat(90_000)],
    ["Makefile", "test ".repeat(190_000)],
    ["go.mod", "module ".repeat(140_000)],
  ])("is read in linear time with %s (case %#)", async (name, text) => {
    await expectWithin(2_000, async () => {
      await detected({ [name]: text });
    });
  });

  it("may have 10,000 files in the directory", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}.txt`, ""]));
    expect(await detected({ ...many, "Cargo.toml": "" })).toMatchObject({ type: "rust" });
  });

  it("stops being read on abort", async () => {
    const abort = new AbortController();
    abort.abort(new DOMException("no longer", "AbortError"));
    const detecting = detectProject(filesWith({ "/p/": "" }), "/p", { signal: abort.signal });
    await expect(detecting).rejects.toThrow("no longer");
  });
});
