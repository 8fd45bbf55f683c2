import { assert, assertBytes, assertEqual, type CaseTable } from "../contract.ts";
import { run, type ShellFixture } from "./fixture.ts";

export const environmentCases: CaseTable<ShellFixture> = {
  "starts in the given directory": async (fixture) => {
    await fixture.fs.mkdir(`${fixture.cwd}/sub dir`);
    await fixture.fs.writeFile(`${fixture.cwd}/sub dir/file`, "here");
    const { stdout } = await run(fixture, 'basename "$(pwd)"; cat file', {
      cwd: `${fixture.cwd}/sub dir`,
    });
    assertEqual(stdout, "sub dir\nhere");
  },

  "exports the given environment and overrides its own": async (fixture) => {
    const env = { GREETING: "hallo 'wörld' $x", HOME: "/somewhere" };
    const { stdout } = await run(fixture, "sh -c 'echo \"$GREETING|$HOME\"'", { env });
    assertEqual(stdout, "hallo 'wörld' $x|/somewhere\n");
  },

  "gives every call its own variables, functions and directory": async (fixture) => {
    await fixture.fs.mkdir(`${fixture.cwd}/inner`);
    await run(
      fixture,
      "export LEAK=1; readonly FIXED=1; shopt -s nullglob; f() { echo f; }; cd inner",
    );
    const { stdout } = await run(
      fixture,
      'FIXED=2; echo "[$LEAK][$FIXED]" *.none; basename "$(pwd)"; type f >/dev/null 2>&1 || echo gone',
    );
    const name = fixture.cwd.slice(fixture.cwd.lastIndexOf("/") + 1);
    assertEqual(stdout, `[][2] *.none\n${name}\ngone\n`);
  },

  "reports the directory in which a command ended, with any status": async (fixture) => {
    await fixture.fs.mkdir(`${fixture.cwd}/inner`);
    for (const command of ["cd inner", "cd inner; exit 3", "set -e; cd inner; false; cd /"]) {
      const { cwd = "" } = await run(fixture, command);
      assert(cwd.endsWith("/inner"), `${command} ended in "${cwd}"`);
    }
    const { cwd, stdout } = await run(fixture, "exec 3>out; echo x >&3; cat out");
    assertEqual([cwd?.split("/").at(-1), stdout], [fixture.cwd.split("/").at(-1), "x\n"]);
  },

  "runs overlapping calls side by side": async (fixture) => {
    // Each waits for the other, so neither would end if they ran one after the other.
    const wait = (own: string, other: string): string =>
      `touch ${own}; until [ -e ${other} ]; do sleep 0.02; done; cat; echo ${own}`;
    const results = await Promise.all([
      run(fixture, wait("a", "b"), { stdin: "first ", timeoutMs: 15_000 }),
      run(fixture, wait("b", "a"), { stdin: "second ", timeoutMs: 15_000 }),
    ]);
    assertEqual(
      results.map(({ stdout }) => stdout),
      ["first a\n", "second b\n"],
    );
  },

  "reads standard input, and finds its end at once when there is none": async (fixture) => {
    const { stdout } = await run(fixture, 'read first; echo "<$first>"; cat', {
      stdin: "one\ntwo\nthree",
    });
    assertEqual(stdout, "<one>\ntwo\nthree");
    assertEqual((await run(fixture, "cat; wc -c | tr -d ' '")).stdout, "0\n");
  },

  "writes through redirections to the files that the port shows": async (fixture) => {
    const at = (name: string) => fixture.fs.readFile(`${fixture.cwd}/${name}`);
    const { exitCode, stdout, stderr } = await run(
      fixture,
      "echo one > out; echo two >> out; ls missing 2> err; { echo a; echo b >&2; } > both 2>&1; cat < out",
    );
    assertEqual([exitCode, stdout, stderr], [0, "one\ntwo\n", ""]);
    assertBytes(await at("out"), "one\ntwo\n");
    assertBytes(await at("both"), "a\nb\n");
    assert((await at("err")).length > 0, "the message is in the file");
  },

  "reads what the port wrote, byte for byte": async (fixture) => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    await fixture.fs.writeFile(`${fixture.cwd}/bytes`, bytes);
    await run(fixture, "cat bytes > copy; cp bytes second; cat bytes | cat > third");
    for (const name of ["copy", "second", "third"]) {
      assertBytes(await fixture.fs.readFile(`${fixture.cwd}/${name}`), bytes, name);
    }
  },

  "fails only the command whose redirection can't be opened": async (fixture) => {
    const { exitCode, stdout, stderr } = await run(
      fixture,
      "echo x > missing/file || echo fallback; echo after",
    );
    assertEqual([exitCode, stdout], [0, "fallback\nafter\n"]);
    assert(stderr.includes("No such file or directory"), stderr);
  },

  "runs a script file with arguments": async (fixture) => {
    await fixture.fs.writeFile(
      `${fixture.cwd}/script.sh`,
      '#!/bin/bash\necho "$# $1 [$2]"\nexit 9\n',
    );
    await fixture.fs.chmod(`${fixture.cwd}/script.sh`, 0o755);
    const { exitCode, stdout } = await run(fixture, "./script.sh 'a b' ''");
    assertEqual([exitCode, stdout], [9, "2 a b []\n"]);
    assertEqual((await run(fixture, "bash script.sh x y")).stdout, "2 x [y]\n");
  },

  "discards output to /dev/null": async (fixture) => {
    const { stdout, stderr } = await run(
      fixture,
      "echo a > /dev/null; ls missing 2>/dev/null; cat /dev/null",
    );
    assertEqual([stdout, stderr], ["", ""]);
  },
};
