import { withHost } from "#host";
import { type FileSystem, InteractiveSession, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { VirtualShell } from "@robota/shell";
import { describe, expect, it } from "vitest";
import { PROTECTED, protectedGit, SERVED, WITH_BRANCH } from "../../support/git/protected-git.ts";

interface Host {
  platform: Platform;
  cwd: string;
}

/** Runs on a repository whose branch `ci` has protected files. */
const onRepository = (run: (host: Host) => Promise<void>): Promise<void> =>
  withHost(async ({ platform, cwd }) => {
    const shell = new VirtualShell({ fs: platform.fs, ...SERVED });
    const { stderr } = await shell.exec(WITH_BRANCH, { cwd });
    expect(stderr).toBe("");
    await run({ platform: { ...platform, shell }, cwd });
  });

/** Which of these files are there. */
async function there(fs: FileSystem, cwd: string, names: readonly string[]): Promise<string[]> {
  const stats = await Promise.all(names.map((name) => fs.stat(`${cwd}/${name}`).catch(() => null)));
  return names.filter((_, index) => stats[index]);
}

const ALL = ["b", ...PROTECTED];

describe("git of the virtual shell, at protected files of its working tree", () => {
  it.each([
    "git checkout ci",
    "git switch ci",
    "git merge ci",
    "git reset --hard ci",
    "git checkout ci -- .",
  ])("writes them with %s when a person approves the line, which lists them", async (line) => {
    await onRepository(async ({ platform, cwd }) => {
      const { told, requests } = await protectedGit({ platform, cwd, lines: [line] });
      const files = PROTECTED.map((name) => `${cwd}/${name}`);
      expect(requests.map(({ preview }) => preview?.protectedFiles)).toEqual([files]);
      for (const file of files) expect(requests[0]?.preview?.note).toContain(file);
      expect(told[0]).not.toMatch(/protected|error|fatal/);
      expect(await there(platform.fs, cwd, ALL)).toEqual(ALL);
    });
  });

  it("writes nothing of the commit without approval, and the same line asks again, in bypassPermissions too", async () => {
    await onRepository(async ({ platform, cwd }) => {
      const mode = "bypassPermissions";
      const first = await protectedGit({
        platform,
        cwd,
        mode,
        lines: ["git checkout ci", "git status"],
      });
      expect(first.requests).toEqual([]);
      expect(first.told[0]).toMatch(
        /ci\.yml is protected: it is a configuration of continuous integration.*run the same line once more/s,
      );
      expect(first.told[1]).toMatch(/On branch main\nnothing to commit/);
      expect(await there(platform.fs, cwd, ALL)).toEqual([]);

      const lines = ["git checkout ci", "git checkout ci", "git checkout main"];
      const again = await protectedGit({ platform, cwd, mode, lines });
      expect(again.requests.map(({ args, reason }) => [args["command"], reason])).toEqual([
        ["git checkout ci", expect.stringContaining("protected files")],
      ]);
      expect(again.told[1]).not.toMatch(/protected|error/);
      // Taking them away is a change of them, too.
      expect(again.told[2]).toMatch(/is protected/);
      expect(await there(platform.fs, cwd, ALL)).toEqual(ALL);
    });
  });

  it.each([
    [
      "a rule that denies one of them holds",
      { deny: ["Write(/.vscode/**)"] },
      /\.vscode\/tasks\.json/,
    ],
    ["a no is a no", { answer: false }, /Permission denied/],
    ["the yes of a hook is not a person's", { hookAllows: true }, /is protected/],
  ])("writes nothing of the commit when %s", async (_why, options, told) => {
    await onRepository(async ({ platform, cwd }) => {
      const done = await protectedGit({ platform, cwd, lines: ["git checkout ci"], ...options });
      expect(done.told[0]).toMatch(told);
      expect(await there(platform.fs, cwd, ALL)).toEqual([]);
    });
  });

  it("protects them from other commands of the approved line", async () => {
    await onRepository(async ({ platform, cwd }) => {
      const line =
        "d=.vsc; git checkout -q ci; echo evil > ${d}ode/tasks.json; echo evil > ${d}ode/x";
      await protectedGit({ platform, cwd, lines: [line] });
      const { fs } = platform;
      expect(await there(fs, cwd, [".vscode/x"])).toEqual([]);
      const text = await fs.readFile(`${cwd}/.vscode/tasks.json`).catch(() => new Uint8Array());
      expect(new TextDecoder().decode(text)).not.toContain("evil");
    });
  });
});

describe("a clone of a repository with protected files", () => {
  const CLONE = "git clone -q https://a.example.com/r.git";
  const CLONED = [
    "r/README.md",
    "r/.github/workflows/ci.yml",
    "r/.vscode/tasks.json",
    "r/.robota/settings.json",
  ];
  const onNothing = (run: (host: Host) => Promise<void>): Promise<void> =>
    withHost(async ({ platform, cwd }) => {
      const shell = new VirtualShell({ fs: platform.fs, ...SERVED });
      await run({ platform: { ...platform, shell }, cwd });
    });
  /** Opens the clone as a workspace, and returns what a person is asked to trust before it acts. */
  const questions = async (platform: Platform, cwd: string): Promise<string[]> => {
    const asked: string[] = [];
    await using session = new InteractiveSession({
      platform,
      cwd,
      provider: new ScriptedProvider([{ text: "Hello" }]),
      trustWorkspace: ({ findings }) => {
        asked.push(...findings.map(({ setting }) => setting));
        return false;
      },
    });
    await session.submit("Hi");
    return asked;
  };

  it("is written completely into a new directory when a person approves the line, and waits for trust there", async () => {
    await onNothing(async ({ platform, cwd }) => {
      const { told, requests } = await protectedGit({ platform, cwd, lines: [CLONE] });
      expect(requests).toHaveLength(1);
      expect(told[0]).not.toMatch(/protected|error|fatal/);
      expect(await there(platform.fs, cwd, CLONED)).toEqual(CLONED);
      expect(await questions(platform, `${cwd}/r`)).toEqual([
        "hooks.SessionStart",
        "permissions.allow",
      ]);
      expect(await there(platform.fs, cwd, ["r/ran"])).toEqual([]);
    });
  });

  it("needs approval on a second run, when no person was asked at first", async () => {
    await onNothing(async ({ platform, cwd }) => {
      const mode = "bypassPermissions";
      const { told, requests } = await protectedGit({
        platform,
        cwd,
        mode,
        lines: [CLONE, "ls -a", CLONE],
      });
      expect(told[0]).toMatch(/is protected.*run the same line once more/s);
      expect(told[1]).not.toMatch(/\br\b/);
      expect(requests).toHaveLength(1);
      expect(await there(platform.fs, cwd, CLONED)).toEqual(CLONED);
    });
  });

  it.each([
    ["under a protected name", `${CLONE} .vscode/r`, {}],
    ["where a rule denies it", CLONE, { deny: ["Write(/r/.github/**)"] }],
  ])("does not write %s", async (_where, line, options) => {
    await onNothing(async ({ platform, cwd }) => {
      await protectedGit({ platform, cwd, lines: [line], ...options });
      expect(await there(platform.fs, cwd, [".vscode", ...CLONED])).toEqual([]);
    });
  });
});
