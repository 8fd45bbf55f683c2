import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";

const OWN_MOUNTS = ["unshare", "-Urm"];

/**
 * The command that runs `command` with a disk of its own over `directory`, which ends with it. Others reach it by the
 * process: `/proc/<pid>/root/<directory>`.
 */
export function onSmallDisk(directory: string, size: string, command: readonly string[]): string[] {
  const script = `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`;
  return [...OWN_MOUNTS, "sh", "-c", script, directory, ...command];
}

/** Reports whether this machine lets anybody do so. */
export function hasSmallDisks(): boolean {
  const [program = "", ...args] = onSmallDisk(tmpdir(), "1m", ["true"]);
  try {
    execFileSync(program, args, { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}
