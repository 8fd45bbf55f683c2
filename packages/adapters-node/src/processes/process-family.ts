import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../files/file-error.ts";
import {
  anyRuns,
  environmentOf,
  isSame,
  listProcesses,
  type ProcessEntry,
} from "./process-table.ts";

/** Default grace period before a process is killed: an abort settles within 250 ms. */
const GRACE_MS = 60;
const LOOK_AGAIN_MS = 10;
/** Processes can start while others are killed; a program that starts them faster than this is left to itself. */
const KILL_ROUNDS = 4;

/** Identification of a command line: the process that runs it, and a variable that only its environment has. */
export interface Family {
  pid: number;
  /** The variable's name. Every process that the command starts inherits it, unless it is cleared on purpose. */
  marker: string;
  /** Reports whether `pid` is still the command's: afterwards the number may be reused. */
  isRunning(): boolean;
}

/** Terminates a command and everything it started; survivors are killed after `graceMs` milliseconds. */
export async function endFamily(family: Family, graceMs = GRACE_MS): Promise<void> {
  // Collected before anything ends: an orphan no longer reveals its parent.
  let members = await findMembers(family, []);
  if (members.length === 0 && !family.isRunning()) return;
  signalAll(family, members, "SIGTERM");
  // A stopped process gets the signal only when it continues.
  signalAll(family, members, "SIGCONT");
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && (family.isRunning() || (await anyRuns(members)))) {
    await delay(LOOK_AGAIN_MS);
  }
  for (let round = 0; round < KILL_ROUNDS; round++) {
    members = await findMembers(family, members);
    if (members.length === 0 && !family.isRunning()) return;
    signalAll(family, members, "SIGKILL");
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * The `known` members that still run, and other processes in the group or session, descendants, and carriers of the
 * marker.
 */
async function findMembers(
  family: Family,
  known: readonly ProcessEntry[],
): Promise<ProcessEntry[]> {
  const everybody = await listProcesses();
  const shell = everybody.find(({ pid }) => pid === family.pid && family.isRunning());
  const members = new Map<number, ProcessEntry>();
  for (const entry of everybody) {
    const isMember =
      known.some((other) => isSame(other, entry)) ||
      (shell && (entry.group === shell.pid || entry.session === shell.pid)) ||
      (isYounger(entry, shell) && environmentOf(entry.pid).includes(family.marker));
    if (isMember) members.set(entry.pid, entry);
  }
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const entry of everybody) if (members.has(entry.parent)) members.set(entry.pid, entry);
  }
  return Array.from(members.values());
}

/** A process older than the shell can't be its child, and needs no closer look. */
function isYounger(entry: ProcessEntry, shell: ProcessEntry | undefined): boolean {
  return !shell || Number(entry.started) >= Number(shell.started);
}

function signalAll(family: Family, members: readonly ProcessEntry[], signal: NodeJS.Signals): void {
  // The whole group in one step, so that none of it can start another process in between.
  if (family.isRunning()) signalOne(-family.pid, signal);
  for (const { pid } of members) signalOne(pid, signal);
}

function signalOne(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    // Gone already, or owned by another user, whose processes we may not end.
    if (!["ESRCH", "EPERM"].includes(errnoOf(error))) throw error;
  }
}
