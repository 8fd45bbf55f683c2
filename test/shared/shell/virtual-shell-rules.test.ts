import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { describe, expect, it } from "vitest";
import { expectAtBest, expectRatio } from "../../support/time/own-time.ts";
import { changing, launching, reading } from "./shell-spellings.ts";
import { type Act, createWorld, forbid, type Rules } from "./shell-world.ts";

const spellings: readonly [Act, readonly string[]][] = [
  ["read", reading],
  ["write", changing],
  ["launch", launching],
];

async function spell(command: string, act: Act, rules?: Rules): Promise<boolean> {
  const world = await createWorld();
  const shell = new VirtualShell({ fs: world.fs, customCommands: [world.launch] });
  await shell.exec(command, { cwd: "/code", rules });
  return world.did(act);
}

it.each(spellings)(
  "denies %s access to denied files, in any notation",
  async (act, scripts) => {
    const rules = forbid(act);
    const [harmless, through]: [string[], string[]] = [[], []];
    for (const script of scripts) {
      // Only what does it without a rule proves anything.
      if (!(await spell(script, act))) harmless.push(script);
      if (await spell(script, act, rules)) through.push(script);
    }
    expect({ harmless, through }).toEqual({ harmless: [], through: [] });
  },
  240_000,
);

it("has more than 200 ways", () => {
  expect(spellings.reduce((sum, [, scripts]) => sum + scripts.length, 0)).toBeGreaterThan(400);
});

async function run(command: string, rules: Partial<Rules>) {
  const world = await createWorld();
  const shell = new VirtualShell({ fs: world.fs, customCommands: [world.launch] });
  const nothing = (): undefined => undefined;
  const all = { refusesFile: nothing, refusesCommand: nothing, ...rules };
  return { ...(await shell.exec(command, { cwd: "/code", rules: all })), fs: world.fs };
}

it("fails a refused command with 126 and the reason, and continues", async () => {
  const { stdout, stderr, exitCode } = await run("rm names; echo $?; ls names", {
    refusesCommand: ([word]) => (word === "rm" ? "nothing may be removed" : undefined),
  });
  expect([stdout, stderr]).toEqual([
    "126\nnames\n",
    "bash: line 1: rm: not permitted: nothing may be removed\n",
  ]);
  expect(exitCode).toBe(0);
});

describe("a file in a directory of PATH", () => {
  const set =
    "mkdir bin; echo echo from the file $\\* > bin/mine; cp bin/mine bin/names; cp bin/mine bin/rm; chmod +x bin/*; PATH=bin:$PATH";

  it("runs by its name, and is asked about by that and by its path", async () => {
    const asked: string[] = [];
    const { stdout } = await run(`${set}; mine a`, {
      refusesCommand: (words) => void asked.push(words.join(" ")),
    });
    expect(stdout).toBe("from the file a\n");
    expect(asked.slice(-3)).toEqual(["mine a", "bin/mine a", "echo from the file a"]);
    const refused = await run(`${set}; mine a; echo $?`, {
      refusesCommand: ([word]) => (word === "bin/mine" ? "not this one" : undefined),
    });
    expect(refused.stdout).toBe("126\n");
  });

  it("never takes the place of a program, which rules may allow by its name", async () => {
    const { stdout } = await run(`${set}; rm names; ls names 2>/dev/null; echo done`, {});
    expect(stdout).toBe("done\n");
  });
});

it("checks the words after expansion and the directory at that time", async () => {
  const asked: [readonly string[], string][] = [];
  await run('x="a b"; cd sub; echo $x "$x" *; cd ..; f() { launch $1; }; f {1..2}', {
    refusesCommand: (words, cwd) => void asked.push([[...words], cwd]),
  });
  expect(asked).toEqual([
    [["cd", "sub"], "/code"],
    [["echo", "a", "b", "a b", "*"], "/code/sub"],
    [["cd", ".."], "/code/sub"],
    [["f", "1", "2"], "/code"],
    [["launch", "1"], "/code"],
  ]);
});

it.each([
  "command rm out",
  "exec rm out",
  "env A=1 rm out",
  "echo out | xargs rm",
  "find out -exec rm {} +",
  "eval 'rm out'",
  "bash -c 'rm out'",
  "timeout 5 rm out",
  "nohup rm out",
  "trap 'rm out' EXIT",
  "(rm out) & wait",
  "cat <(rm out)",
  "x=$(rm out)",
  "printf 'rm out\\n' > s; . ./s",
  "printf '#!/usr/bin/env -S bash -e\\nrm out\\n' > s; chmod +x s; ./s",
  "printf '#!/bin/rm\\n' > out; chmod +x out; ./out",
  "command_not_found_handle() { rm out; }; nothing",
])("asks before %s removes a file", async (command) => {
  const files = new MemoryFileSystem({ files: { "/work/out": "kept" } });
  const rules: Rules = {
    refusesFile: () => undefined,
    refusesCommand: ([word]) => (word === "rm" ? "no removals" : undefined),
  };
  const { stderr } = await new VirtualShell({ fs: files }).exec(command, { cwd: "/work", rules });
  expect(stderr).toContain("rm: not permitted: no removals\n");
  expect(await files.stat("/work/out")).toMatchObject({ type: "file" });
});

it("reports the refused files, because programs call them missing", async () => {
  const { stderr, exitCode } = await run("head .env; head .env", forbid("read"));
  expect(exitCode).not.toBe(0);
  expect(stderr.match(/not permitted/g)).toHaveLength(1);
  expect(stderr).toContain("bash: /code/.env: not permitted: read is denied\n");
});

it("keeps a refused file when its parent is removed, moved or overwritten", async () => {
  const rules: Partial<Rules> = {
    refusesFile: (path, kind) =>
      path.startsWith("/code/sub/kept") && kind === "write" ? "kept" : undefined,
  };
  const setUp = async () => {
    const fs = new MemoryFileSystem({ files: { "/code/sub/kept/a": "a", "/code/b": "b" } });
    await fs.symlink("/code/sub/kept/new", "/code/dangling");
    return fs;
  };
  for (const command of [
    "rm -rf sub",
    "mv sub other",
    "mkdir other; mv other sub/kept/other",
    "echo x > dangling",
    "mkdir -p sub/kept/x/y",
    "ln -s /tmp sub/kept/l",
    "mkdir -p new/kept; mv sub/kept new/kept; mv new/kept sub",
  ]) {
    const fs = await setUp();
    const shell = new VirtualShell({ fs });
    const nothing = (): undefined => undefined;
    const result = await shell.exec(command, {
      cwd: "/code",
      rules: { refusesFile: nothing, refusesCommand: nothing, ...rules },
    });
    expect([command, result.stderr]).toEqual([command, expect.stringContaining("not permitted")]);
    expect(await fs.readdir("/code/sub/kept")).toEqual([{ name: "a", type: "file" }]);
  }
});

it("does not allow reading a file by moving it", async () => {
  const { stdout, fs } = await run("mkdir d; mv .env d/x; cat d/x; mv /code /c; cat /c/.env", {
    refusesFile: (path, kind) => (path === "/code/.env" && kind === "read" ? "secret" : undefined),
  });
  expect(stdout).toBe("");
  expect((await fs.lstat("/code/.env")).type).toBe("file");
});

const ordinary = `
mkdir -p a/b && cd a && echo one > b/f && cat b/f | tr a-z A-Z > g
for i in 1 2 3; do echo $i >> n; done; sort -rn n | head -2
f() { local x=$1; echo "<$x>"; }; f "$(wc -l < n)"
ls -la .. | wc -l; find . -type f | sort; grep -rn o . ; cp -r b c; rm -r b; mv c d; ls d
ln -s d/f l; cat l; sed -i s/one/two/ d/f; cat l; test -f missing || echo none
printf '%s\\n' {a..c} | xargs -I{} echo "[{}]"; cat missing; [ -d d ] && echo yes; false`;

it("does not affect allowed operations", async () => {
  const { fs: _, ...plain } = await run(ordinary, {});
  const world = await createWorld();
  const bare = await new VirtualShell({ fs: world.fs }).exec(ordinary, { cwd: "/code" });
  expect(plain).toEqual(bare);
  expect(plain.stdout).toContain("two");
});

it("costs little", async () => {
  const world = await createWorld();
  const shell = new VirtualShell({ fs: world.fs });
  const run = async (rules?: Rules): Promise<void> => {
    for (let count = 0; count < 20; count++) {
      const options = { cwd: "/code", rules };
      await shell.exec("cat names | wc -l > sub/out", options);
    }
  };
  const rules = forbid("launch");
  await run();
  await expectRatio(
    1.6,
    () => run(rules),
    () => run(),
  );
});

it("isolates 50 concurrent commands", async () => {
  const world = await createWorld();
  const shell = new VirtualShell({ fs: world.fs });
  const results = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const script = `mkdir -p d${index}; cd d${index}; x=${index}; for i in 1 2 3; do echo $x >> f; done; f() { echo $x; }; f; cat f; pwd`;
      const rules: Rules = {
        refusesFile: () => undefined,
        refusesCommand: ([word]) => (word === "pwd" && index % 2 ? "odd" : undefined),
      };
      return shell.exec(script, { cwd: "/code", rules });
    }),
  );
  results.forEach(({ stdout, exitCode, cwd }, index) => {
    const lines = `${index}\n`.repeat(4);
    expect(stdout).toBe(index % 2 ? lines : `${lines}/code/d${index}\n`);
    expect([exitCode, cwd]).toEqual([index % 2 ? 126 : 0, `/code/d${index}`]);
  });
});

it.each([
  ["reads a tree", "while :; do find . -name x; done"],
  ["computes in awk", "awk 'BEGIN { while (1) i++ }'"],
  ["computes in awk without a body", "awk 'BEGIN { for (;;); }'"],
])("ends an endless %s on abort", async (_what, command) => {
  const { fs } = await createWorld();
  // A limit out of reach, so that only the abort ends it.
  const shell = new VirtualShell({ fs, limits: { programIterations: 1e12 } });
  await shell.exec("find . -name x; awk 1 names", { cwd: "/code" });
  await expectAtBest(250, async () => {
    const controller = new AbortController();
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      controller.abort();
    }, 50);
    const { exitCode } = await shell.exec(command, { cwd: "/code", signal: controller.signal });
    expect(exitCode).toBe(130);
    return performance.now() - aborted;
  });
});

describe("a rule that denies reading some of a project's files", () => {
  const narrow = {
    refusesCommand: () => undefined,
    refusesFile: (path: string, kind: "read" | "write") =>
      kind === "read" && (path === "/code/.env" || path.startsWith("/code/secrets"))
        ? "a secret"
        : undefined,
  };
  const setUp = () => {
    const fs = new MemoryFileSystem({
      files: {
        "/code/package.json": "{}",
        "/code/main.js": "console.log('runs')",
        "/code/.env": "KEY=hidden",
        "/code/secrets/key.txt": "hidden",
      },
    });
    const shell = new VirtualShell({ fs, git: { author: { name: "a", email: "a@example.com" } } });
    return (command: string) => shell.exec(command, { cwd: "/code", rules: narrow });
  };

  it("excludes them from git add, and reports so", async () => {
    const exec = setUp();
    const added = await exec("git init -q && git add . && git commit -qm all && git ls-files");
    expect(added).toMatchObject({ exitCode: 0, stdout: "main.js\npackage.json\n" });
    expect(added.stderr).toContain('error: open(".env"): Permission denied\n');
    expect(added.stderr).toContain("/code/secrets: not permitted: a secret\n");
    expect(await exec("git add .env")).toMatchObject({ exitCode: 1 });
  });

  it("fails only the script that reads them", async () => {
    const exec = setUp();
    const ran = await exec("js main.js");
    // Some hosts are handed QuickJS compiled, which this test is not.
    if (ran.stderr.includes("can't run on this host")) return;
    expect(ran).toMatchObject({ exitCode: 0, stdout: "runs\n" });
    for (const code of ["readFileSync('.env')", "readdirSync('secrets')"]) {
      const { exitCode, stderr } = await exec(`js -e "require('fs').${code}"`);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^Uncaught Error: EACCES/)]);
    }
    const { stdout } = await exec("js -e 'console.log(require(`fs`).readdirSync(`.`).join())'");
    expect(stdout).toContain(".env");
  });
});
