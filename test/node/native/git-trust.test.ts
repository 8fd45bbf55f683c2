import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { withHost } from "#host";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { append, ordinary, put } from "./repositories.ts";

const execute = promisify(execFile);

/** Runs `git status` after each of the changes in one session of a trusted workspace. */
async function statusAfter(
  platform: Platform,
  cwd: string,
  changes: readonly (() => Promise<void>)[],
): Promise<{ questions: string[]; timesAsked: number; trust: string | undefined }> {
  const questions: string[] = [];
  let timesAsked = 0;
  await using session = new InteractiveSession({
    platform,
    cwd,
    trustWorkspace: () => {
      timesAsked += 1;
      return true;
    },
    provider: new ScriptedProvider([
      ...changes.map((change) => async () => {
        await change();
        return { toolCalls: [{ name: "Bash", args: { command: "git status" } }] };
      }),
      { text: "done" },
    ]),
  });
  session.on("permission_request", ({ id, reason }) => {
    questions.push(reason);
    void session.resolvePermission(id, { allow: false });
  });
  await session.submit("look");
  return { questions, timesAsked, trust: session.getSettings()?.trust };
}

it("a Git setting that appears after the workspace was trusted needs approval at the next call, in this session and the next", () =>
  withHost(async ({ platform, cwd }) => {
    await ordinary(cwd);
    await put(
      join(cwd, ".robota/settings.json"),
      JSON.stringify({ permissions: { allow: ["Bash(git *)"] } }),
    );
    const config = join(cwd, ".git/config");
    const before = await readFile(config, "utf8");
    const started = join(platform.home, "started");
    const program = join(platform.home, "watch.sh");
    await put(program, `#!/bin/sh\necho started >> ${started}\n`, 0o755);
    const nothing = async (): Promise<void> => {};
    const spring = (): Promise<void> => append(config, `[core]\n\tfsmonitor = ${program}\n`);
    const mend = (): Promise<void> => writeFile(config, before);
    const question = `Git would obey ${config}, which may start programs: core.fsmonitor.`;

    expect(await statusAfter(platform, cwd, [nothing, spring, nothing, mend])).toEqual({
      questions: [question, question],
      timesAsked: 1,
      trust: "trusted",
    });
    await spring();
    // The workspace stays trusted: what Git obeys is no part of that.
    expect(await statusAfter(platform, cwd, [nothing])).toEqual({
      questions: [question],
      timesAsked: 0,
      trust: "trusted",
    });
    await expect(readFile(started, "utf8")).rejects.toThrow("ENOENT");

    // Nothing else than the question has kept it from starting.
    await execute("git", ["status"], { cwd });
    expect(await readFile(started, "utf8")).toContain("started");
  }));
