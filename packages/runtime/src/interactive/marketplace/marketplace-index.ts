import { defined } from "../../defined.ts";
import * as z from "../../zod.ts";
import { errorMessage } from "../../errors.ts";
import { findJsonProblem } from "../../messages/strict-json.ts";
import { resolvePath } from "../../ports/path.ts";
import { BundleError } from "../bundles/bundle-error.ts";
import { isBundleName, isMarketplaceName } from "../bundles/manifest.ts";
import { type BundleSource, checkSource, parseSource } from "../bundles/sources.ts";

const MAX_TEXT = 2000;
const MAX_WORDS = 50;

/** A bundle of a marketplace. */
export interface MarketplacePlugin {
  name: string;
  description: string;
  version?: string;
  category?: string;
  keywords: readonly string[];
  author?: string;
  homepage?: string;
  source: BundleSource;
}

/** The index of a marketplace. */
export interface MarketplaceIndex {
  name: string;
  description: string;
  owner?: string;
  plugins: readonly MarketplacePlugin[];
  /** Entries that can't be used, each with the reason. */
  problems: readonly string[];
}

/** The place of an index, from which relative sources are resolved. */
export type IndexPlace =
  | { type: "url"; url: string }
  | { type: "github"; repository: string; ref?: string }
  | { type: "folder"; path: string };

const optional = z.exactOptional;
const text = z.string().check(z.maxLength(MAX_TEXT));
const words = z.array(z.string().check(z.maxLength(100))).check(z.maxLength(MAX_WORDS));
const person = z.union([text, z.object({ name: text })]);
const name = z.string().check(z.refine(isBundleName));
const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/i));
const index = z.object({
  name: z.string().check(z.refine(isMarketplaceName)),
  description: optional(text),
  owner: optional(person),
  metadata: optional(z.object({ description: optional(text), pluginRoot: optional(text) })),
  plugins: z.array(z.unknown()).check(z.maxLength(5000)),
});
const entry = z.object({
  name,
  source: z.union([text, z.record(z.string(), z.unknown())]),
  description: optional(text),
  version: optional(z.string().check(z.maxLength(100))),
  category: optional(z.string().check(z.maxLength(100))),
  keywords: optional(words),
  tags: optional(words),
  author: optional(person),
  homepage: optional(text),
  sha256: optional(hash),
});

/**
 * Reads a `marketplace.json`, also in the form of Claude Code's. An entry that can't be used is left out and reported.
 * @throws {BundleError} `BUNDLE_INVALID` for an index that can't be used at all
 */
export function readIndex(source: string, place: IndexPlace, shownAs: string): MarketplaceIndex {
  const wrong = (why: string, cause?: unknown): BundleError =>
    new BundleError("BUNDLE_INVALID", `The index of ${shownAs} can't be used: ${why}`, {
      file: "marketplace.json",
      cause,
      hint: "Ask its owner to correct it: name, owner and plugins with name and source.",
    });
  const problem = findJsonProblem(source);
  if (problem) throw wrong(problem.problem);
  const read = z.safeParse(index, JSON.parse(source));
  if (!read.success) throw wrong(issueText(read.error));
  const { plugins: raw, metadata, owner, ...rest } = read.data;
  const problems: string[] = [];
  const plugins = new Map<string, MarketplacePlugin>();
  for (const [at, value] of raw.entries()) {
    try {
      const plugin = readEntry(value, place, metadata?.pluginRoot);
      if (plugins.has(plugin.name)) problems.push(`plugins[${at}]: ${plugin.name} is in it twice`);
      else plugins.set(plugin.name, plugin);
    } catch (error) {
      problems.push(`plugins[${at}]: ${errorMessage(error)}`);
    }
  }
  return defined({
    name: rest.name,
    description: rest.description ?? metadata?.description ?? "",
    owner: owner === undefined ? undefined : nameOf(owner),
    plugins: [...plugins.values()],
    problems,
  });
}

function readEntry(value: unknown, place: IndexPlace, root: string | undefined): MarketplacePlugin {
  const read = z.safeParse(entry, value);
  if (!read.success) throw new BundleError("BUNDLE_INVALID", issueText(read.error));
  const { source, sha256, description = "", keywords = [], tags = [], author, ...rest } = read.data;
  const { version, category, homepage } = rest;
  const from = sourceOf(source, place, root);
  return defined({
    name: rest.name,
    description,
    keywords: [...new Set([...keywords, ...tags])],
    source: checkSource({
      ...from,
      ...defined({ sha256: sha256?.toLowerCase() }),
    }),
    version,
    category,
    homepage,
    author: author === undefined ? undefined : nameOf(author),
  });
}

function sourceOf(
  source: string | Record<string, unknown>,
  place: IndexPlace,
  root: string | undefined,
): BundleSource {
  if (typeof source === "string")
    return isRelative(source) ? relativeSource(inRoot(source, root), place) : named(source);
  const { source: kind, repo, url, path, ref, sha, sha256 } = source;
  const more = defined({
    path: typeof path === "string" ? path.replace(/^\.\//, "") : undefined,
    sha256: typeof sha256 === "string" ? sha256 : undefined,
  });
  // A commit is more exact than the branch that it is on.
  const at = typeof sha === "string" ? sha : typeof ref === "string" ? ref : undefined;
  if (kind === "github" && typeof repo === "string")
    return defined({ type: "github", repository: repo, ref: at, ...more });
  if (typeof url === "string") {
    const read = named(url);
    if (read.type === "github") return { ...read, ...defined({ ref: at }), ...more };
    if (!url.endsWith(".git")) return { ...read, ...more };
  }
  throw new BundleError(
    "BUNDLE_INVALID",
    `a source of the kind ${JSON.stringify(kind)} can't be fetched: no git and no package manager is run`,
  );
}

/** A path on the index's own machine is not a source for others. */
function named(source: string): BundleSource {
  const read = parseSource(source, { cwd: "/", home: "/" });
  if (read.type !== "folder") return read;
  throw new BundleError("BUNDLE_INVALID", `${JSON.stringify(source)} is a path of another machine`);
}

function isRelative(source: string): boolean {
  return source.startsWith("./") || source === ".";
}

function inRoot(source: string, root: string | undefined): string {
  return root === undefined ? source : `${root.replace(/\/$/, "")}/${source.replace(/^\.\//, "")}`;
}

/** A source beside the index. */
function relativeSource(source: string, place: IndexPlace): BundleSource {
  const path = resolvePath("/", source).slice(1);
  if (place.type === "folder") return { type: "folder", path: resolvePath(place.path, path) };
  if (place.type === "github") return { ...place, ...defined({ path: path || undefined }) };
  if (!/\.(?:zip|tar|tgz|tar\.gz)$/.test(path))
    throw new BundleError(
      "BUNDLE_INVALID",
      `${JSON.stringify(source)} is a folder, which can't be fetched from an address: only a .zip, .tar or .tar.gz can`,
    );
  return { type: "archive", url: new URL(path, place.url).href };
}

function nameOf(value: string | { name: string }): string {
  return typeof value === "string" ? value : value.name;
}

function issueText(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join(".") || "it"}: ${issue?.message ?? "can't be used"}`;
}
