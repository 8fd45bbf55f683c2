import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { withHost } from "#host";
import { contentText, type FileSystem, type Platform, type ToolResult } from "@robota/runtime";
import { VirtualShell } from "@robota/shell";
import { expect, it } from "vitest";
import type { AccessRules } from "../../../packages/runtime/src/ports/access.ts";
import { grepTool } from "../../../packages/runtime/src/tools/builtin/grep.ts";
import { readTool } from "../../../packages/runtime/src/tools/builtin/read.ts";
import { writeTool } from "../../../packages/runtime/src/tools/builtin/write.ts";
import { toolContext } from "../../support/tool-context.ts";

/** A sample; `ROBOTA_RACE_ROUNDS=2000` proves more, in minutes. */
const ROUNDS = Number(process.env["ROBOTA_RACE_ROUNDS"] ?? 80);
const TIMEOUT_MS = 30_000 + ROUNDS * 200;

/** Elsewhere a change goes by the path, as `NodeFileSystem` says. */
const isLinux = process.platform === "linux";

interface Race {
  platform: Platform;
  cwd: string;
  rules: AccessRules;
}

/** One try; resolves to what it was shown, and throws nothing. */
type Try = (race: Race, round: number) => Promise<string>;

function shown(result: ToolResult | string): string {
  return typeof result === "string" ? result : contentText(result.output);
}

/** Swaps `open/way` for a link to `secret` in another process until it is disposed. */
async function startFlipper(cwd: string): Promise<AsyncDisposable & { isAlive: () => boolean }> {
  const flipper = spawn(
    process.execPath,
    [
      join(import.meta.dirname, "link-flipper-worker.ts"),
      `${cwd}/open/way`,
      `${cwd}/other/way`,
      `${cwd}/secret`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = once(flipper, "exit");
  await once(createInterface({ input: flipper.stdout }), "line");
  return {
    isAlive: () => flipper.exitCode === null,
    async [Symbol.asyncDispose]() {
      flipper.kill("SIGKILL");
      await ended;
    },
  };
}

/**
 * Goes on after its rounds until both sides of the race were met: with one core the other process may not have had a turn.
 * Nothing is ever read from, or changed in, the directory that the rules close.
 */
async function race(attempt: Try): Promise<void> {
  const seen = { went: 0, refused: 0 };
  await withHost(async ({ platform, cwd }) => {
    for (const name of ["secret", "open/way", "other"]) {
      await mkdir(`${cwd}/${name}`, { recursive: true });
    }
    await writeFile(`${cwd}/secret/a`, "SECRET\n");
    await writeFile(`${cwd}/open/way/a`, "plain\n");
    const rules: AccessRules = {
      refusesFile: (path) => (path.startsWith(`${cwd}/secret`) ? "off limits" : undefined),
      refusesCommand: () => undefined,
    };
    await using flipper = await startFlipper(cwd);
    for (let round = 0; round < ROUNDS || seen.went === 0 || seen.refused === 0; round += 1) {
      const text = await attempt({ platform, cwd, rules }, round);
      expect(text).not.toContain("SECRET");
      seen[/plain|went/.test(text) ? "went" : "refused"] += 1;
      await setImmediate();
    }
    expect(await readdir(`${cwd}/secret`)).toEqual(["a"]);
    expect(flipper.isAlive(), "the other process").toBe(true);
  });
}

function shellOver(fs: FileSystem): VirtualShell {
  return new VirtualShell({ fs });
}

const tries: Record<string, Try> = {
  Read: async ({ platform, cwd, rules }) =>
    shown(
      await readTool.execute({ filePath: "open/way/a" }, toolContext(platform, { cwd, rules })),
    ),
  Grep: async ({ platform, cwd, rules }) => {
    const args = { pattern: ".", path: "open", outputMode: "content" } as const;
    return shown(await grepTool.execute(args, toolContext(platform, { cwd, rules })));
  },
  Write: async ({ platform, cwd, rules }, round) => {
    const args = { filePath: `open/way/new${round}`, content: "x" };
    const result = await writeTool.execute(args, toolContext(platform, { cwd, rules }));
    return typeof result !== "string" && result.success ? "went" : "refused";
  },
  "the virtual shell's reading": async ({ platform, cwd, rules }) => {
    const line = "cat open/way/a; cat < open/way/a; echo open/way/*; grep -r . open";
    const result = await shellOver(platform.fs).exec(line, { cwd, rules });
    return result.stdout;
  },
  "the virtual shell's writing": async ({ platform, cwd, rules }, round) => {
    const line = `echo x > open/way/w${round} && echo went
      echo y >> open/way/w${round}; mkdir open/way/d${round}; ln -s x open/way/l${round}
      chmod 600 open/way/a; touch open/way/t; mv open/way/w${round} open/way/v; rm -rf open/way/d*`;
    return (await shellOver(platform.fs).exec(line, { cwd, rules })).stdout;
  },
};

it.runIf(isLinux).for(Object.keys(tries))(
  "%s can't escape by a link that another process swaps for a directory",
  { timeout: TIMEOUT_MS },
  (name) => race(tries[name]!),
);

it(
  "a line of the virtual shell can't escape by links that it changes itself",
  { timeout: TIMEOUT_MS },
  async () => {
    await withHost(async ({ platform, cwd }) => {
      await mkdir(`${cwd}/secrets`);
      await mkdir(`${cwd}/real`);
      await writeFile(`${cwd}/secrets/f`, "SECRET\n");
      await writeFile(`${cwd}/real/f`, "plain\n");
      const line = `ln -s real P
        for i in {1..${ROUNDS}}; do ln -sfn secrets P; ln -sfn real P; done |
        for i in {1..${ROUNDS}}; do cat P/f; echo > P/new; done`;
      const result = await shellOver(platform.fs).exec(line, {
        cwd,
        rules: {
          refusesFile: (path) => (path.startsWith(`${cwd}/secrets`) ? "off limits" : undefined),
          refusesCommand: () => undefined,
        },
      });
      expect(result.stdout).toContain("plain");
      expect(result.stdout).not.toContain("SECRET");
      expect(await readdir(`${cwd}/secrets`)).toEqual(["f"]);
    });
  },
);
