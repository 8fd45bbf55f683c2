import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { errnoOf } from "../files/file-error.ts";

/** A line of the machine's process table. Zombies are left out: they have ended, and only wait to be counted. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** 0 where unknown. */
  session: number;
  /** Distinguishes this process from a later one with the same number; on Linux, ticks since boot. */
  started: string;
}

const isLinux = process.platform === "linux";

// On Linux the table is read synchronously: procfs never blocks on a disk, and a kill that has to be quick must not
// queue behind other file operations.

/** All visible running processes. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  if (!isLinux) return listByCommand(["-A"]);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readEntry(Number(pid)) ?? []);
}

/** The process with this number; `undefined` when it does not exist (any more). */
export async function findProcess(pid: number): Promise<ProcessEntry | undefined> {
  if (isLinux) return readEntry(pid);
  return (await listByCommand(["-p", String(pid)])).find((entry) => entry.pid === pid);
}

/** Reports whether one of these processes still runs. */
export async function anyRuns(entries: readonly ProcessEntry[]): Promise<boolean> {
  const now = isLinux ? entries.flatMap(({ pid }) => readEntry(pid) ?? []) : await listProcesses();
  return entries.some((entry) => now.some((other) => isSame(entry, other)));
}

export function isSame(one: ProcessEntry, other: ProcessEntry): boolean {
  return one.pid === other.pid && one.started === other.started;
}

/** The initial environment of a process; empty when it is gone, another user's or not on Linux. */
export function environmentOf(pid: number): string {
  return (isLinux && readIfAllowed(`/proc/${pid}/environ`)) || "";
}

function readEntry(pid: number): ProcessEntry | undefined {
  const line = readIfAllowed(`/proc/${pid}/stat`);
  if (!line) return undefined;
  // The second field is the command in parentheses, which may contain anything; the others follow its last one.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  if (state === "Z" || state === "X") return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? "",
  };
}

function readIfAllowed(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    // Processes end during the listing, and those of other users are inaccessible.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errnoOf(error))) return undefined;
    throw error;
  }
}

async function listByCommand(selection: readonly string[]): Promise<ProcessEntry[]> {
  const columns = ["-o", "pid=,ppid=,pgid=,stat=,lstart="];
  // The start is printed as local time in the language of the place; both must not vary.
  const env = { ...process.env, TZ: "UTC", LC_ALL: "C" };
  const { stdout } = await promisify(execFile)("ps", [...selection, ...columns], { env }).catch(
    // `ps` fails when it finds nothing; then it printed nothing, and that is the answer.
    (error: unknown) => {
      if (error instanceof Error && "stdout" in error) return { stdout: String(error.stdout) };
      throw error;
    },
  );
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (!pid || !state || state.startsWith("Z")) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      started: started.join(" "),
    };
  });
}
