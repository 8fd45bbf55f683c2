import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { withHost } from "#host";
import { nodePlatform } from "@robota/adapters-node";
import { contentText, InteractiveSession, type Platform } from "@robota/runtime";
import { explainOnFiles } from "@robota/runtime/permissions";
import { ScriptedProvider } from "@robota/runtime/testing";
import { describe, expect, it } from "vitest";
import { isReadOnly } from "../../../packages/runtime/src/permissions/read-only/read-only-commands.ts";
import {
  ageIndex,
  append,
  git,
  LOOKING,
  ordinary,
  put,
  type StandIn,
  TRAPS,
} from "./repositories.ts";

const execute = promisify(execFile);

interface Seen {
  /** Lines that somebody was asked about, with the reason. */
  asked: Map<string, string>;
  /** The output or the failure of the other programs. */
  shown: Map<string, string>;
}

/** A model that gives these lines to the shell, one after the other, and a person who says no to everything. */
async function look(
  platform: Platform,
  { cwd, directory, allow = [] }: { cwd: string; directory?: string | undefined; allow?: string[] },
  lines: readonly string[],
): Promise<Seen> {
  const enter = directory === undefined ? [] : [`cd ${directory}`];
  const callsOf = (commands: readonly string[]) => ({
    toolCalls: commands.map((command) => ({ name: "Bash", args: { command } })),
  });
  const seen: Seen = { asked: new Map(), shown: new Map() };
  await using session = new InteractiveSession({
    platform,
    cwd,
    permissions: { allow },
    provider: new ScriptedProvider([
      ...enter.map((line) => callsOf([line])),
      callsOf(lines),
      { text: "done" },
    ]),
  });
  session.on("permission_request", ({ id, args, reason }) => {
    seen.asked.set(String(args["command"]), reason);
    void session.resolvePermission(id, { allow: false });
  });
  await session.submit("look");
  const results = session.getMessages().filter(({ role }) => role === "tool");
  for (const [index, { content }] of results.entries())
    seen.shown.set([...enter, ...lines][index] ?? "", contentText(content));
  return seen;
}

async function standInAt(directory: string): Promise<StandIn> {
  const standIn = { program: join(directory, "stand-in.sh"), log: join(directory, "started") };
  await put(standIn.program, `#!/bin/sh\necho "$0 $*" >> ${standIn.log}\n`, 0o755);
  return standIn;
}

const startedBy = ({ log }: StandIn): Promise<string> => readFile(log, "utf8").catch(() => "");

/** Calls Git as a person does, without this program in between. */
async function springs(cwd: string, home: string, line: string): Promise<void> {
  const env = { ...process.env, HOME: home };
  await execute("bash", ["-c", `${line} < /dev/null`], { cwd, env }).catch(() => {});
}

describe("reading a repository starts no program", () => {
  for (const trap of TRAPS) {
    const { name, directory, sprungBy } = trap;
    it(`by ${name}`, () =>
      withHost(async ({ platform, cwd }) => {
        const standIn = await standInAt(platform.home);
        await trap.set(cwd, standIn);
        const place = { cwd, directory };
        const { asked } = await look(platform, place, sprungBy);
        expect(await startedBy(standIn)).toBe("");
        expect([...asked.keys()]).toEqual(sprungBy);
        const from = resolve(cwd, directory ?? "");
        for (const command of LOOKING) {
          const where = { cwd, directory: from, roots: [cwd], isReadOnly, startsPrograms: true };
          const judged = await explainOnFiles(
            platform.fs,
            "Bash",
            { command },
            "default",
            {},
            where,
          );
          expect(judged, command).toMatchObject({ decision: "approve" });
        }

        // The trap is one: without the question it would have been sprung.
        for (const line of sprungBy) await springs(join(cwd, directory ?? ""), platform.home, line);
        expect(await startedBy(standIn), "nothing stops it").not.toBe("");
      }));
  }

  it("names the setting in the request", () =>
    withHost(async ({ platform, cwd }) => {
      await ordinary(cwd);
      await append(join(cwd, ".git/config"), '[filter "x"]\n\tclean = ./clean.sh\n');
      const { asked } = await look(platform, { cwd }, ["git status"]);
      expect(asked.get("git status")).toBe(
        `Git would obey ${cwd}/.git/config, which may start programs: filter.x.clean.`,
      );
    }));

  it("needs approval also under a rule with a star, but not under one that spells the line out", () =>
    withHost(async ({ platform, cwd }) => {
      await ordinary(cwd);
      await append(join(cwd, ".git/config"), "[core]\n\tfsmonitor = ./watch.sh\n");
      const allow = ["Bash(git *)", "Bash(git diff --stat)"];
      const { asked } = await look(platform, { cwd, allow }, ["git status", "git diff --stat"]);
      expect([...asked.keys()]).toEqual(["git status"]);
    }));
});

describe("an ordinary repository is read without a request", () => {
  const ORDINARY: Record<string, (cwd: string) => Promise<void>> = {
    "a new one": (cwd) => ordinary(cwd),
    "one of SHA-256": (cwd) => ordinary(cwd, "--object-format=sha256"),
    "a clone with a remote, an upstream, a name and an alias": async (cwd) => {
      await ordinary(`${cwd}-origin`);
      await git(cwd, "clone", "-q", `${cwd}-origin`, ".");
      await git(cwd, "config", "user.name", "Ann");
      await git(cwd, "config", "user.email", "ann@example.com");
      await git(cwd, "config", "alias.st", "status -sb");
      await git(cwd, "config", "pull.rebase", "true");
      await git(cwd, "remote", "add", "fork", "git@example.com:ann/fork.git");
    },
    "one with husky": async (cwd) => {
      await ordinary(cwd);
      await put(join(cwd, ".husky/_/pre-commit"), "#!/bin/sh\n", 0o755);
      await git(cwd, "config", "core.hooksPath", ".husky/_");
    },
    "one with a submodule": async (cwd) => {
      await ordinary(cwd);
      await ordinary(`${cwd}-library`);
      await git(
        cwd,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        `${cwd}-library`,
        "lib",
      );
      await git(cwd, "commit", "-q", "-m", "library");
    },
    "a worktree": async (cwd) => {
      await ordinary(`${cwd}-main`);
      await git(`${cwd}-main`, "worktree", "add", "-q", cwd, "HEAD~1");
    },
    "one with a sparse checkout and the watcher of Git": async (cwd) => {
      await ordinary(cwd);
      await git(cwd, "config", "core.untrackedCache", "true");
      await git(cwd, "sparse-checkout", "set", "--no-cone", "/*");
    },
    "none at all": (cwd) => put(join(cwd, "a.txt"), "one\n"),
  };
  for (const [name, make] of Object.entries(ORDINARY)) {
    it(name, () =>
      withHost(async ({ platform, cwd }) => {
        await make(cwd);
        const { asked, shown } = await look(platform, { cwd }, LOOKING);
        expect(Object.fromEntries(asked)).toEqual({});
        if (name === "none at all") return;
        expect(shown.get("git log")).toContain("commit ");
        expect(shown.get("git show HEAD:a.txt")).toContain("one");
      }),
    );
  }
});

describe("a read-only line starts Git with fewer features", () => {
  it("runs no hook from a person's own settings in the repository", () =>
    withHost(async ({ platform, cwd }) => {
      const standIn = await standInAt(platform.home);
      await ordinary(cwd);
      await put(join(cwd, ".hooks/post-index-change"), `#!/bin/sh\n${standIn.program}\n`, 0o755);
      const own = "[core]\n\thooksPath = .hooks\n\tfsmonitor = .hooks/post-index-change\n";
      await put(join(platform.home, ".gitconfig"), own);
      const native = nodePlatform({
        home: platform.home,
        env: { ...process.env, HOME: platform.home },
      });
      const { asked, shown } = await look(native, { cwd }, LOOKING);
      await native.dispose();
      expect(asked.size).toBe(0);
      expect(shown.get("git status --short")).toContain("M a.txt");
      expect(await startedBy(standIn)).toBe("");
      await springs(cwd, platform.home, "git status");
      expect(await startedBy(standIn)).not.toBe("");
    }));

  it("writes no index, and does not change other lines", () =>
    withHost(async ({ platform, cwd }) => {
      await ordinary(cwd);
      const index = join(cwd, ".git/index");
      await ageIndex(cwd);
      const before = await readFile(index);
      await look(platform, { cwd }, ["git status"]);
      expect((await readFile(index)).equals(before)).toBe(true);
      const allow = ["Bash(git *)", "Bash(env)"];
      const { shown } = await look(platform, { cwd, allow }, ["git status && env"]);
      expect(shown.get("git status && env")).not.toContain("GIT_");
    }));
});
