import * as z from "../../zod.ts";
import { errorMessage } from "../../errors.ts";
import { findJsonProblem } from "../../messages/strict-json.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { BundleError } from "./bundle-error.ts";
import { digestOf, type FileHashes } from "./bundle-files.ts";
import { isBundleName, isMarketplaceName } from "./manifest.ts";
import { lockFile, type Registry, registryFile } from "./registry.ts";

const HASH = /^[0-9a-f]{64}$/;

const hash = z.string().check(z.regex(HASH));
const entry = z.object({
  version: z.string(),
  enabled: z.boolean(),
  source: z.string(),
  pin: z.exactOptional(hash),
  marketplace: z.exactOptional(z.string().check(z.refine(isMarketplaceName))),
  installedAt: z.string(),
  digest: hash,
});
const lock = z.object({ version: z.literal(1), files: z.record(z.string(), hash) });
const registry = z.object({
  version: z.literal(1),
  plugins: z.record(z.string().check(z.refine(isBundleName)), entry),
});

/** @throws {BundleError} `BUNDLE_INVALID` for a registry that can't be read, so that no bundle is lost unnoticed */
export function parseRegistry(bytes: Uint8Array | undefined, directory: string): Registry {
  if (!bytes) return new Map();
  const file = registryFile(directory);
  const wrong = (why: string, cause?: unknown): BundleError =>
    new BundleError("BUNDLE_INVALID", `${file} can't be read: ${why}`, {
      file,
      cause,
      hint: "Restore it from a copy, or remove it and install the bundles again.",
    });
  try {
    const { plugins } = z.parse(registry, parseJson(bytes));
    return new Map(Object.entries(plugins));
  } catch (cause) {
    throw wrong(problemOf(cause), cause);
  }
}

/** @throws {BundleError} `BUNDLE_CHANGED` when it is not the one that was written */
export async function readLock(fs: FileSystem, place: string, digest: string): Promise<FileHashes> {
  try {
    const { files } = z.parse(lock, parseJson(await fs.readFile(lockFile(place))));
    if ((await digestOf(files)) === digest) return files;
  } catch (cause) {
    const message = `Its lock file can't be read: ${problemOf(cause)}`;
    throw new BundleError("BUNDLE_CHANGED", message, { cause });
  }
  throw new BundleError("BUNDLE_CHANGED", "Its lock file was changed since it was installed");
}

function parseJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const problem = findJsonProblem(text);
  if (problem) throw new SyntaxError(problem.problem);
  return JSON.parse(text);
}

function problemOf(cause: unknown): string {
  if (!(cause instanceof z.$ZodError)) return errorMessage(cause);
  const [issue] = cause.issues;
  return `${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`.trim();
}
