import * as engine from "#isomorphic-git";
import { errorMessage } from "@robota/runtime/ports";
import type { ShellCommandResult } from "../command.ts";
import type { RunFetch } from "../network.ts";
import { readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import { mergeCommit } from "./merge.ts";
import { resetHard } from "./repository/moves.ts";
import { noteMove } from "./repository/reflog.ts";
import {
  configured,
  join,
  type Repository,
  repositoryAt,
  statOf,
  type Surroundings,
} from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import {
  ancestors,
  currentBranch,
  headOid,
  refOid,
  resolve,
  resolveCommit,
  short,
} from "./repository/revisions.ts";
import { assertSafeSetting, writeSetting } from "./safe-settings.ts";

export interface Network {
  http: engine.HttpClient;
  corsProxy?: string | undefined;
}

/**
 * Connects to the server of a URL through the function given to the shell. @throws {GitFailure} When it was given none
 */
export function networkTo(repo: Pick<Repository, "options" | "context">, url: string): Network {
  const { corsProxy } = repo.options;
  const { gitFetch } = repo.context;
  if (/^(?:git|ssh):\/\/|^[\w.-]+@[\w.-]+:/.test(url))
    throw notHere(`the protocol of ${url}`, "use the repository's https URL");
  if (!/^https?:\/\//.test(url)) throw notHere(`a repository at ${url}`, "use an https URL");
  if (!gitFetch)
    throw notHere("the network", "the program that runs this shell has configured none for git");
  return {
    http: { request: (request) => send(gitFetch, repo.context.signal, request) },
    corsProxy,
  };
}

async function send(
  fetch: RunFetch,
  signal: AbortSignal,
  { url, method = "GET", headers = {}, body }: Parameters<engine.HttpClient["request"]>[0],
): ReturnType<engine.HttpClient["request"]> {
  const parts: Uint8Array[] = [];
  if (body) for await (const part of body) parts.push(part);
  const sent =
    parts.length > 0 ? await new Blob(parts.map((part) => part.slice())).arrayBuffer() : undefined;
  const request = { url, method, headers: Object.entries(headers), body: sent, follows: true };
  const answer = await fetch(request, signal).catch((error: unknown) => {
    throw fatal(`unable to access '${withoutSecrets(url)}': ${errorMessage(error)}`);
  });
  return {
    url: answer.url,
    method,
    headers: Object.fromEntries(answer.headers),
    body: onePart(new Uint8Array(answer.body)),
    statusCode: answer.status,
    statusMessage: answer.statusText,
  };
}

async function* onePart(part: Uint8Array): AsyncIterableIterator<Uint8Array> {
  yield await Promise.resolve(part);
}

/** Removes user names and passwords from a URL, which are for the server only. */
export function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^/@]*@/, "//");
}

/** Reports network errors in git's wording. */
export async function reaching<Result>(
  url: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof engine.Errors.HttpError) {
      const shown = withoutSecrets(url);
      if (error.data.statusCode === 404) throw fatal(`repository '${shown}/' not found`);
      if (error.data.statusCode === 401) throw fatal(`Authentication failed for '${shown}/'`);
      throw fatal(
        `unable to access '${shown}/': The requested URL returned error: ${error.data.statusCode}`,
      );
    }
    throw error;
  }
}

/**
 * Credentials for servers that require them: a URL's user and password, or a token of `http.extraHeader` in the
 * configuration.
 */
export function credentials(url: string): {
  url: string;
  onAuth?: () => { username: string; password: string };
} {
  const parsed = new URL(url);
  const { username, password } = parsed;
  if (username === "" && password === "") return { url };
  [parsed.username, parsed.password] = ["", ""];
  let asked = 0;
  const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return {
    url: parsed.href,
    onAuth: () => (asked++ === 0 ? auth : { username: "", password: "" }),
  };
}

export async function clone(
  surroundings: Surroundings,
  args: readonly string[],
): Promise<ShellCommandResult> {
  const options = readOptions("clone", args, {
    flags: [
      "q|quiet",
      "single-branch",
      "n|no-checkout",
      "no-tags",
      "bare",
      "mirror",
      "recursive|recurse-submodules",
      "progress",
      "v|verbose",
      "no-single-branch",
    ],
    valued: ["b|branch", "depth", "o|origin", "filter", "c|config"],
  });
  for (const name of ["bare", "mirror", "recurse-submodules"])
    if (options.has(name)) throw notHere(`clone --${name}`, "clone without it");
  const [given, directory] = options.operands;
  if (given === undefined) throw fatal("You must specify a repository to clone.");
  const { context } = surroundings;
  const network = networkTo({ ...surroundings }, given);
  const { url, ...auth } = credentials(given);
  const name =
    directory ??
    given
      .replace(/\/+$/, "")
      .replace(/(?:\/\.git|\.git)$/, "")
      .split("/")
      .at(-1) ??
    "";
  const dir = join(surroundings.cwd, name.startsWith("/") ? `.${name}` : name);
  const place = name.startsWith("/") ? name : dir;
  const there = await statOf(context.fs, place);
  if (there && (there.type !== "directory" || (await context.fs.readdir(place)).length > 0))
    throw fatal(`destination path '${name}' already exists and is not an empty directory.`);
  await context.fs.mkdir(place, { recursive: true });
  const real = await context.fs.realpath(place);
  const repo = repositoryAt(surroundings, real, real, real);
  const remote = options.get("origin") ?? "origin";
  const ref = options.get("branch");
  const depth = options.get("depth");
  try {
    assertSafeSetting(repo, `remote.${remote}.url`, url);
    await reaching(given, () =>
      engine.clone({
        ...repo.at,
        ...network,
        ...auth,
        url,
        remote,
        noCheckout: true,
        singleBranch:
          options.has("single-branch") || (depth !== undefined && !options.has("no-single-branch")),
        noTags: options.has("no-tags"),
        ref,
        depth: depth === undefined ? undefined : Number(depth),
      }),
    );
    if (context.signal.aborted) throw fatal("the operation was ended");
    const oid = await settleClone(repo, remote, given, ref);
    if (oid !== undefined && !options.has("no-checkout")) await resetHard(repo, oid);
    const warning =
      oid === undefined ? "warning: You appear to have cloned an empty repository.\n" : "";
    return { stderr: options.has("quiet") ? warning : `Cloning into '${name}'...\n${warning}` };
  } catch (error) {
    // Removes a partial clone, as git does.
    await (context.gitFiles ?? context.fs).remove(there ? `${place}/.git` : place, {
      recursive: true,
      force: true,
    });
    const stderr = `Cloning into '${name}'...\n`;
    if (error instanceof GitFailure) throw new GitFailure(stderr + error.message, error.exitCode);
    throw error;
  }
}

/** Creates the branch of the remote's HEAD, checked out and tracking it. */
async function settleClone(
  repo: Repository,
  remote: string,
  url: string,
  asked: string | undefined,
): Promise<string | undefined> {
  const head = await currentBranch(repo);
  const name = asked ?? head;
  if (name === undefined) return headOid(repo);
  const oid = (await refOid(repo, `refs/remotes/${remote}/${name}`)) ?? (await headOid(repo));
  if (oid === undefined) return undefined;
  const isBranch = (await refOid(repo, `refs/remotes/${remote}/${name}`)) !== undefined;
  if (!isBranch) {
    const commit = await resolveCommit(repo, `refs/tags/${name}`).catch(() => oid);
    await repo.gitFs.writeFile(`${repo.gitdir}/HEAD`, `${commit}\n`);
    return commit;
  }
  await engine.writeRef({ ...repo.at, ref: `refs/heads/${name}`, value: oid, force: true });
  await repo.gitFs.writeFile(`${repo.gitdir}/HEAD`, `ref: refs/heads/${name}\n`);
  await writeSetting(repo, `branch.${name}.remote`, remote);
  await writeSetting(repo, `branch.${name}.merge`, `refs/heads/${name}`);
  await noteMove(
    repo,
    ["HEAD", `refs/heads/${name}`],
    undefined,
    oid,
    `clone: from ${withoutSecrets(url)}`,
  ).catch((error: unknown) => {
    // No identity is configured yet.
    if (!(error instanceof GitFailure)) throw error;
  });
  return oid;
}

export async function remoteUrl(repo: Repository, remote: string): Promise<string> {
  const url = await configured(repo, `remote.${remote}.url`);
  if (url !== undefined) return url;
  if (/^https?:\/\//.test(remote)) return remote;
  throw fatal(
    `'${remote}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.`,
  );
}

export async function followedRemote(repo: Repository): Promise<string> {
  const branch = await currentBranch(repo);
  return (branch && (await configured(repo, `branch.${branch}.remote`))) || "origin";
}

async function fetchFrom(
  repo: Repository,
  remote: string,
  how: { prune: boolean; depth?: number | undefined },
): Promise<string> {
  const given = await remoteUrl(repo, remote);
  const { url, ...auth } = credentials(given);
  const before = await remoteBranches(repo, remote);
  await reaching(given, () =>
    engine.fetch({
      ...repo.at,
      ...networkTo(repo, given),
      ...auth,
      url,
      remote,
      prune: how.prune,
      tags: false,
      depth: how.depth,
    }),
  );
  const after = await remoteBranches(repo, remote);
  const rows: { flag: string; what: string; from: string; to: string; note: string }[] = [];
  for (const [name, oid] of after) {
    const old = before.get(name);
    const to = `${remote}/${name}`;
    if (old === oid) continue;
    if (old === undefined) rows.push({ flag: "*", what: "[new branch]", from: name, to, note: "" });
    else {
      const isForward = (await ancestors(repo, [oid])).has(old);
      rows.push({
        flag: isForward ? " " : "+",
        what: `${short(old)}${isForward ? ".." : "..."}${short(oid)}`,
        from: name,
        to,
        note: isForward ? "" : "  (forced update)",
      });
    }
  }
  for (const name of before.keys())
    if (!after.has(name))
      rows.push({
        flag: "-",
        what: "[deleted]",
        from: "(none)",
        to: `${remote}/${name}`,
        note: "",
      });
  if (rows.length === 0) return "";
  const widest = Math.max(10, ...rows.map(({ from }) => from.length));
  const lines = rows.map(
    ({ flag, what, from, to, note }) =>
      ` ${flag} ${what.padEnd(17)} ${from.padEnd(widest)} -> ${to}${note}\n`,
  );
  return `From ${withoutSecrets(given)
    .replace(/\.git$/, "")
    .replace(/\/$/, "")}\n${lines.join("")}`;
}

async function remoteBranches(repo: Repository, remote: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of (await engine.listBranches({ ...repo.at, remote })).sort()) {
    const oid = name === "HEAD" ? undefined : await refOid(repo, `refs/remotes/${remote}/${name}`);
    if (oid !== undefined) found.set(name, oid);
  }
  return found;
}

export const fetchCommand: Subcommand = async (repo, args) => {
  const options = readOptions("fetch", args, {
    flags: ["p|prune", "q|quiet", "all", "t|tags", "v|verbose", "f|force", "no-tags", "progress"],
    valued: ["depth"],
  });
  if (options.operands.length > 1)
    throw notHere("a fetch of single refs", "fetch the whole remote");
  const depth = options.get("depth");
  const remotes = options.has("all")
    ? (await engine.listRemotes(repo.at)).map(({ remote }) => remote)
    : [options.operands[0] ?? (await followedRemote(repo))];
  let stderr = "";
  for (const remote of remotes)
    stderr += await fetchFrom(repo, remote, {
      prune: options.has("prune"),
      depth: depth === undefined ? undefined : Number(depth),
    });
  return { stderr: options.has("quiet") ? "" : stderr };
};

export const pull: Subcommand = async (repo, args) => {
  const options = readOptions("pull", args, {
    flags: [
      "ff",
      "no-ff",
      "ff-only",
      "r|rebase",
      "q|quiet",
      "no-rebase",
      "p|prune",
      "v|verbose",
      "no-edit",
      "t|tags",
    ],
  });
  if (options.has("rebase")) throw notHere("pull --rebase", "use git pull --no-rebase");
  const branch = await currentBranch(repo);
  const remote = options.operands[0] ?? (await followedRemote(repo));
  const named =
    options.operands[1] ??
    (branch && (await configured(repo, `branch.${branch}.merge`)))?.replace(/^refs\/heads\//, "");
  const stderr = await fetchFrom(repo, remote, { prune: options.has("prune") });
  if (named === undefined)
    throw new GitFailure(
      `${stderr}There is no tracking information for the current branch.\nPlease specify which branch you want to merge with.\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n`,
      1,
    );
  const oid = await resolve(repo, `refs/remotes/${remote}/${named}`);
  const url = withoutSecrets(await remoteUrl(repo, remote));
  const head = await currentBranch(repo);
  const into = head === "main" || head === "master" || head === undefined ? "" : ` into ${head}`;
  const result = await mergeCommit(
    repo,
    { oid, name: oid },
    {
      noFastForward: options.has("no-ff"),
      onlyFastForward: options.has("ff-only"),
      quiet: options.has("quiet"),
      message: `Merge branch '${named}' of ${url}${into}`,
    },
  );
  return { ...result, stderr: stderr + (result.stderr ?? "") };
};
