import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FILE_TRAPS } from "./traps/file-traps.ts";
import type { OpenedTrap, TrapToOpen, Way } from "./traps/open-traps.ts";
import { SETTINGS_TRAPS } from "./traps/settings-traps.ts";
import { TEXT_TRAPS } from "./traps/text-traps.ts";
import { CANARY, PROOF, SECRET, setTrap, type Trap, type TrapPlace } from "./traps/trap.ts";
import { bundleWorker } from "./worker-process.ts";

const TRAPS: readonly Trap[] = [...SETTINGS_TRAPS, ...TEXT_TRAPS, ...FILE_TRAPS];
const WAYS = ["headless", "answered no"] as const;
const STRACE = "/usr/bin/strace";
const SYSTEM_CALLS = "execve,execveat,connect,open,openat,openat2";

let root = "";
let places: ReadonlyMap<string, TrapPlace>;
let opened: ReadonlyMap<string, OpenedTrap>;
/** Lines of the kernel's record, by trap and way; absent on a machine without `strace`. */
let recorded: ReadonlyMap<string, string[]> | undefined;
let requests = 0;
const server = createServer((_request, response) => {
  requests += 1;
  response.end(CANARY);
});

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "robota-traps-")));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const all = [...TRAPS, PROOF];
  places = new Map(all.map(({ name }, at) => [name, placeOf(join(root, `${at}`), address)]));
  const toOpen = all.map((trap) => opening(trap, trap === PROOF ? ["trusted"] : WAYS));
  const list = join(root, "traps.json");
  writeFileSync(list, JSON.stringify(toOpen));
  const runner = await bundleWorker(root, "traps/open-traps.ts");
  const record = existsSync(STRACE) ? join(root, "strace.txt") : undefined;
  const lines = await run(record, [
    "--import",
    join(import.meta.dirname, "traps/observe.ts"),
    runner,
    list,
  ]);
  opened = new Map(
    lines
      .map((line) => JSON.parse(line) as OpenedTrap)
      .map((trap) => [`${trap.name} (${trap.way})`, trap]),
  );
  recorded = record === undefined ? undefined : byTrap(readFileSync(record, "utf8"));
}, 300_000);

afterAll(async () => {
  server.close();
  await rm(root, { recursive: true, force: true });
});

function placeOf(directory: string, address: string): TrapPlace {
  const home = join(directory, "home");
  return {
    home,
    workspace: join(home, "code/project"),
    outside: join(directory, "outside"),
    mark: join(directory, "executed"),
    server: address,
  };
}

function opening(trap: Trap, ways: readonly Way[]): TrapToOpen {
  const place = placeFor(trap);
  setTrap(trap, place);
  const { home, workspace, mark } = place;
  return { name: trap.name, home, mark, cwd: join(workspace, trap.opens ?? ""), ways };
}

function placeFor({ name }: Pick<Trap, "name">): TrapPlace {
  const place = places.get(name);
  if (!place) throw new Error(`${name} has no place`);
  return place;
}

/** Runs Node, under `strace` when there is one, and resolves to the lines that it prints. */
async function run(record: string | undefined, args: readonly string[]): Promise<string[]> {
  const traced = [
    "-f",
    "-qq",
    // The path of each file that was opened, however it was named.
    "-y",
    "-s",
    "4096",
    "-e",
    `trace=${SYSTEM_CALLS}`,
    "-o",
    record ?? "",
    process.execPath,
  ];
  const [program, ...before] = record === undefined ? [process.execPath] : [STRACE, ...traced];
  const child = spawn(program ?? "", [...before, ...args], {
    cwd: root,
    env: { PATH: process.env["PATH"], TRAP_SECRET: SECRET },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await Promise.all([buffer(child.stdout), once(child, "close")]);
  return output.toString().split("\n").filter(Boolean);
}

function byTrap(record: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of record.split("\n")) {
    const name = /"\/robota-trap\/([^"]*)"/.exec(line)?.[1];
    if (name === undefined) lines.push(line);
    else found.set(name, (lines = []));
  }
  return found;
}

it("has more than sixty traps, each by its own name", () => {
  expect(TRAPS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(TRAPS.map(({ name }) => name)).size).toBe(TRAPS.length);
});

it("detects executions, connections and reads of a trusted trap", () => {
  expect(opened.size).toBe(TRAPS.length * WAYS.length + 1);
  const key = `${PROOF.name} (trusted)`;
  const { mark, workspace, outside } = placeFor(PROOF);
  expect(readFileSync(mark, "utf8")).toContain(CANARY);
  const { observed } = opened.get(key) ?? {};
  expect(observed?.executed).not.toEqual([]);
  expect(observed?.opened).toContain(join(workspace, "AGENTS.md"));
  if (!recorded) return;
  const calls = recorded.get(key) ?? [];
  for (const act of [/execve\(/, /connect\(.*AF_INET/, new RegExp(`openat\\(.*${outside}/secret`)])
    expect(calls.some((line) => act.test(line))).toBe(true);
});

describe.each(TRAPS.map((trap) => [trap.name, trap] as const))(
  "a workspace with %s",
  (_name, trap) => {
    it.each(WAYS)("does nothing when opened, %s", (way) => {
      const key = `${trap.name} (${way})`;
      const place = placeFor(trap);
      const baits = trap.baits?.(place) ?? [];
      const { observed, shown, isHung } = opened.get(key) ?? {};
      expect({ isHung, executed: observed?.executed, connected: observed?.connected }).toEqual({
        isHung: false,
        executed: [],
        connected: [],
      });
      expect(observed?.opened.filter((path) => baits.includes(path))).toEqual([]);
      expect(existsSync(place.mark)).toBe(false);
      for (const word of [CANARY, SECRET]) expect(shown?.includes(word)).toBe(false);
      const calls = recorded?.get(key) ?? [];
      const acts = calls.filter(
        (line) =>
          /\bexecve(?:at)?\(/.test(line) ||
          /\bconnect\(.*AF_INET/.test(line) ||
          baits.some((bait) => line.includes(JSON.stringify(bait)) || line.includes(`<${bait}>`)),
      );
      expect(acts).toEqual([]);
    });
  },
);

it("makes no request to the server", () => {
  expect(requests).toBe(0);
});
