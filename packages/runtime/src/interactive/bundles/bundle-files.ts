import { sha256 } from "../../digest.ts";
import { findJsonProblem } from "../../messages/strict-json.ts";
import { isObject } from "../settings/settings-object.ts";
import { BundleError, invalid } from "./bundle-error.ts";
import { inBundle } from "./bundle-root.ts";

/** The content of a bundle, by path from its top. */
export type BundleFiles = ReadonlyMap<string, Uint8Array>;

/** SHA-256 in hex of every file, by path. */
export type FileHashes = Readonly<Record<string, string>>;

/** Manifests, the first of which counts. */
export const MANIFESTS = [
  ".robota-plugin/plugin.json",
  "plugin.json",
  ".claude-plugin/plugin.json",
] as const;

export async function hashFiles(files: BundleFiles): Promise<FileHashes> {
  const paths = [...files.keys()].toSorted();
  const hashes = await Promise.all(paths.map((path) => sha256(files.get(path) ?? "")));
  return Object.fromEntries(paths.map((path, at) => [path, hashes[at] ?? ""]));
}

/** SHA-256 over the content of all files, independent of an archive's compression and times. */
export function digestOf(hashes: FileHashes): Promise<string> {
  const lines = Object.entries(hashes).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sha256(lines.map(([path, hash]) => `${hash}  ${path}\n`).join(""));
}

/** The folder at `path` of these files; without `path`, the only folder at the top when the manifest is in there. */
export function bundleRoot(files: BundleFiles, path?: string): BundleFiles {
  const top = onlyFolder(files);
  if (path === undefined || path === "") {
    const isAtTop = MANIFESTS.some((name) => files.has(name));
    return isAtTop || top === undefined ? files : below(files, top);
  }
  for (const folder of [path, ...(top === undefined ? [] : [`${top}/${path}`])]) {
    const found = below(files, folder);
    if (found.size > 0) return found;
  }
  throw new BundleError("BUNDLE_NOT_FOUND", `The source has no folder ${path}`);
}

function onlyFolder(files: BundleFiles): string | undefined {
  const tops = new Set([...files.keys()].map((path) => path.split("/", 1)[0] ?? ""));
  const [first] = tops;
  return tops.size === 1 && first !== undefined && !files.has(first) ? first : undefined;
}

function below(files: BundleFiles, folder: string): BundleFiles {
  const start = `${folder}/`;
  return new Map(
    [...files]
      .filter(([path]) => path.startsWith(start))
      .map(([path, bytes]) => [path.slice(start.length), bytes]),
  );
}

/** @throws {BundleError} `BUNDLE_INVALID` for anything but UTF-8 */
export function textOf(files: BundleFiles, path: string): string {
  const bytes = files.get(path);
  if (!bytes) throw invalid(path, "", "is not in the bundle");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalid(path, "", "is not UTF-8 text", cause);
  }
}

/** A part of a bundle as JSON, and the file that has it. */
export interface DeclaredPart {
  file: string;
  value: unknown;
}

/**
 * A part that the manifest has itself or names by its file, or else the file where such a part belongs; `undefined` for a
 * bundle without it.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export function declaredPart(
  files: BundleFiles,
  declared: unknown,
  { manifestFile, conventional }: { manifestFile: string; conventional: string },
): DeclaredPart | undefined {
  if (isObject(declared)) return { file: manifestFile, value: declared };
  if (declared === undefined && !files.has(conventional)) return undefined;
  const file = typeof declared === "string" ? inBundle(declared) : conventional;
  return { file, value: jsonOf(files, file) };
}

/** @throws {BundleError} `BUNDLE_INVALID` for text that is not unambiguous JSON */
export function jsonOf(files: BundleFiles, path: string): unknown {
  const text = textOf(files, path);
  const problem = findJsonProblem(text);
  if (!problem) return JSON.parse(text);
  const line = text.slice(0, problem.offset).split("\n").length;
  throw invalid(path, `line ${line}`, problem.problem);
}
