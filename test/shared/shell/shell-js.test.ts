import { MemoryFileSystem } from "@robota/runtime/virtual";
import { VirtualShell } from "@robota/shell";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { scriptCases, scriptFiles as files } from "../../support/script-cases.ts";
import { turnClock } from "../../support/time/own-time.ts";

/** Some hosts compile no WebAssembly from bytes; there `js` says so and does nothing else. */
const canRun = await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(
  () => true,
  () => false,
);
const REFUSAL =
  "scripts can't run on this host, which can't compile WebAssembly: use awk, sed and jq instead\n";

async function run(command: string, cwd = "/code") {
  const fs = new MemoryFileSystem({ files });
  const shell = new VirtualShell({ fs, scripts: { timeMs: 1_500 } });
  const { stdout, stderr, exitCode } = await shell.exec(command, { cwd });
  return { fs, stdout, stderr, exitCode };
}

beforeAll(async () => void (await run("js -e 0")));

it.each(Object.entries(scriptCases))(
  "%s",
  async (command, [stdout, stderr = /^$/, exitCode = 0, cwd]) => {
    const result = await run(command, cwd);
    if (!canRun) return expect(result.stderr).toContain(REFUSAL);
    expect(result.stdout, result.stderr).toEqual(
      typeof stdout === "string" ? stdout : expect.stringMatching(stdout),
    );
    expect(result.stderr).toMatch(stderr);
    expect(result.exitCode).toBe(exitCode);
  },
);

it("runs a script at the root of all files", async () => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem() });
  const { stdout, stderr } = await shell.exec("js -e 'console.log(1 + 1)'", { cwd: "/" });
  if (!canRun) return expect(stderr).toContain(REFUSAL);
  expect(stdout).toBe("2\n");
});

it("writes a script's files by the rules of its session", async () => {
  const { fs, stderr } = await run("node main.mjs");
  if (!canRun) return expect(stderr).toContain(REFUSAL);
  expect(new TextDecoder().decode(await fs.readFile("/code/out/deep/x.txt"))).toBe('{ "n": 7 }\n');
  const shell = new VirtualShell({ fs });
  const rules = {
    refusesFile: (path: string) => (path === "/code/package.json" ? "it is denied" : undefined),
    refusesCommand: () => undefined,
  };
  for (const code of ["readFileSync", "writeFileSync"]) {
    const result = await shell.exec(`node -e 'require("fs").${code}("package.json", "{}")'`, {
      cwd: "/code",
      rules,
    });
    expect(result.exitCode, result.stdout).toBe(1);
  }
  expect(new TextDecoder().decode(await fs.readFile("/code/package.json"))).toBe(
    files["/code/package.json"],
  );
});

it("ends a waiting script on abort, without affecting the next", async () => {
  const shell = new VirtualShell({ fs: new MemoryFileSystem({ files }) });
  const controller = new AbortController();
  using clock = turnClock();
  let aborted = 0;
  setTimeout(() => {
    aborted = clock.ms();
    controller.abort();
  }, 600);
  const ended = await shell.exec("node -e 'setInterval(() => {}, 5)'", {
    cwd: "/code",
    signal: controller.signal,
  });
  if (!canRun) return expect(ended.stderr).toContain(REFUSAL);
  expect(ended.exitCode).toBe(130);
  expect(clock.ms() - aborted).toBeLessThan(250);
  expect((await shell.exec("node -p 1", { cwd: "/code" })).stdout).toBe("1\n");
});

it("reports why a script was ended on a host whose clock moves only between tasks", async () => {
  let now = 0;
  let isMoving = false;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    if (!isMoving) {
      isMoving = true;
      queueMicrotask(() => {
        isMoving = false;
        now += 0.1;
      });
    }
    return now;
  });
  onTestFinished(() => clock.mockRestore());
  const fs = new MemoryFileSystem({ files: { "/code/": "" } });
  for (const timeMs of [2, 5, 8]) {
    const shell = new VirtualShell({ fs, scripts: { timeMs } });
    const { stderr, exitCode } = await shell.exec("js -e 'for (;;);'", { cwd: "/code" });
    if (!canRun) return expect(stderr).toContain(REFUSAL);
    expect([stderr, exitCode]).toEqual([`js: ended after ${timeMs} ms of computing\n`, 124]);
  }
});
