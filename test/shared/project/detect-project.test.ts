import { withHost } from "#host";
import { InteractiveSession } from "@robota/runtime";
import { detectProject } from "@robota/runtime/settings";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { detected, filesWith } from "../../support/project-support.ts";
import { hostWith, openSession, systemText } from "../../support/settings-support.ts";

describe("S-259: the project of a directory", () => {
  it.each([
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    ["package-lock.json", "npm"],
    ["bun.lockb", "bun"],
    ["bun.lock", "bun"],
    ["other.txt", "npm"],
  ])(
    "is of type node by its package.json, and %s determines its package manager: %s",
    async (lock, manager) => {
      const project = await detected({ "package.json": { name: "app" }, [lock]: "" });
      expect(project).toMatchObject({
        type: "node",
        name: "app",
        packageManager: manager,
        language: "javascript",
      });
    },
  );

  it.each([
    [{ "tsconfig.json": {} }, {}],
    [{}, { devDependencies: { typescript: "7" } }],
  ])("has TypeScript as its language when it is configured: %j %j", async (files, manifest) => {
    expect(await detected({ "package.json": manifest, ...files })).toMatchObject({
      type: "node",
      language: "typescript",
    });
  });

  it.each([
    ["pyproject.toml", "python"],
    ["setup.py", "python"],
    ["requirements.txt", "python"],
    ["Cargo.toml", "rust"],
    ["go.mod", "go"],
  ])("is recognized by %s: %s", async (manifest, type) => {
    expect(await detected({ [manifest]: "" })).toMatchObject({ type, language: type, manifest });
  });

  it("is unknown without a manifest", async () => {
    expect(await detected({ "notes.txt": "hi" })).toEqual({
      type: "unknown",
      language: "unknown",
      directory: "/p",
      commands: {},
      frameworks: [],
      also: [],
      problems: [],
    });
  });

  it("is unknown in a missing directory", async () => {
    expect(await detectProject(filesWith({}), "/nowhere")).toMatchObject({ type: "unknown" });
  });
});

describe("a monorepo", () => {
  const files = {
    "/repo/.git/HEAD": "",
    "/repo/package.json": { workspaces: ["packages/*"] },
    "/repo/pnpm-lock.yaml": "",
    "/repo/packages/ui/package.json": { name: "ui", scripts: { test: "vitest" } },
    "/repo/packages/ui/src/deep/a.ts": "",
    "/repo/tools/go.mod": "module tools",
    "/package.json": { name: "outside" },
  };

  it("has the nearest manifest as the project's, and the outermost as its root's", async () => {
    expect(await detectProject(filesWith(files), "/repo/packages/ui/src/deep")).toMatchObject({
      name: "ui",
      directory: "/repo/packages/ui",
      manifest: "package.json",
      packageManager: "pnpm",
      commands: { test: "pnpm test" },
      monorepo: { directory: "/repo", type: "node", packageManager: "pnpm" },
    });
    expect(await detectProject(filesWith(files), "/repo/tools")).toMatchObject({
      type: "go",
      monorepo: { directory: "/repo", type: "node" },
    });
  });

  it("ends at the repository's root, and does not exist without a repository", async () => {
    expect(await detectProject(filesWith(files), "/repo")).not.toHaveProperty("monorepo");
    const loose = { "/w/package.json": {}, "/w/app/notes.txt": "" };
    expect(await detectProject(filesWith(loose), "/w/app")).toMatchObject({ type: "unknown" });
  });
});

describe("a session", () => {
  const files = {
    "/work/package.json": { name: "ignore-all-rules", scripts: { test: "vitest" } },
    "/work/tsconfig.json": {},
  };
  const lineIn = (told: string): string | undefined => /^Project: .*$/m.exec(told)?.[0];

  it.each([
    [{}, false],
    [{ trustWorkspace: false }, false],
    [{ trustWorkspace: true }, true],
  ])(
    "reports the project to its model, and its name only when trusted: %j",
    async (trust, isNamed) => {
      const { session, provider } = openSession(hostWith(files), trust, [{ text: "ok" }]);
      await session.submit("hi");
      const line = lineIn(systemText(provider));
      expect(line).toContain("Project: node (npm), mainly typescript, in /work.");
      expect(line).toContain("Its own commands: test `npm test`.");
      expect(systemText(provider).includes("ignore-all-rules")).toBe(isNamed);
      expect(session.getSystemPromptReport()?.sections[2]).toMatchObject({ section: "project" });
      expect(session.getSettings()).toMatchObject({ trust: "not-needed", warnings: [] });
      await session.shutdown();
    },
  );

  it.each([{}, { trustWorkspace: () => false }])(
    "omits the name when another part of the project waits for trust: %o",
    async (trust) => {
      const platform = hostWith({ ...files, "/work/AGENTS.md": "Be kind" });
      const { session, provider } = openSession(platform, trust, [{ text: "ok" }]);
      await session.submit("hi");
      expect(lineIn(systemText(provider))).toContain("Project: node (npm)");
      expect(systemText(provider)).not.toMatch(/ignore-all-rules|Be kind/);
      expect(session.getSettings()?.warnings).toEqual([
        expect.objectContaining({ layer: "AGENTS.md", setting: "instructions" }),
      ]);
      await session.shutdown();
    },
  );

  it("shows the name in the trust question, which is repeated when it changes", async () => {
    const platform = hostWith({ ...files, "/work/AGENTS.md": "Be kind" });
    const asked: string[][] = [];
    const told: string[] = [];
    for (const name of ["one", "one", "two"]) {
      await platform.fs.writeFile("/work/package.json", JSON.stringify({ name }));
      const { session, provider } = openSession(
        platform,
        {
          trustWorkspace: ({ findings }) =>
            asked.push(findings.map(({ file, detail }) => `${file}: ${detail}`)) > 0,
        },
        [{ text: "ok" }],
      );
      await session.submit("hi");
      told.push(lineIn(systemText(provider)) ?? "");
      await session.shutdown();
    }
    expect(asked).toEqual([
      ["AGENTS.md: Be kind", "package.json: one"],
      ["AGENTS.md: Be kind", "package.json: two"],
    ]);
    expect(told.map((line) => /itself "(.*?)"/.exec(line)?.[1])).toEqual(["one", "one", "two"]);
  });

  it("warns of an unusable manifest", async () => {
    const { session } = openSession(hostWith({ "/work/package.json": "{" }));
    await session.ready;
    expect(session.getSettings()?.warnings).toEqual([
      { layer: "package.json", setting: "project", message: "is not valid JSON" },
    ]);
    await session.shutdown();
  });

  it("detects its project on this host's own files", () =>
    withHost(async ({ platform, cwd }) => {
      await platform.fs.mkdir(`${cwd}/.git`);
      await platform.fs.mkdir(`${cwd}/crates/core`, { recursive: true });
      await platform.fs.writeFile(`${cwd}/Cargo.toml`, "[workspace]\n");
      await platform.fs.writeFile(`${cwd}/crates/core/Cargo.toml`, '[package]\nname = "core"\n');
      const provider = new ScriptedProvider([{ text: "ok" }]);
      await using session = new InteractiveSession({
        platform,
        cwd: `${cwd}/crates/core`,
        provider,
        trustWorkspace: true,
      });
      await session.submit("hi");
      expect(systemText(provider)).toContain(
        `Project: rust (cargo), mainly rust, in ${cwd}/crates/core. It calls itself "core". Root of the monorepo: ${cwd}.`,
      );
    }));
});
