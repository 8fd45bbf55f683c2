import { assert, assertEqual, assertRejects, type CaseTable } from "../contract.ts";
import { run, type ShellFixture } from "./fixture.ts";

export const statusCases: CaseTable<ShellFixture> = {
  "gives the exit code of the last command": async (fixture) => {
    assertEqual((await run(fixture, "true")).exitCode, 0);
    assertEqual((await run(fixture, "false")).exitCode, 1);
    assertEqual((await run(fixture, "false; true")).exitCode, 0);
    assertEqual((await run(fixture, "exit 42; echo no")).exitCode, 42);
    assertEqual((await run(fixture, "(exit 7)")).exitCode, 7);
  },

  "resolves with nothing for an empty command": async (fixture) => {
    const { exitCode, stdout, stderr, timedOut, truncated } = await run(fixture, "");
    assertEqual([exitCode, stdout, stderr, timedOut, truncated], [0, "", "", false, false]);
  },

  "returns 127 for an unknown command": async (fixture) => {
    const { exitCode, stderr, stdout } = await run(fixture, "no-such-command-here");
    assertEqual([exitCode, stdout], [127, ""]);
    assert(stderr.includes("no-such-command-here"), `stderr names the command: ${stderr}`);
  },

  "returns 126 for a file that is not executable": async (fixture) => {
    await fixture.fs.writeFile(`${fixture.cwd}/plain`, "echo hello\n");
    assertEqual((await run(fixture, "./plain")).exitCode, 126);
  },

  "reports a syntax error as a result with exit code 2": async (fixture) => {
    for (const command of ['echo "open', "if true; then echo x", "for in; do", "echo a; done"]) {
      const { exitCode, stdout, stderr } = await run(fixture, command);
      assertEqual([exitCode, stdout], [2, ""], command);
      assert(stderr !== "", `${command} says what is wrong`);
    }
  },

  "stops a script at the first failure when it asks for that": async (fixture) => {
    const { exitCode, stdout } = await run(fixture, "set -e; echo one; false; echo two");
    assertEqual([exitCode, stdout], [1, "one\n"]);
  },

  "gives a pipeline the status of its last command, or with pipefail of the failed one": async (
    fixture,
  ) => {
    assertEqual((await run(fixture, "false | true")).exitCode, 0);
    assertEqual((await run(fixture, "set -o pipefail; (exit 3) | true")).exitCode, 3);
  },

  "can't start in a missing directory": async (fixture) => {
    const missing = fixture.shell.exec("true", { cwd: `${fixture.cwd}/missing` });
    await assertRejects(missing, "SHELL_ERROR", "ShellError");
  },
};
