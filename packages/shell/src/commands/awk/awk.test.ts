import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { VirtualShell } from "../../virtual-shell.ts";

async function run(program: string) {
  const fs = new MemoryFileSystem({ files: {} });
  return new VirtualShell({ fs }).exec(`awk '${program}'`, { cwd: "/" });
}

it("calls functions deeper than one stack of the host allows", async () => {
  const { stdout } = await run(
    "function f(n, r) { if (n > 0) { while (1) { r = 1 + f(n - 1); break }; return r } return 0 } BEGIN { print f(150), f(5000) }",
  );
  expect(stdout).toBe("150 5000\n");
});

it("ends calls without an end", async () => {
  const { exitCode, stderr } = await run("function f(n) { return f(n + 1) } BEGIN { f(1) }");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("nested more than")]);
});

it("pads by characters", async () => {
  expect((await run('BEGIN { printf "[%3s][%-3s]", "😀", "é" }')).stdout).toBe("[  😀][é  ]");
});

it("takes a field that is not there as an empty text", async () => {
  expect((await run('BEGIN { $0 = "a"; print length($2), length(none[1]) }')).stdout).toBe("0 0\n");
});
