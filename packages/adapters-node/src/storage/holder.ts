import { createHash, randomBytes } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { errnoOf } from "../files/file-error.ts";
import { findProcess } from "../processes/process-table.ts";

/**
 * Globally unique identification of a process among those that may share the storage directory: the machine, its boot,
 * the PID namespace (containers number their own), the number and the start of the process.
 */
export interface Holder {
  machine: string;
  boot: string;
  namespace: string;
  pid: number;
  started: string;
}

/** The state of a holder; `unknown` when it belongs to another machine or container. */
export type Fate = "alive" | "dead" | "unknown";

/** Identifies this process. */
export async function describeSelf(): Promise<Holder> {
  const self = await findProcess(process.pid);
  const onLinux = process.platform === "linux";
  return {
    // Where the start is a date, it also distinguishes boots, and a home is not expected on two machines.
    machine: onLinux ? digest((await readIfThere("/etc/machine-id")) + hostname()) : "",
    boot: onLinux ? digest(await readIfThere("/proc/sys/kernel/random/boot_id")) : "",
    namespace: onLinux ? digest(await readlink("/proc/self/ns/pid")) : "",
    pid: process.pid,
    started: digest(self?.started ?? ""),
  };
}

/** This copy of the module: other threads of the process have their own, whose marks are unknown here. */
const COPY = randomBytes(4).toString("hex");
/** Tokens of marks held here. */
const held = new Set<string>();
let marks = 0;

/**
 * The text of a lock: its holder, and a unique token. Short enough for a symlink's inode. Held until `letGo` is called.
 */
export function createMark(holder: Holder): string {
  const { machine, boot, namespace, pid, started } = holder;
  const token = `${COPY}${(marks++).toString(16).padStart(8, "0")}`;
  held.add(token);
  return [machine, boot, namespace, pid, started, token].join(".");
}

/** Holds a mark of this process again that was let go. */
export function hold(mark: string): void {
  held.add(tokenOf(mark));
}

/** True for a mark that is held here. */
export function isHeld(mark: string): boolean {
  return held.has(tokenOf(mark));
}

/** Releases `mark`: if its file remains because removing it failed, it is abandoned. */
export function letGo(mark: string): void {
  held.delete(tokenOf(mark));
}

/** The number of the process that made `mark`. */
export function pidOf(mark: string): string {
  return mark.split(".")[3] ?? "";
}

/** The token of a mark. */
export function tokenOf(mark: string): string {
  return mark.slice(mark.lastIndexOf(".") + 1);
}

/**
 * The state of the process that made `mark`, as seen by `self`; one of our own that is not held counts as dead. No
 * clock is involved.
 */
export async function fateOf(mark: string, self: Holder): Promise<Fate> {
  const [machine, boot, namespace, pid, started, token = ""] = mark.split(".");
  if (machine !== self.machine) return "unknown";
  if (boot !== self.boot) return "dead";
  if (namespace !== self.namespace) return "unknown";
  const isOurs = Number(pid) === self.pid && started === self.started && token.startsWith(COPY);
  if (isOurs) return held.has(token) ? "alive" : "dead";
  const found = await findProcess(Number(pid));
  return found && digest(found.started) === started ? "alive" : "dead";
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return "";
    throw error;
  }
}
