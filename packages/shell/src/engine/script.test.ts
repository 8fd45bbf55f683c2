import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { createEngine } from "./engine.ts";
import type { Guard } from "./run/process.ts";
import { startScript } from "./script.ts";

/** Runs a script beside a guard that allows no `rm`. @returns what the guard was asked about, and what was printed */
async function runGuarded(text: string): Promise<{
  asked: readonly string[];
  printed: { readonly stdout: string; readonly stderr: string };
}> {
  const fs = new MemoryFileSystem({ files: { "/work/": "" } });
  const asked: string[] = [];
  const guard: Guard = {
    async refuses({ words, assignments, redirections }) {
      const values = assignments.map(([name, value]) => `${name}=${value}`);
      const targets = redirections.map(({ operator, target }) => operator + target);
      asked.push([...values, ...words, ...targets].join(" "));
      return words[0] === "rm" ? "no removals" : undefined;
    },
  };
  const printed = { stdout: "", stderr: "" };
  const script = startScript(createEngine({ fs }), {
    cwd: "/work",
    env: {},
    stdin: undefined,
    files: fs,
    guard,
    pace: () => undefined,
    signal: undefined,
    hooks: {},
    print: (stream, text) => void (printed[stream] += text),
  });
  await script.run(text);
  return { asked, printed };
}

it("asks the guard about every command, with its assignments and redirections after expansion", async () => {
  const { asked, printed } = await runGuarded(
    'x="a b"; A=$x echo "$x" $(echo c) > out; f() { cat out | tr a A; }; f; rm out; echo $?',
  );
  expect(asked.toSorted()).toEqual(
    ["echo c", "A=a b echo a b c >out", "f", "cat out", "tr a A", "rm out", "echo 126"].toSorted(),
  );
  expect(printed).toEqual({
    stdout: "A b c\n126\n",
    stderr: "bash: line 1: rm: not permitted: no removals\n",
  });
});

it("asks about the commands of a trap, of the last stage of a pipeline, and in place of a builtin", async () => {
  const { asked, printed } = await runGuarded(`
    shopt -s lastpipe; enable -n echo
    echo a | { read x; rm $x; }
    declare -a list='($(rm b))'
    trap 'rm c' DEBUG
    echo d`);
  expect(asked).toEqual([
    "shopt -s lastpipe",
    "enable -n echo",
    "echo a",
    "read x",
    "rm a",
    "declare -a list=($(rm b))",
    "rm b",
    "trap rm c DEBUG",
    "rm c",
    "echo d",
  ]);
  expect(printed.stdout).toBe("d\n");
  expect(printed.stderr.match(/rm: not permitted: no removals/g)).toHaveLength(3);
});
