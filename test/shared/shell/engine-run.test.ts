import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { createEngineShell } from "../../../packages/shell/src/engine/engine-shell.ts";

type Options = Parameters<typeof createEngineShell>[0];
type ExecOptions = Parameters<ReturnType<typeof createEngineShell>["exec"]>[1];

async function run(
  command: string,
  { guard, limits, ...options }: Partial<ExecOptions> & Omit<Options, "files"> = {},
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const files = new MemoryFileSystem();
  await files.mkdir("/work");
  return createEngineShell({ files, guard, limits }).exec(command, { cwd: "/work", ...options });
}

it("asks the guard about every command, as it will run", async () => {
  const asked: string[] = [];
  const guard: Options["guard"] = {
    async refuses({ words, assignments, redirections }) {
      const values = assignments.map(([name, value]) => `${name}=${value}`);
      const targets = redirections.map(({ operator, target }) => operator + target);
      asked.push([...values, ...words, ...targets].join(" "));
      return words[0] === "rm" ? "no removals" : undefined;
    },
  };
  const { stdout, stderr } = await run(
    'x="a b"; A=$x echo "$x" $(echo c) > out; f() { cat out | tr a A; }; f; rm out; echo $?',
    { guard },
  );
  expect(asked.toSorted()).toEqual(
    ["echo c", "A=a b echo a b c >out", "f", "cat out", "tr a A", "rm out", "echo 126"].toSorted(),
  );
  expect(stdout).toBe("A b c\n126\n");
  expect(stderr).toBe("bash: line 1: rm: not permitted: no removals\n");
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
])("asks the guard before %s removes a file", async (command) => {
  const files = new MemoryFileSystem({ files: { "/work/out": "kept" } });
  const guard: Options["guard"] = {
    refuses: ({ words }) => (words[0] === "rm" ? "no removals" : undefined),
  };
  const { stderr } = await createEngineShell({ files, guard }).exec(command, { cwd: "/work" });
  expect(stderr).toContain("rm: not permitted: no removals\n");
  expect(await files.stat("/work/out")).toMatchObject({ type: "file" });
});

it("ends writers whose reader has gone", async () => {
  const script = 'while :; do echo x; done | head -1; echo "${PIPESTATUS[@]}"; yes | head -1';
  expect(await run(script)).toMatchObject({ stdout: "x\n141 0\ny\n" });
});

it("calculates in 64 bits", async () => {
  const { stdout } = await run("echo $((9223372036854775807 + 1)) $((1 << 62))");
  expect(stdout).toBe("-9223372036854775808 4611686018427387904\n");
});

it("keeps changes of a subshell to itself, and the order of writes on one descriptor", async () => {
  const script =
    "a=(1 2); (a[0]=9; cd /; echo ${a[@]}); echo ${a[@]} $PWD; { echo 1; echo 2 >&2; echo 3; } 2>&1";
  expect((await run(script)).stdout).toBe("9 2\n1 2 /work\n1\n2\n3\n");
});

it.each([
  ["while :; do :; done", /iterations of a loop/],
  ["f() { f; }; f", /calls in calls/],
  ["f() { f | f; }; f", /limit exceeded/],
  ["echo {1..100000}{1..100000}", /more than 1000000 words/],
])("ends %s with a message", async (script, message) => {
  const limits = { loopIterations: 1_000 };
  const { stderr, exitCode } = await run(script, { limits });
  expect(stderr).toMatch(message);
  expect(exitCode).not.toBe(0);
});

it("ends a script that is aborted", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  const { exitCode } = await run("for ((;;)); do a=$a; done", { signal: controller.signal });
  expect(exitCode).toBe(130);
});
