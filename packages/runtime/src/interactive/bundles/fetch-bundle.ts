import { errorMessage, isAbortError } from "../../errors.ts";
import { sha256 } from "../../digest.ts";
import { EgressError } from "../../network/egress-error.ts";
import { type Egress, guardedFetch } from "../../network/guarded-fetch.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { readArchive } from "./files/read-archive.ts";
import { readFolder } from "./files/read-folder.ts";
import { BUNDLE_LIMITS } from "./files/safe-path.ts";
import { BundleError } from "./bundle-error.ts";
import { type BundleFiles, bundleRoot, digestOf, hashFiles } from "./bundle-files.ts";
import { archiveUrl, type BundleSource, sourceText } from "./sources.ts";

/** Milliseconds for a whole download. */
const TIMEOUT_MS = 120_000;

export interface FetchBundleOptions {
  /** Private origins that a person configured, such as `http://localhost:8080`. Only the public internet without. */
  allowPrivateOrigins?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** The host of a download: its network and its files. */
export type BundleHost = Egress & { fs: FileSystem };

/**
 * The files of a source, in memory. Nothing is written or run.
 * @throws {BundleError} `BUNDLE_UNREACHABLE`, `BUNDLE_MISMATCH` for content other than the pinned one, and as
 * `readArchive`
 * @throws {DOMException} `AbortError`
 */
export async function fetchBundle(
  host: BundleHost,
  source: BundleSource,
  options: FetchBundleOptions = {},
): Promise<BundleFiles> {
  if (source.type === "folder") {
    const files = bundleRoot(await readFolder(host.fs, source.path));
    await checkPin(source, [await digestOf(await hashFiles(files))]);
    return files;
  }
  const archive = await download(host, source, options);
  const packed = await sha256(archive);
  const files = bundleRoot(await readArchive(archive), source.path);
  await checkPin(source, [packed, await digestOf(await hashFiles(files))]);
  return files;
}

/** A pin is the SHA-256 of the archive, or the digest of the bundle's files, which repacking does not change. */
async function checkPin(source: BundleSource, hashes: readonly string[]): Promise<void> {
  const pin = source.sha256?.toLowerCase();
  if (pin === undefined || hashes.includes(pin)) return;
  const message = `${sourceText(source)} has another content than the pinned one (${pin})`;
  throw new BundleError("BUNDLE_MISMATCH", message);
}

async function download(
  host: BundleHost,
  source: Exclude<BundleSource, { type: "folder" }>,
  { allowPrivateOrigins, signal }: FetchBundleOptions,
): Promise<Uint8Array> {
  const url = archiveUrl(source);
  const answer = await reach(source, () =>
    guardedFetch(
      url,
      {},
      {
        fetch: host.fetch,
        pinnedFetch: host.pinnedFetch,
        signal,
        policy: allowPrivateOrigins ? { allowPrivateOrigins } : {},
        maxBytes: BUNDLE_LIMITS.maxBytes,
        timeoutMs: TIMEOUT_MS,
      },
    ),
  );
  if (!answer.ok) {
    answer.cancel();
    const message = `${sourceText(source)} can't be downloaded: ${new URL(url).host} answered ${answer.status}`;
    const code = answer.status === 404 ? "BUNDLE_NOT_FOUND" : "BUNDLE_UNREACHABLE";
    throw new BundleError(code, message, { hint: "Check the address, the ref and the folder." });
  }
  return reach(source, () => answer.bytes());
}

async function reach<Result>(source: BundleSource, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (isAbortError(cause)) throw cause;
    const message = `${sourceText(source)} can't be downloaded: ${errorMessage(cause)}`;
    if (cause instanceof EgressError && cause.code === "EGRESS_TOO_LARGE")
      throw new BundleError("BUNDLE_TOO_LARGE", message, { cause });
    const hint =
      source.type === "github"
        ? "In a browser, GitHub's archives can't be read (CORS): install it from an address that permits it, from a folder, or on Node or a worker."
        : cause instanceof EgressError
          ? cause.hint
          : undefined;
    throw new BundleError("BUNDLE_UNREACHABLE", message, { cause, hint: hint || undefined });
  }
}
