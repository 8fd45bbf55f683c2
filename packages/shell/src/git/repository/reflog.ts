import { dirname } from "@robota/runtime/ports";
import { formatZone, identity } from "./people.ts";
import { readText, type Repository } from "./repository.ts";

const NONE = "0".repeat(40);

export interface ReflogEntry {
  oid: string;
  message: string;
}

/** Former values of a ref, the newest first. */
export async function readReflog(repo: Repository, ref: string): Promise<ReflogEntry[]> {
  const text = await readText(repo.fs, `${repo.gitdir}/logs/${ref}`);
  return (text ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [head = "", message = ""] = line.split("\t");
      return { oid: head.slice(41, 81), message };
    })
    .reverse();
}

/** Records the move of refs from one commit to another. */
export async function noteMove(
  repo: Repository,
  refs: readonly string[],
  from: string | undefined,
  to: string,
  message: string,
): Promise<void> {
  const who = await identity(repo, "COMMITTER");
  const line = `${from ?? NONE} ${to} ${who.name} <${who.email}> ${who.timestamp} ${formatZone(who.timezoneOffset)}\t${message}\n`;
  for (const ref of refs) {
    const path = `${repo.gitdir}/logs/${ref}`;
    await repo.gitFs.mkdir(dirname(path), { recursive: true });
    await repo.gitFs.appendFile(path, line);
  }
}
