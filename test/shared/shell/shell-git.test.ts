import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { beforeAll, describe, expect, it } from "vitest";
import answers from "../../git/answers.json" with { type: "json" };
import { type Answer, environmentOf, scenarios } from "../../git/scenarios.ts";
import { expectWithin } from "../../support/time/own-time.ts";

const recorded: Record<string, readonly Answer[]> = answers;

function newShell() {
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  return { fs, shell: new VirtualShell({ fs }) };
}

// The first command loads the shell and git, which takes its time in an isolate of a busy machine.
beforeAll(async () => void (await newShell().shell.exec("git version", { cwd: "/code" })));

describe("git answers as real git, line for line, with the same ids", () => {
  it.each(scenarios)("$name", async ({ name, lines }) => {
    const { shell } = newShell();
    for (const [at, line] of lines.entries()) {
      const { stdout, stderr, exitCode } = await shell.exec(line, {
        cwd: "/code",
        env: environmentOf(at),
      });
      expect({ stdout, stderr, exitCode }, `${name}: ${line}`).toEqual(recorded[name]?.[at]);
    }
  });
});

describe("unsupported uses of git", () => {
  const run = async (line: string, options: { files?: Record<string, string> } = {}) => {
    const { fs, shell } = newShell();
    const inCode = { cwd: "/code", env: environmentOf(0) };
    await shell.exec("git init -q; echo 1 > a; git add a; git commit -qm one", inCode);
    for (const [path, text] of Object.entries(options.files ?? {})) await fs.writeFile(path, text);
    return shell.exec(line, inCode);
  };

  it.each([
    ["git stash", "commit to a temporary branch instead"],
    ["git rebase main", "use git merge"],
    ["git add -p", "add whole files by their paths"],
    ["git commit", "give it with -m or -F"],
    ["git clone git@example.com:a/b.git", "use the repository's https URL"],
    ["git clone https://example.com/a/b.git", "has configured none for git"],
  ])("%s fails with a line that names the alternative", async (line, advice) => {
    const { stderr, exitCode } = await run(`echo 2 >> a; git add a; ${line}`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(advice);
    expect(exitCode).not.toBe(0);
  });

  it("runs no hook, alias, pager, filter or monitor, whatever the repository configures", async () => {
    const trap = "#!/bin/sh\ntouch /code/ran\n";
    const { stdout } = await run(
      `git config core.fsmonitor /code/.git/hooks/pre-commit; git config core.pager /code/.git/hooks/pre-commit;
       git config alias.st '!touch /code/ran'; git config filter.x.clean /code/.git/hooks/pre-commit;
       chmod +x .git/hooks/*; echo 2 > a; git st; git -p log -1 --format=%s; git commit -qam two; git status -s; ls`,
      {
        files: {
          "/code/.git/hooks/pre-commit": trap,
          "/code/.git/hooks/post-commit": trap,
          "/code/.gitattributes": "* filter=x\n",
        },
      },
    );
    expect(stdout).toBe("one\n?? .gitattributes\na\n");
  });

  it("lists a configuration with many spaces in linear time", async () => {
    const spaces = " ".repeat(100_000);
    await expectWithin(4_000, async () => {
      const { stdout } = await run(`HOME=/code git config --list | tr -s ' ' | grep user.nick`, {
        files: { "/code/.gitconfig": `[user]\n  nick = a${spaces}b${spaces}\n` },
      });
      expect(stdout).toBe("user.nick=a b\n");
    });
  });

  it("accesses files by the rules of the command's session, including those in .git", async () => {
    const { shell } = newShell();
    const env = environmentOf(0);
    await shell.exec("git init -q; echo secret > .env; git add .; git commit -qm one", {
      cwd: "/code",
      env,
    });
    const rules = {
      refusesFile: (path: string, kind: "read" | "write") =>
        path === "/code/.env" || (kind === "write" && path.startsWith("/code/.git/"))
          ? "it is denied"
          : undefined,
      refusesCommand: () => undefined,
    };
    const { stderr, exitCode } = await shell.exec("echo x >> a; git add a", {
      cwd: "/code",
      env,
      rules,
    });
    expect([stderr, exitCode]).toEqual([expect.stringContaining("it is denied"), 1]);
    const removed = await shell.exec("git rm -q .env || git status -s", {
      cwd: "/code",
      env,
      rules,
    });
    expect(removed.stderr).toContain("it is denied");
    expect((await shell.exec("cat .env", { cwd: "/code" })).stdout).toBe("secret\n");
  });
});
