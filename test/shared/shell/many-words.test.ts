import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";

/** More than a call can have arguments, on any engine. */
const MANY = 200_000;
const numbers = Array.from({ length: MANY }, (_, at) => String(at + 1)).join("\n");

it.each([
  ["operands behind --", "basename -a -- $(cat numbers) | tail -n 1", `${MANY}\n`],
  ["arguments of an operand", "env true $(cat numbers) && echo went", "went\n"],
  ["patterns", 'echo 7 | grep -x -F -e "$(cat numbers)"', "7\n"],
  ["patterns", 'echo 7 | grep -x -F "$(cat numbers)"', "7\n"],
  ["completions", 'compgen -W "$(cat numbers)" | wc -l', `${MANY}\n`],
  ["columns", "column -c 1 numbers | tail -n 1", `${MANY}\n`],
  [
    "items of an array that loses its last one",
    `a=($(cat numbers)); unset "a[-1]"; echo \${#a[@]}`,
    `${MANY - 1}\n`,
  ],
])("takes many %s", async (_what, command, stdout) => {
  const fs = new MemoryFileSystem({ files: { "/code/numbers": `${numbers}\n` } });
  const shell = new VirtualShell({ fs });
  const { stderr, ...result } = await shell.exec(command, { cwd: "/code" });
  expect(stderr).toBe("");
  expect(result).toMatchObject({ stdout, exitCode: 0 });
});
