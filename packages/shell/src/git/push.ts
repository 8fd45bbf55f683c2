import * as engine from "#isomorphic-git";
import { readOptions } from "./arguments.ts";
import { fatal, GitFailure, notHere } from "./failure.ts";
import {
  credentials,
  followedRemote,
  type Network,
  networkTo,
  reaching,
  remoteUrl,
  withoutSecrets,
} from "./network.ts";
import { configured, type Repository } from "./repository/repository.ts";
import type { Subcommand } from "./result.ts";
import { ancestors, currentBranch, refOid, resolve, short } from "./repository/revisions.ts";
import { writeSetting } from "./safe-settings.ts";

const OPTIONS = {
  flags: [
    "f|force",
    "u|set-upstream",
    "q|quiet",
    "d|delete",
    "tags",
    "all",
    "n|dry-run",
    "no-verify",
    "v|verbose",
    "follow-tags",
    "progress",
  ],
  attached: ["force-with-lease"],
};

export const push: Subcommand = async (repo, args) => {
  const options = readOptions("push", args, OPTIONS);
  for (const name of ["all", "dry-run", "follow-tags", "force-with-lease"])
    if (options.has(name)) throw notHere(`push --${name}`, "push one branch");
  const branch = await currentBranch(repo);
  const remote = options.operands[0] ?? (await followedRemote(repo));
  const spec = options.operands[1] ?? branch;
  const given = await remoteUrl(repo, remote);
  const { url, ...auth } = credentials(given);
  const specs = options.has("tags")
    ? (await engine.listTags(repo.at)).map((name) => `refs/tags/${name}`)
    : spec === undefined
      ? []
      : [spec];
  if (specs.length === 0) throw fatal("You are not currently on a branch.");
  if (
    !options.has("tags") &&
    options.operands[1] === undefined &&
    branch !== undefined &&
    !options.has("set-upstream") &&
    !(await configured(repo, `branch.${branch}.merge`))
  )
    throw fatal(
      `The current branch ${branch} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream ${remote} ${branch}\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n`,
    );
  let [stderr, stdout] = [`To ${withoutSecrets(given)}\n`, ""];
  let hasPushed = false;
  const to: Destination = { remote, given, url, auth, network: networkTo(repo, given) };
  for (const one of specs) {
    const pushed = await pushOne(repo, to, {
      spec: one,
      branch,
      isDelete: options.has("delete") || /^\+?:/.test(one),
      isForced: options.has("force") || one.startsWith("+"),
      before: stderr,
    });
    stderr += pushed ?? "";
    hasPushed ||= pushed !== undefined;
  }
  if (options.has("set-upstream") && branch !== undefined) {
    const target = (spec ?? branch).split(":").at(-1) ?? branch;
    await writeSetting(repo, `branch.${branch}.remote`, remote);
    await writeSetting(repo, `branch.${branch}.merge`, `refs/heads/${target}`);
    stdout = `branch '${branch}' set up to track '${remote}/${target}'.\n`;
  }
  return {
    stdout,
    stderr: options.has("quiet") ? "" : hasPushed ? stderr : "Everything up-to-date\n",
  };
};

interface Destination {
  remote: string;
  /** The address as configured, and without its secrets. */
  given: string;
  url: string;
  auth: { onAuth?: () => { username: string; password: string } };
  network: Network;
}

interface PushedRef {
  /** `from:to`, or one name for both. */
  spec: string;
  /** The current branch. */
  branch: string | undefined;
  isDelete: boolean;
  isForced: boolean;
  /** The report so far, which a refusal repeats. */
  before: string;
}

/** Pushes one ref. Returns its report line; `undefined` when the remote is up to date. */
async function pushOne(
  repo: Repository,
  { remote, given, url, auth, network }: Destination,
  { spec, branch, isDelete, isForced, before }: PushedRef,
): Promise<string | undefined> {
  const [from = "", to = from] = spec.replace(/^\+/, "").split(":");
  const source = isDelete ? "" : await fullRef(repo, from);
  const remoteRef = remoteRefOf(to === "HEAD" ? (branch ?? to) : to, source);
  const name = remoteRef.replace(/^refs\/(?:heads|tags)\//, "");
  const tracked = await serverOid(url, network, auth, remoteRef);
  const oid = isDelete ? undefined : await resolve(repo, source);
  if (oid !== undefined && tracked === oid) return undefined;
  const isForward =
    tracked === undefined || oid === undefined || (await isKnownAncestor(repo, oid, tracked));
  const shownFrom = from === "HEAD" ? "HEAD" : name;
  const failed = `error: failed to push some refs to '${withoutSecrets(given)}'`;
  if (!isForward && !isForced)
    throw new GitFailure(
      `${before} ! [rejected]        ${shownFrom} -> ${name} (fetch first)\n${failed}`,
      1,
    );
  const ref = isDelete ? remoteRef : source;
  const result = await reaching(given, () =>
    engine.push({
      ...repo.at,
      ...network,
      ...auth,
      url,
      remote,
      ref,
      remoteRef,
      force: isForced,
      delete: isDelete,
    }),
  );
  if (!result.ok) throw new GitFailure(`${failed}: ${result.error ?? "refused"}`, 1);
  if (oid !== undefined && remoteRef.startsWith("refs/heads/")) {
    const followed = `refs/remotes/${remote}/${name}`;
    await engine.writeRef({ ...repo.at, ref: followed, value: oid, force: true });
  }
  if (oid === undefined) return ` - [deleted]         ${name}\n`;
  if (tracked === undefined) {
    const kind = remoteRef.startsWith("refs/tags/") ? "[new tag]        " : "[new branch]     ";
    return ` * ${kind} ${shownFrom} -> ${name}\n`;
  }
  const range = `${short(tracked)}${isForward ? ".." : "..."}${short(oid)}`;
  const note = isForward ? "" : " (forced update)";
  return ` ${isForward ? "  " : "+ "}${range}  ${shownFrom} -> ${name}${note}\n`;
}

function remoteRefOf(target: string, source: string): string {
  if (target.startsWith("refs/")) return target;
  return source.startsWith("refs/tags/") ? `refs/tags/${target}` : `refs/heads/${target}`;
}

async function fullRef(repo: Repository, name: string): Promise<string> {
  if (name.startsWith("refs/")) return name;
  if (name === "HEAD") return `refs/heads/${(await currentBranch(repo)) ?? "HEAD"}`;
  for (const kind of ["heads", "tags"])
    if (await refOid(repo, `refs/${kind}/${name}`)) return `refs/${kind}/${name}`;
  throw new GitFailure(`error: src refspec ${name} does not match any`, 1);
}

async function serverOid(
  url: string,
  network: Network,
  auth: { onAuth?: () => { username: string; password: string } },
  ref: string,
): Promise<string | undefined> {
  const refs = await reaching(url, () =>
    engine.listServerRefs({
      ...network,
      ...auth,
      url,
      prefix: ref,
      protocolVersion: 1,
      forPush: true,
    }),
  );
  return refs.find((one) => one.ref === ref)?.oid;
}

async function isKnownAncestor(repo: Repository, oid: string, before: string): Promise<boolean> {
  return (await ancestors(repo, [oid])).has(before);
}
