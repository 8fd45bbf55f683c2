import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";

const fs = new MemoryFileSystem({ files: { "/code/": "" } });

/** A sed program that runs about three commands for each of 400 letters of its one line. */
const sed = "printf 'x%.0s' {1..400} | sed ':a; s/x//; ta'";

it.each([
  ["sed", sed],
  ["awk", "awk 'BEGIN { while (i < 1200) i++ }'"],
  ["bc", "echo 'while (i < 1200) { i = i + 1 }' | bc"],
  ["jq", "jq -n 'reduce range(1200) as $i (0; . + $i)' > /dev/null"],
])("programIterations bounds a program of %s", async (name, command) => {
  const run = (programIterations: number) =>
    new VirtualShell({ fs, limits: { programIterations } }).exec(command, { cwd: "/code" });
  const bounded = await run(300);
  expect(bounded.stderr).toMatch(new RegExp(`^${name}: .*|Runtime error: .*`));
  expect(bounded.stderr).toMatch(name === "jq" ? /900|iterations|limit/i : /300/);
  expect(await run(100_000)).toMatchObject({ exitCode: 0, stderr: "" });
});

it("sed may run more than its usual 500,000 commands when programIterations allows it", async () => {
  const shell = new VirtualShell({ fs, limits: { programIterations: 600_000 } });
  const command = "echo 0 | sed -n ':a; s/^x*$/&x/; /x\\{9\\}/s/x//g; H; x; s/.*//; x; y/0/x/; ba'";
  const { stderr } = await shell.exec(command, { cwd: "/code" });
  expect(stderr).toBe("sed: more than 600000 commands for one line\n");
});
