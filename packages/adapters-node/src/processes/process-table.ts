import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { errnoOf } from "../files/file-error.ts";

/** A line of the machine's process table. Zombies are left out: they have ended, and only wait to be counted. */
export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the machine does not tell. */
  session: number;
  /** Tells this process from a later one with the same number. */
  started: string;
}

// Of as many files at once as is sure to be within a process's limit.
const BATCH = 64;

/** All running processes that this one can see. */
export async function listProcesses(): Promise<ProcessEntry[]> {
  if (process.platform !== "linux") return listByCommand([]);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: ProcessEntry[] = [];
  for (let start = 0; start < pids.length; start += BATCH) {
    const entries = await Promise.all(pids.slice(start, start + BATCH).map(readEntry));
    for (const entry of entries) if (entry) found.push(entry);
  }
  return found;
}

/** The process with this number; `undefined` when there is none, or none any more. */
export async function findProcess(pid: number): Promise<ProcessEntry | undefined> {
  if (process.platform === "linux") return readEntry(pid);
  return (await listByCommand(["-p", String(pid)])).find((entry) => entry.pid === pid);
}

/** The environment that a process was started with; empty when it is gone or somebody else's. Linux only. */
export async function environmentOf(pid: number): Promise<string> {
  return (await readIfAllowed(`/proc/${pid}/environ`)) ?? "";
}

async function readEntry(pid: number): Promise<ProcessEntry | undefined> {
  const line = await readIfAllowed(`/proc/${pid}/stat`);
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

async function readIfAllowed(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "latin1");
  } catch (error) {
    // Processes end while one looks, and other users' are closed.
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(errnoOf(error))) return undefined;
    throw error;
  }
}

async function listByCommand(selection: string[]): Promise<ProcessEntry[]> {
  const what = selection.length > 0 ? selection : ["-A"];
  const format = ["-o", "pid=,ppid=,pgid=,stat=,lstart="];
  // The start is printed as local time in the language of the place; both must not vary.
  const env = { ...process.env, TZ: "UTC", LC_ALL: "C" };
  const { stdout } = await promisify(execFile)("ps", [...what, ...format], { env }).catch(
    // `ps` fails when nothing is selected; then its output is empty, and that is the answer.
    (error: unknown) => {
      if (error instanceof Error && "stdout" in error) return { stdout: String(error.stdout) };
      throw error;
    },
  );
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , , state]) => pid && state && !state.startsWith("Z"))
    .map(([pid, parent, group, , ...started]) => ({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: 0,
      started: started.join(" "),
    }));
}
