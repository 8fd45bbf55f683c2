import type { ShellResult } from "../../ports/shell.ts";
import { assert, assertEqual, type CaseTable } from "../contract.ts";
import { run, type ShellFixture } from "./fixture.ts";
import { assertPrompt } from "./promptness.ts";

/** Loops that never wait for anything, in the shapes that scripts have them. */
const busyLoops = [
  "while :; do :; done",
  "until false; do x=1; done",
  "for ((;;)); do ((i++)); done",
  "f() { while true; do true; done; }; f",
  "eval 'while :; do :; done'",
  "while :; do (:); done | cat",
  "bash -c 'while :; do :; done'",
  "f() { :; f2; }; f2() { while f3; do :; done; }; f3() { :; }; f",
];

/** A shell may load code with its first command, and restart after one that it had to kill. */
async function warmUp(fixture: ShellFixture): Promise<void> {
  await run(fixture, "sleep 0.01; true | cat");
}

/** Runs `command`, aborts it after some milliseconds or with its first output, and returns how long it then took to end. */
async function abortAfter(
  fixture: ShellFixture,
  command: string,
  after: number | "output",
): Promise<ShellResult & { latencyMs: number }> {
  await warmUp(fixture);
  const controller = new AbortController();
  let abortedAt = 0;
  const abort = (): void => {
    abortedAt = performance.now();
    controller.abort();
  };
  const timer = after === "output" ? undefined : setTimeout(abort, after);
  const onOutput = (): void => {
    if (after === "output" && abortedAt === 0) abort();
  };
  const result = await run(fixture, command, { signal: controller.signal, onOutput });
  clearTimeout(timer);
  assert(abortedAt > 0, `${command} ended before it was aborted: ${result.stderr}`);
  return { ...result, latencyMs: performance.now() - abortedAt };
}

/** Milliseconds by which a command that prints `before` and never ends outlives its timeout. */
async function lateness(fixture: ShellFixture, command: string, timeoutMs = 150): Promise<number> {
  const started = performance.now();
  const result = await run(fixture, command, { timeoutMs });
  assertEqual([result.exitCode, result.timedOut], [124, true], command);
  const elapsed = performance.now() - started;
  assert(
    elapsed >= timeoutMs - 10,
    `${command} was given ${Math.round(elapsed)} ms of its ${timeoutMs}`,
  );
  // A busy machine may not have come to the first command by then, which says nothing about the end.
  if (result.stdout === "" && timeoutMs < 10_000) return lateness(fixture, command, timeoutMs * 2);
  assertEqual(result.stdout, "before\n", command);
  return elapsed - timeoutMs;
}

export const stoppingCases: CaseTable<ShellFixture> = {
  "runs nothing for a signal that is aborted already": async (fixture) => {
    const result = await run(fixture, "echo x; echo x > file", { signal: AbortSignal.abort() });
    assertEqual(
      [result.exitCode, result.stdout, result.stderr, result.timedOut],
      [130, "", "", false],
    );
    assertEqual(await fixture.fs.readdir(fixture.cwd), []);
  },

  "ends a command that waits, with the output so far and exit code 130": async (fixture) => {
    await assertPrompt(async () => {
      const { exitCode, stdout, timedOut, latencyMs } = await abortAfter(
        fixture,
        "echo before; sleep 30; echo after",
        "output",
      );
      assertEqual([exitCode, stdout, timedOut], [130, "before\n", false]);
      return latencyMs;
    }, "a sleep");
  },

  "ends a busy loop of any shape": async (fixture) => {
    for (const loop of busyLoops) {
      await assertPrompt(async () => {
        const { exitCode, latencyMs } = await abortAfter(fixture, loop, 50);
        assertEqual(exitCode, 130, loop);
        return latencyMs;
      }, loop);
    }
  },

  "lets the caller's own timers run during a busy loop": async (fixture) => {
    await warmUp(fixture);
    const controller = new AbortController();
    let ticks = 0;
    const interval = setInterval(() => {
      ticks += 1;
      if (ticks === 5) controller.abort();
    }, 10);
    // Without a turn for the timer, it ends by its limit, if at all.
    const { exitCode } = await run(fixture, "while :; do :; done", { signal: controller.signal });
    clearInterval(interval);
    assertEqual([exitCode, ticks >= 5], [130, true]);
  },

  "leaves nothing running behind an abort": async (fixture) => {
    const loop = "i=0; while :; do i=$((i+1)); echo $i > count; sleep 0.02; done";
    await abortAfter(fixture, loop, 500);
    const read = async (): Promise<string> =>
      new TextDecoder().decode(await fixture.fs.readFile(`${fixture.cwd}/count`));
    const after = await read();
    await new Promise((resolve) => setTimeout(resolve, 200));
    assertEqual(await read(), after);
  },

  "ends a command at its timeout, with exit code 124": async (fixture) => {
    for (const command of ["echo before; sleep 30", "echo before; while :; do :; done"]) {
      await assertPrompt(async () => {
        await warmUp(fixture);
        return lateness(fixture, command);
      }, command);
    }
  },

  "ignores a timeout that is not reached": async (fixture) => {
    const options = { timeoutMs: 2 ** 40, signal: new AbortController().signal };
    const { exitCode, stdout, timedOut } = await run(fixture, "echo done", options);
    assertEqual([exitCode, stdout, timedOut], [0, "done\n", false]);
  },

  "aborts one of several calls and not the others": async (fixture) => {
    const other = run(fixture, "sleep 0.5; echo other");
    await abortAfter(fixture, "sleep 30", 100);
    assertEqual((await other).stdout, "other\n");
    assertEqual((await run(fixture, "echo again")).stdout, "again\n");
  },
};
