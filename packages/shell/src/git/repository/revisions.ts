import * as engine from "#isomorphic-git";
import { fatal } from "../failure.ts";
import { readReflog } from "./reflog.ts";
import { configured, readIndex, readText, type Repository } from "./repository.ts";

export interface Commit {
  oid: string;
  tree: string;
  parents: readonly string[];
  message: string;
  author: Person;
  committer: Person;
}

export interface Person {
  name: string;
  email: string;
  /** Seconds since the epoch, and minutes west of Greenwich. */
  timestamp: number;
  timezoneOffset: number;
}

export async function readCommit(repo: Repository, oid: string): Promise<Commit> {
  const { commit } = await engine.readCommit({ ...repo.at, oid });
  const { tree, parent, message, author, committer } = commit;
  const parents = (await shallowCommits(repo)).has(oid) ? [] : parent;
  return { oid, tree, parents, message, author, committer };
}

function shallowCommits(repo: Repository): Promise<ReadonlySet<string>> {
  repo.shallow.commits ??= readText(repo.fs, `${repo.gitdir}/shallow`).then(
    (text) => new Set((text ?? "").split("\n")),
  );
  return repo.shallow.commits;
}

/** The current branch, even before its first commit; `undefined` when HEAD is detached. */
export async function currentBranch(repo: Repository): Promise<string | undefined> {
  const head = await readText(repo.fs, `${repo.gitdir}/HEAD`);
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? "")?.[1];
}

/** The commit that a ref points to, with annotated tags peeled. */
export async function refOid(repo: Repository, ref: string): Promise<string | undefined> {
  return engine.resolveRef({ ...repo.at, ref }).catch(() => undefined);
}

export function headOid(repo: Repository): Promise<string | undefined> {
  return refOid(repo, "HEAD");
}

const FULL = /^[0-9a-f]{40}$/;

/** Resolves a name without suffixes to an object. */
async function baseOid(repo: Repository, name: string): Promise<string | undefined> {
  if (name === "" || name === "@") return headOid(repo);
  if (FULL.test(name)) return name;
  const reflog = /^(.*)@\{(-?\d+)\}$/.exec(name);
  if (reflog) return fromReflog(repo, reflog[1] ?? "", Number(reflog[2]));
  const upstream = /^(.*)@\{u(?:pstream)?\}$/.exec(name);
  if (upstream) {
    const branch = upstream[1] || (await currentBranch(repo));
    const ref = branch === undefined ? undefined : await upstreamOf(repo, branch);
    if (!ref) throw fatal(`no upstream configured for branch '${branch ?? "HEAD"}'`);
    return refOid(repo, ref.full);
  }
  for (const ref of [
    name,
    `refs/${name}`,
    `refs/tags/${name}`,
    `refs/heads/${name}`,
    `refs/remotes/${name}`,
    `refs/remotes/${name}/HEAD`,
  ]) {
    // A bare name matches a file directly in `.git` only in the form of those files.
    if (ref === name && !/^(?:refs\/|[A-Z_]+$)/.test(name)) continue;
    const oid = await refOid(repo, ref);
    if (oid !== undefined) return oid;
  }
  if (!/^[0-9a-f]{4,39}$/.test(name)) return undefined;
  return engine.expandOid({ ...repo.at, oid: name }).catch(() => undefined);
}

async function fromReflog(
  repo: Repository,
  name: string,
  position: number,
): Promise<string | undefined> {
  if (position < 0) {
    const branch = await previousBranch(repo, -position);
    return branch === undefined ? undefined : baseOid(repo, branch);
  }
  const branch = name === "" ? await currentBranch(repo) : name;
  const ref = branch === undefined || branch === "HEAD" ? "HEAD" : `refs/heads/${branch}`;
  const entries = await readReflog(repo, ref);
  if (position < entries.length) return entries[position]?.oid;
  throw fatal(`log for '${name || branch || "HEAD"}' only has ${entries.length} entries`);
}

/** The branch or commit before the `n`th last checkout. */
export async function previousBranch(repo: Repository, n: number): Promise<string | undefined> {
  const moves = (await readReflog(repo, "HEAD")).flatMap(
    ({ message }) => /^checkout: moving from (\S+) to \S+$/.exec(message)?.[1] ?? [],
  );
  return moves[n - 1];
}

/** The upstream of a branch. */
export async function upstreamOf(
  repo: Repository,
  branch: string,
): Promise<{ remote: string; branch: string; full: string; short: string } | undefined> {
  const remote = await configured(repo, `branch.${branch}.remote`);
  const merge = (await configured(repo, `branch.${branch}.merge`))?.replace(/^refs\/heads\//, "");
  if (remote === undefined || merge === undefined) return undefined;
  const short = remote === "." ? merge : `${remote}/${merge}`;
  const full = remote === "." ? `refs/heads/${merge}` : `refs/remotes/${short}`;
  return { remote, branch: merge, full, short };
}

/** Resolves a revision to an object; `undefined` when it names none. */
export async function tryResolve(repo: Repository, revision: string): Promise<string | undefined> {
  const inTree = /^([^:]*):(.*)$/.exec(revision);
  if (inTree) return oidInTree(repo, inTree[1] ?? "", inTree[2] ?? "");
  const [, name = "", suffixes = ""] = /^(.*?)((?:~\d*|\^\d*|\^\{\w*\})*)$/s.exec(revision) ?? [];
  let oid = await baseOid(repo, name);
  for (const [suffix] of suffixes.matchAll(/~\d*|\^\{\w*\}|\^\d*/g)) {
    if (oid === undefined) return undefined;
    oid = await follow(repo, oid, suffix);
  }
  return oid;
}

async function follow(repo: Repository, oid: string, suffix: string): Promise<string | undefined> {
  if (suffix.startsWith("^{")) {
    const kind = suffix.slice(2, -1);
    return kind === "tree" ? treeOf(repo, oid) : (await peel(repo, oid)).oid;
  }
  const count = suffix.length > 1 ? Number(suffix.slice(1)) : 1;
  let at: string | undefined = (await peel(repo, oid)).oid;
  if (suffix.startsWith("^"))
    return count === 0 ? at : (await readCommit(repo, at)).parents[count - 1];
  for (let left = count; left > 0 && at !== undefined; left--)
    at = (await readCommit(repo, at)).parents[0];
  return at;
}

async function oidInTree(
  repo: Repository,
  revision: string,
  path: string,
): Promise<string | undefined> {
  const given = path.startsWith("./") || path.startsWith("../") ? relativePath(repo, path) : path;
  if (revision === "") return (await readIndex(repo)).get(given)?.oid;
  const oid = await tryResolve(repo, revision);
  if (oid === undefined) return undefined;
  let at = await treeOf(repo, oid);
  for (const name of given.split("/").filter((part) => part !== "")) {
    const { tree } = await engine.readTree({ ...repo.at, oid: at });
    const entry = tree.find((one) => one.path === name);
    if (!entry) throw fatal(`path '${given}' does not exist in '${revision}'`);
    at = entry.oid;
  }
  return at;
}

function relativePath(repo: Repository, path: string): string {
  const whole = repo.context.resolve(path);
  return whole.slice(repo.dir.length + 1);
}

/** @throws {GitFailure} With git's message */
export async function resolve(repo: Repository, revision: string): Promise<string> {
  const oid = await tryResolve(repo, revision);
  if (oid !== undefined) return oid;
  throw fatal(
    `ambiguous argument '${revision}': unknown revision or path not in the working tree.\n` +
      "Use '--' to separate paths from revisions, like this:\n" +
      "'git <command> [<revision>...] -- [<file>...]'",
  );
}

export async function resolveCommit(repo: Repository, revision: string): Promise<string> {
  return (await peel(repo, await resolve(repo, revision))).oid;
}

/** Peels a tag to its target. */
export async function peel(
  repo: Repository,
  oid: string,
): Promise<{ oid: string; type: "blob" | "tree" | "commit" }> {
  const object = await engine.readObject({ ...repo.at, oid, format: "parsed" }).catch(() => {
    throw fatal(`bad object ${oid}`);
  });
  if (object.type === "tag" && "tagger" in object.object) return peel(repo, object.object.object);
  if (object.type === "tree" || object.type === "commit") return { oid, type: object.type };
  return { oid, type: "blob" };
}

export async function treeOf(repo: Repository, oid: string): Promise<string> {
  const peeled = await peel(repo, oid);
  return peeled.type === "commit" ? (await readCommit(repo, peeled.oid)).tree : peeled.oid;
}

/** The commits and all their ancestors. */
export async function ancestors(
  repo: Repository,
  starts: readonly string[],
  known: Set<string> = new Set(),
): Promise<Set<string>> {
  const queue = [...starts];
  for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
    if (known.has(oid)) continue;
    known.add(oid);
    queue.push(...(await readCommit(repo, oid)).parents);
  }
  return known;
}

export async function mergeBase(
  repo: Repository,
  one: string,
  other: string,
): Promise<string | undefined> {
  const found: unknown = await engine.findMergeBase({ ...repo.at, oids: [one, other] });
  return Array.isArray(found) && typeof found[0] === "string" ? found[0] : undefined;
}

export function short(oid: string): string {
  return oid.slice(0, 7);
}
