import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { nodeVirtualShell } from "@robota/adapters-node";
import type { Shell } from "@robota/runtime";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { until } from "../../support/support.ts";

interface Entry {
  pid: number;
  parent: number;
  command: string;
}

/** Lists the running processes, without zombies. */
async function processes(): Promise<Entry[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,stat=,args="]);
  const rows = stdout.split("\n").map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([, , state = "Z"]) => !state.startsWith("Z"))
    .map(([pid, parent, , ...command]) => ({
      pid: Number(pid),
      parent: Number(parent),
      command: command.join(" "),
    }));
}

/** A process that uses a virtual shell, when its commands have begun. */
async function startOwner(mode: "ends" | "waits", lines: number): Promise<ChildProcess> {
  const file = join(import.meta.dirname, "shell-owner-worker.ts");
  const owner = spawn(process.execPath, ["--conditions=@robota/source", file, mode], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void owner.kill("SIGKILL"));
  const reported = createInterface({ input: owner.stdout });
  for (let line = 0; line < lines; line++) await once(reported, "line");
  return owner;
}

const fs = new MemoryFileSystem({ files: { "/code/": "" } });

/** The one process of a shell that runs its first command. */
async function childrenOf(shell: Shell): Promise<readonly Entry[]> {
  const before = await processes();
  await shell.exec("echo words", { cwd: "/code" });
  const children = (await processes()).filter(
    ({ pid, parent, command }) =>
      parent === process.pid &&
      command.includes("shell-process") &&
      !before.some((entry) => entry.pid === pid),
  );
  expect(children).toHaveLength(1);
  return children;
}

describe("the processes of a virtual shell", () => {
  it("end with a killed parent, also during a busy loop", async () => {
    const owner = await startOwner("waits", 3);
    const children = (await processes()).filter(({ parent }) => parent === owner.pid);
    expect(children).toHaveLength(2);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    await untilGone(children);
  });

  it("end after five idle minutes, and start with the next command", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    using shell = nodeVirtualShell({ fs });
    const children = await childrenOf(shell);
    vi.advanceTimersByTime(5 * 60_000);
    await untilGone(children);
    expect((await shell.exec("echo words", { cwd: "/code" })).stdout).toBe("words\n");
  });

  it.runIf(process.platform === "linux")("are killed first when memory runs out", async () => {
    using shell = nodeVirtualShell({ fs });
    const [child] = await childrenOf(shell);
    const score = (): string => readFileSync(`/proc/${child?.pid}/oom_score_adj`, "utf8").trim();
    await until(() => score() === "1000");
  });

  it("keep no parent alive, and end with it", async () => {
    const owner = await startOwner("ends", 1);
    const children = (await processes()).filter(({ parent }) => parent === owner.pid);
    const [code] = owner.exitCode === null ? await once(owner, "exit") : [owner.exitCode];
    expect(code).toBe(0);
    await untilGone(children);
  });
});

/** A test that never gets there ends by its time limit. */
async function untilGone(children: readonly Entry[]): Promise<void> {
  const isGone = (running: readonly Entry[]): boolean =>
    !children.some(({ pid }) => running.some((entry) => entry.pid === pid));
  while (!isGone(await processes()));
}
