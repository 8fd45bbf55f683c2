import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePlatform, NodeShell, nodeVirtualShell } from "@robota/adapters-node";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { shellContract } from "@robota/runtime/testing";
import { dryRun, MemoryFileSystem } from "@robota/runtime/virtual";
import { afterAll, describe, expect, it } from "vitest";
import { expectDescribed } from "../../support/described-commands.ts";
import { runContract } from "../../support/run-contract.ts";
import { until } from "../../support/support.ts";
import { turnClock } from "../../support/time/own-time.ts";

const fs = new MemoryFileSystem({ files: { "/code/": "" } });
const shell = nodeVirtualShell({ fs });
/** `deaf` never looks whether it has to end, as one long call of the host's own engine is. */
const commands = new URL("deaf-commands.ts", import.meta.url);
const listening = nodeVirtualShell({ fs, commands });
afterAll(() => {
  shell.dispose();
  listening.dispose();
});
let directories = 0;

runContract(
  "nodeVirtualShell",
  shellContract(async () => {
    const cwd = `/contract-${++directories}`;
    await fs.mkdir(cwd);
    return { shell, fs, cwd };
  }),
);

async function withRoot(run: (root: string) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "robota-root-")));
  try {
    await run(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

describe("nodeVirtualShell", () => {
  it("describes its processes' abilities before any has started", async () => {
    using own = nodeVirtualShell({ fs, commands, beyondFiles: ["deaf"] });
    expect(own.describe?.()).toContain("git, without a network; deaf;");
    await expectDescribed(own, "/code");
    await expectDescribed(own.over(new MemoryFileSystem({ files: { "/code/": "" } })), "/code");
  });

  it("kills an unresponsive command with its process, and runs the next", async () => {
    const started = await listening.exec("echo before; deaf", { cwd: "/code", timeoutMs: 2_000 });
    expect(started).toMatchObject({ exitCode: 124, stdout: "before\n", timedOut: true });
    const controller = new AbortController();
    let abortedAt = 0;
    using clock = turnClock();
    const stopped = listening.exec("echo begun; deaf", {
      cwd: "/code",
      signal: controller.signal,
      onOutput() {
        abortedAt = clock.ms();
        controller.abort();
      },
    });
    expect(await stopped).toMatchObject({ exitCode: 130, stdout: "begun\n" });
    expect(clock.ms() - abortedAt).toBeLessThan(400);
    expect((await listening.exec("echo next", { cwd: "/code" })).stdout).toBe("next\n");
  });

  it("has no access to this process's environment", async () => {
    process.env["ROBOTA_TEST_WORD"] = "outside";
    const { stdout } = await shell.exec("env; echo [$ROBOTA_TEST_WORD]", { cwd: "/code" });
    delete process.env["ROBOTA_TEST_WORD"];
    expect(stdout).toContain("[]\n");
    expect(stdout).not.toContain("outside");
  });

  it("is the shell of a platform with a root, and a native shell's for virtual files", async () => {
    await withRoot(async (root) => {
      await using platform = nodePlatform({ root, home: "/home/user", shell: "virtual" });
      expect(platform.shell).toHaveProperty("dispose");
      expect((await platform.shell.exec("echo a > b; cat b", { cwd: "/" })).stdout).toBe("a\n");
      await using native = new NodeShell();
      const memory = new MemoryFileSystem({ files: { "/w/a": "in memory\n" } });
      expect((await native.virtual(memory).exec("cat a", { cwd: "/w" })).stdout).toBe(
        "in memory\n",
      );
    });
  });

  it("previews an endless command on copies, and reports so within the time limit", async () => {
    const tried = await dryRun({ fs, shell: listening }, "echo x > made; deaf", { cwd: "/code" });
    expect(tried?.incomplete).toContain("too long");
    expect(tried?.changes.map(({ path }) => path)).toEqual(["/code/made"]);
    await expect(fs.stat("/code/made")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("does not block other sessions by an endless command", async () => {
    await withRoot(async (root) => {
      const bound = { root, home: "/home/user", storageDirectory: join(root, "sessions") };
      const deaf = nodeVirtualShell({ fs, commands });
      await using busy = nodePlatform({ ...bound, shell: deaf });
      await using other = nodePlatform(bound);
      let [isAsked, isOver] = [false, false];
      const open = (platform: Platform, onAsked: () => void): InteractiveSession =>
        new InteractiveSession({
          platform,
          cwd: "/",
          provider: new OfflineProvider(),
          permissionHandler: () => {
            onAsked();
            return true;
          },
        });
      const [one, two] = [open(busy, () => (isAsked = true)), open(other, () => undefined)];
      const hanging = one.submit("run deaf").finally(() => (isOver = true));
      await until(() => isAsked);
      const turn = await two.submit("run echo done > file");
      expect(turn.state).toBe("complete");
      expect(new TextDecoder().decode(await other.fs.readFile("/file"))).toBe("done\n");
      expect(isOver).toBe(false);
      one.abort();
      await hanging.catch(() => undefined);
      await Promise.all([one.shutdown(), two.shutdown()]);
      deaf.dispose();
    });
  });
});
