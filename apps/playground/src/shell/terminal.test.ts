import type { Shell, ShellOptions, ShellResult } from "@robota/runtime/ports";
import { MemoryFileSystem } from "@robota/runtime/virtual";
import { expect, it } from "vitest";
import { Terminal } from "./terminal.ts";

interface Call {
  command: string;
  options: ShellOptions;
  end: (result?: Partial<ShellResult>) => void;
}

/** A terminal whose commands end when a test says so. */
function heldTerminal() {
  const calls: Call[] = [];
  const shell: Shell = {
    kind: "virtual",
    exec: (command, options) => {
      const { promise, resolve } = Promise.withResolvers<ShellResult>();
      const done = { exitCode: 0, stdout: "", stderr: "", timedOut: false, truncated: false };
      const end: Call["end"] = (result) => resolve({ ...done, ...result });
      options.signal?.addEventListener("abort", () => end({ exitCode: 130 }));
      calls.push({ command, options, end });
      return promise;
    },
  };
  const fs = new MemoryFileSystem({ files: { "/w/a.txt": "a" } });
  const terminal = new Terminal("/w");
  const phases = () => terminal.state.get().entries.map((entry) => entry.phase);
  return { calls, terminal, phases, run: (line: string) => terminal.run(line, { shell, fs }) };
}

/** Lets what is due run. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it("runs command lines one after the other, each in what the one before left", async () => {
  const { calls, terminal, phases, run } = heldTerminal();
  const first = run("cd /w/own; export A=1 B=2");
  const second = run("unset A");
  const third = run("env");
  await settled();
  expect(calls.map((call) => call.command)).toEqual(["cd /w/own; export A=1 B=2"]);
  expect(phases()).toEqual(["running", "waiting", "waiting"]);
  calls[0]?.end({ cwd: "/w/own", env: { A: "1", B: "2" } });
  await first;
  await settled();
  expect(calls[1]?.options).toMatchObject({ cwd: "/w/own", env: { A: "1", B: "2" } });
  calls[1]?.end({ env: { A: undefined }, exitCode: 3 });
  expect(await second).toMatchObject({ command: "unset A", exitCode: 3, phase: "ended" });
  await settled();
  expect(terminal.state.get().isRunning).toBe(true);
  expect(calls[2]?.options.env).toEqual({ B: "2" });
  calls[2]?.end();
  await third;
  expect(phases()).toEqual(["ended", "ended", "ended"]);
  expect(terminal.state.get().isRunning).toBe(false);
});

it("gives up what waits for a command that is stopped, and keeps it among the earlier lines", async () => {
  const { calls, terminal, phases, run } = heldTerminal();
  const all = [run("sleep 9"), run("touch b"), run("clear")];
  await settled();
  terminal.stop();
  await Promise.all(all);
  expect(phases()).toEqual(["ended", "dropped", "dropped"]);
  expect(calls).toHaveLength(1);
  expect(terminal.state.get().history).toEqual(["sleep 9", "touch b", "clear"]);
  const next = run("ls");
  await settled();
  calls[1]?.end();
  expect(await next).toMatchObject({ exitCode: 0 });
});

it("clears what has ended, in order with the commands around it", async () => {
  const { calls, terminal, run } = heldTerminal();
  const all = [run("first"), run("clear"), run("last")];
  await settled();
  terminal.clear();
  expect(terminal.state.get().entries).toHaveLength(3);
  calls[0]?.end();
  await all[1];
  await settled();
  expect(terminal.state.get().entries.map((entry) => entry.command)).toEqual(["last"]);
  calls[1]?.end();
  await Promise.all(all);
});
