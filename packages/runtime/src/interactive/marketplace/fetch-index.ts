import { sha256 } from "../../digest.ts";
import { errorMessage, FileSystemError, isAbortError } from "../../errors.ts";
import { EgressError } from "../../network/egress-error.ts";
import { guardedFetch } from "../../network/guarded-fetch.ts";
import type { Platform } from "../../ports/platform.ts";
import { BundleError } from "../bundles/bundle-error.ts";
import type { IndexPlace } from "./marketplace-index.ts";
import { INDEX_FILES, indexUrls, MAX_INDEX_BYTES, placeText } from "./marketplace-source.ts";

const TIMEOUT_MS = 20_000;

export type IndexHost = Pick<Platform, "fs" | "storage" | "fetch" | "pinnedFetch" | "now">;

export interface FetchIndexOptions {
  allowPrivateOrigins: readonly string[];
  signal?: AbortSignal | undefined;
}

/** A stored answer, which the next request asks about by its ETag. */
interface CachedIndex {
  etag: string;
  text: string;
}

/**
 * The text of an index. An address that answers "not modified" gives the stored one; nothing is taken from the store
 * without asking.
 * @throws {BundleError} `BUNDLE_UNREACHABLE`, `BUNDLE_NOT_FOUND`
 */
export async function fetchIndex(
  host: IndexHost,
  place: IndexPlace,
  options: FetchIndexOptions,
): Promise<string> {
  if (place.type === "folder") return readIndexFile(host, place.path);
  let missing: BundleError | undefined;
  for (const url of indexUrls(place)) {
    const found = await request(host, place, url, options);
    if (typeof found === "string") return found;
    missing ??= found;
  }
  throw missing ?? new BundleError("BUNDLE_NOT_FOUND", `${placeText(place)} has no index`);
}

async function readIndexFile({ fs }: IndexHost, folder: string): Promise<string> {
  for (const file of INDEX_FILES) {
    try {
      const bytes = await fs.readFile(`${folder}/${file}`);
      return new TextDecoder().decode(bytes.subarray(0, MAX_INDEX_BYTES + 1));
    } catch (error) {
      const isMissing = error instanceof FileSystemError && /^(?:ENOENT|ENOTDIR)$/.test(error.code);
      if (!isMissing) throw error;
    }
  }
  throw new BundleError("BUNDLE_NOT_FOUND", `There is no ${INDEX_FILES.join(" or ")} in ${folder}`);
}

/** The text at an address, or the error when there is none. */
async function request(
  host: IndexHost,
  place: IndexPlace,
  url: string,
  { allowPrivateOrigins, signal }: FetchIndexOptions,
): Promise<string | BundleError> {
  const key = `marketplaces/index/${await sha256(url)}`;
  const cached = readCached(await host.storage.get(key));
  try {
    const headers = cached && { "if-none-match": cached.etag };
    const answer = await guardedFetch(
      url,
      { headers },
      {
        fetch: host.fetch,
        pinnedFetch: host.pinnedFetch,
        policy: { allowPrivateOrigins },
        maxBytes: MAX_INDEX_BYTES,
        timeoutMs: TIMEOUT_MS,
        signal,
      },
    );
    if (answer.status === 304 && cached) {
      answer.cancel();
      return cached.text;
    }
    if (!answer.ok) {
      answer.cancel();
      const message = `${placeText(place)} gives no index: ${new URL(url).host} answered ${answer.status}`;
      const error = new BundleError(
        answer.status === 404 ? "BUNDLE_NOT_FOUND" : "BUNDLE_UNREACHABLE",
        message,
      );
      if (answer.status === 404) return error;
      throw error;
    }
    const text = await answer.text();
    const etag = answer.headers.get("etag");
    // A page sees it only where the server exposes it; the browser's own cache asks by it in any case.
    if (etag !== null) await store(host, key, { etag, text });
    return text;
  } catch (cause) {
    if (isAbortError(cause) || cause instanceof BundleError) throw cause;
    const message = `${placeText(place)} can't be reached: ${errorMessage(cause)}`;
    const hint = cause instanceof EgressError && cause.hint ? { hint: cause.hint } : {};
    throw new BundleError("BUNDLE_UNREACHABLE", message, { cause, ...hint });
  }
}

async function store({ storage }: IndexHost, key: string, index: CachedIndex): Promise<void> {
  await storage.set(key, new TextEncoder().encode(JSON.stringify({ v: 1, ...index })));
}

function readCached(bytes: Uint8Array | undefined): CachedIndex | undefined {
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const isIndex =
      typeof value === "object" && value !== null && "etag" in value && "text" in value;
    if (isIndex && typeof value.etag === "string" && typeof value.text === "string")
      return { etag: value.etag, text: value.text };
  } catch {
    // An unreadable entry is fetched anew.
  }
  return undefined;
}
