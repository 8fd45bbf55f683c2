import { nodeVirtualShell } from "@robota/adapters-node";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { afterAll, describe, expect, it } from "vitest";

/** Each takes all the memory there is, in a shape that the engine notices elsewhere. */
const BOMBS = [
  "growing-map",
  "pushed-doubles",
  "filled-arrays",
  "split-texts",
  "objects",
  "buffers",
];
/** Lines whose programs grow without bound. Some end at a limit of their own, below that of their process. */
const LINES = [
  "x=aaaaaaaa; while :; do x=$x$x; done",
  "seq 1 100000000 | sort",
  "yes 'some words' | sort | uniq -c",
  "printf '%1000000000s' x",
  `awk 'BEGIN { for (;;) a[n++] = n "" n }'`,
  `awk 'BEGIN { x = "a"; for (;;) { x = x x; split(x, a, "") } }'`,
  `jq -n '[range(1000000000)] | map(tostring)'`,
  `jq -n 'reduce range(64) as $i ("some"; . + .)'`,
  `js -e 'const kept = new Map(); for (let at = 0; ; at++) kept.set("key " + at, at)'`,
  "head -c 60000000 /dev/zero | gzip | gunzip | base64 | sort",
];

const fs = new MemoryFileSystem({ files: { "/code/": "" } });
const commands = new URL("deaf-commands.ts", import.meta.url);
const shell = nodeVirtualShell({ fs, commands, maxHeapMegabytes: 64 });
afterAll(() => shell.dispose());
const run = (command: string) => shell.exec(command, { cwd: "/code", timeoutMs: 30_000 });

describe("a command that exceeds its memory", () => {
  it.each(BOMBS)("is ended, but not this process: %s", async (bomb) => {
    const ended = await run(`echo before; ${bomb}`);
    expect(ended).toMatchObject({ exitCode: 137, stdout: "before\n" });
    expect(ended.stderr).toMatch(/^bash: killed, because .* out of memory$/m);
    expect((await run("echo next")).stdout).toBe("next\n");
  });

  it("is ended as the first of its process, without output", async () => {
    using fresh = nodeVirtualShell({ fs, commands, maxHeapMegabytes: 64 });
    expect(await fresh.exec("pushed-doubles", { cwd: "/code" })).toMatchObject({ exitCode: 137 });
  });

  it("is ended at the default heap of a process", async () => {
    using roomy = nodeVirtualShell({ fs, commands });
    expect(await roomy.exec("filled-arrays", { cwd: "/code" })).toMatchObject({ exitCode: 137 });
    expect((await roomy.exec("echo next", { cwd: "/code" })).stdout).toBe("next\n");
  });

  it.each(LINES)("ends by a limit or with its process: %s", async (line) => {
    const ended = await run(line);
    expect(ended.exitCode).not.toBe(0);
    expect((await run("echo next")).stdout).toBe("next\n");
  });
});
