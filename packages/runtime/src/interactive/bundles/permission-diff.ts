import { defined } from "../../defined.ts";
import type { LoadedBundlePlugin } from "./bundle.ts";
import type { FileHashes } from "./bundle-files.ts";
import { type BundleGrant, byKind, grantsOf, grantText } from "./grants.ts";

export type BundleScope = "user" | "project";

/** One difference in what a bundle brings into sessions. */
export interface BundleChange extends BundleGrant {
  change: "added" | "changed" | "removed";
  /** The content before, where it was changed. */
  before?: string;
}

/** The approval of a bundle: everything that it brings, or that its update adds, changes and removes. */
export interface BundlePermissionDiff {
  name: string;
  scope: BundleScope;
  /** Version in force until now; absent for a new bundle. */
  from?: string;
  /** Version that would be in force. */
  to: string;
  /** Address, repository or folder that it comes from. */
  source: string;
  /** SHA-256 of all its files, as `files` of the registry has them. */
  digest: string;
  changes: readonly BundleChange[];
  /** Paths of files that differ: a hook may run them. */
  files: {
    added: readonly string[];
    changed: readonly string[];
    removed: readonly string[];
  };
  /** Reasons for a closer look, such as a name that is nearly another bundle's. */
  warnings: readonly string[];
  /** All of it in words, for a person. */
  text: string;
}

/** A bundle with the hashes of its files. */
export interface HashedBundle {
  bundle: LoadedBundlePlugin;
  files: FileHashes;
  digest: string;
}

/** Compares a bundle with its installed version, if there is one. */
export function permissionDiff(
  next: HashedBundle,
  before: HashedBundle | undefined,
  facts: { scope: BundleScope; source: string; warnings?: readonly string[] },
): BundlePermissionDiff {
  const { name, version } = next.bundle.manifest;
  const from = before?.bundle.manifest.version;
  const changes = compare(before ? grantsOf(before.bundle) : [], grantsOf(next.bundle));
  const left = next.bundle.warnings.map(({ file, message }) => `${file}: ${message}`);
  const diff = defined({
    name,
    scope: facts.scope,
    from,
    to: version,
    source: facts.source,
    digest: next.digest,
    changes,
    files: compareFiles(before?.files ?? {}, next.files),
    warnings: [...(facts.warnings ?? []), ...left],
  });
  return { ...diff, text: inWords(diff) };
}

function compare(before: readonly BundleGrant[], after: readonly BundleGrant[]): BundleChange[] {
  const old = new Map(Map.groupBy(before, keyOf));
  const changes: BundleChange[] = [];
  for (const grant of after) {
    const same = old.get(keyOf(grant)) ?? [];
    // Hooks of an event are many: one with identical text is unchanged.
    const at = same.findIndex(({ detail }) => detail === grant.detail);
    if (at !== -1) same.splice(at, 1);
    else if (grant.kind === "hook" || same.length === 0)
      changes.push({ ...grant, change: "added" });
    else changes.push({ ...grant, change: "changed", before: same.shift()?.detail ?? "" });
  }
  for (const grant of [...old.values()].flat()) changes.push({ ...grant, change: "removed" });
  return changes.toSorted(byKind);
}

function keyOf({ kind, name }: BundleGrant): string {
  return `${kind} ${name}`;
}

function compareFiles(before: FileHashes, after: FileHashes): BundlePermissionDiff["files"] {
  const paths = Object.keys(after);
  return {
    added: paths.filter((path) => !Object.hasOwn(before, path)),
    changed: paths.filter((path) => Object.hasOwn(before, path) && before[path] !== after[path]),
    removed: Object.keys(before).filter((path) => !Object.hasOwn(after, path)),
  };
}

function inWords(diff: Omit<BundlePermissionDiff, "text">): string {
  const { name, from, to, scope, source, changes, files, warnings } = diff;
  const where = scope === "user" ? "for all your projects" : "for this project";
  const title =
    from === undefined
      ? `Install ${name} ${to} from ${source}, ${where}.`
      : `Update ${name} from ${from} to ${to}, from ${source}.`;
  const part = (heading: string, change: BundleChange["change"]): string[] => {
    const lines = changes.filter((one) => one.change === change).map((one) => `- ${lineOf(one)}`);
    return lines.length > 0 ? [`${heading}\n${lines.join("\n")}`] : [];
  };
  const paths = [
    ...(from === undefined ? [] : files.added.map((path) => `${path} (new)`)),
    ...files.changed,
    ...files.removed.map((path) => `${path} (removed)`),
  ];
  const parts = [
    title,
    ...warnings.map((warning) => `Caution: ${warning}`),
    ...part("It adds:", "added"),
    ...part("It changes:", "changed"),
    ...part("It removes:", "removed"),
    ...(changes.length === 0
      ? ["It changes no hook, tool, rule, server, agent, skill or command."]
      : []),
    ...(paths.length > 0 ? [`Files that differ: ${paths.join(", ")}`] : []),
  ];
  return parts.join("\n\n");
}

function lineOf(change: BundleChange): string {
  const before = change.before === undefined ? "" : ` (before: ${change.before.slice(0, 300)})`;
  return `${grantText(change)}${before}`;
}
