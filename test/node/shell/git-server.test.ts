import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { afterAll, beforeAll, expect, it } from "vitest";
import { environmentOf } from "../../git/scenarios.ts";
import { type GitServer, startGitServer } from "../../git/server.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function newShell(options: { corsProxy?: string; seen?: string[] } = {}) {
  const { seen = [], ...git } = options;
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  const shell = new VirtualShell({
    fs,
    policy: { allowPrivateOrigins: [new URL(server.url("")).origin] },
    git: {
      ...git,
      fetch: (input, init) => {
        seen.push(new Request(input).url);
        return fetch(input, init);
      },
    },
  });
  let line = 0;
  const run = async (command: string) => {
    const { stdout, stderr, exitCode } = await shell.exec(command, {
      cwd: "/code",
      env: environmentOf(line++),
    });
    return { stdout, stderr, exitCode };
  };
  return { fs, run };
}

it("clones, fetches, pulls and pushes as real git on the other side sees it", async () => {
  server.create("one.git", { "a.txt": "1\n", "dir/b.txt": "2\n" });
  const { run } = newShell();
  const url = server.url("one.git");
  expect(await run(`git clone ${url}`)).toEqual({
    stdout: "",
    stderr: "Cloning into 'one'...\n",
    exitCode: 0,
  });
  expect((await run("cd one; git status; git rev-parse HEAD; cat dir/b.txt")).stdout).toBe(
    `On branch main\nYour branch is up to date with 'origin/main'.\n\nnothing to commit, working tree clean\n${server.git("one.git", "rev-parse", "main")}2\n`,
  );
  await run("cd one; echo 3 >> a.txt; git commit -qam Three");
  expect((await run("cd one; git status -sb")).stdout).toBe("## main...origin/main [ahead 1]\n");
  const pushed = await run("cd one; git push");
  expect(pushed.stderr).toMatch(
    /^To http.*one\.git\n {3}[0-9a-f]{7}\.\.[0-9a-f]{7} {2}main -> main\n$/,
  );
  expect(server.git("one.git", "show", "main:a.txt")).toBe("1\n3\n");
  expect(server.git("one.git", "fsck", "--strict")).toBe("");
  expect((await run("cd one; git push")).stderr).toBe("Everything up-to-date\n");

  const other = newShell();
  await other.run(
    `git clone -q ${url} two; cd two; git checkout -qb topic; echo t > t; git add t; git commit -qm Topic`,
  );
  expect((await other.run("cd two; git push -u origin topic")).stdout).toBe(
    "branch 'topic' set up to track 'origin/topic'.\n",
  );
  await other.run("cd two; git checkout -q main; echo 4 >> a.txt; git commit -qam Four; git push");
  expect((await run("cd one; git fetch")).stderr).toMatch(
    /^From .*\n {3}[0-9a-f]{7}\.\.[0-9a-f]{7} {2}main {7}-> origin\/main\n \* \[new branch\] {6}topic {6}-> origin\/topic\n$/,
  );
  expect((await run("cd one; git pull; cat a.txt")).stdout).toMatch(
    /Fast-forward\n a\.txt \| 1 \+\n[^]*1\n3\n4\n$/,
  );
  expect((await run("cd one; git checkout topic; cat t")).stdout).toBe(
    "branch 'topic' set up to track 'origin/topic'.\nt\n",
  );
});

it("refuses to push over others' commits", async () => {
  server.create("race.git", { a: "1\n" });
  const [one, other] = [newShell(), newShell()];
  for (const { run } of [one, other]) await run(`git clone -q ${server.url("race.git")} r`);
  await one.run("cd r; echo 2 > a; git commit -qam Two; git push");
  const { stderr, exitCode } = await other.run(
    "cd r; echo 3 > b; git add b; git commit -qm Three; git push",
  );
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining("! [rejected]        main -> main (fetch first)"),
  ]);
  expect((await other.run("cd r; git pull; git push; git log --oneline | wc -l")).stdout).toMatch(
    /4\n$/,
  );
  expect(server.git("race.git", "log", "--format=%s", "-1", "main")).toContain(
    "Merge branch 'main' of",
  );
});

it("makes shallow clones on request, and reports missing refs", async () => {
  server.create("deep.git", { a: "1\n" });
  const { run } = newShell();
  await run(
    `git clone -q ${server.url("deep.git")} d; cd d; echo 2 > a; git commit -qam Two; git push`,
  );
  expect(
    (
      await run(
        `git clone -q --depth 1 ${server.url("deep.git")} s; cd s; git log --oneline | wc -l`,
      )
    ).stdout,
  ).toBe("1\n");
  const { stderr, exitCode } = await run(`git clone ${server.url("nothing.git")} n; ls`);
  expect([stderr, exitCode]).toEqual([
    `Cloning into 'n'...\nfatal: repository '${server.url("nothing.git")}/' not found\n`,
    0,
  ]);
});

it("uses the given proxy", async () => {
  const seen: string[] = [];
  const { run } = newShell({ corsProxy: server.url("proxy"), seen });
  const { exitCode } = await run("git clone https://example.com/a/b.git");
  expect(exitCode).toBe(128);
  expect(seen).toEqual([
    `${server.url("proxy")}/example.com/a/b.git/info/refs?service=git-upload-pack`,
  ]);
});

it("never prints passwords of a URL", async () => {
  const { run } = newShell();
  const secret = server.url("missing.git").replace("//", "//user:hunter2@");
  const { stdout, stderr } = await run(
    `git clone ${secret} x; git init -q; git remote add o ${secret}; git fetch o`,
  );
  expect(stdout + stderr).not.toContain("hunter2");
});
