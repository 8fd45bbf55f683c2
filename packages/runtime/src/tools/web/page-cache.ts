import { sessionState } from "../session-state.ts";
import type { ToolContext } from "../tool.ts";

/** Milliseconds for which a cached page is fresh. */
const FRESH_MS = 15 * 60_000;
/** Characters of all pages that a session keeps at once. */
const MAX_CHARACTERS = 4_000_000;

/** A page as it was read. */
export interface CachedPage {
  /** The address in the end. */
  url: string;
  /** True when the address differs from the requested one. */
  isRedirected: boolean;
  mediaType: string;
  isMarkdown: boolean;
  isWhole: boolean;
  status: number;
  text: string;
}

interface Entry {
  page: CachedPage;
  readAt: number;
}

type CacheContext = Pick<ToolContext, "state" | "platform">;

/** The page under an address as this session read it not long ago. */
export function cachedPage(context: CacheContext, address: string): CachedPage | undefined {
  const entry = pages(context).get(address);
  const age = entry ? context.platform.now() - entry.readAt : Infinity;
  return entry && age >= 0 && age < FRESH_MS ? entry.page : undefined;
}

/** Keeps a page, and lets the oldest ones go when they become too many. */
export function cachePage(context: CacheContext, address: string, page: CachedPage): void {
  const kept = pages(context);
  kept.delete(address);
  kept.set(address, { page, readAt: context.platform.now() });
  let size = 0;
  for (const [key, entry] of [...kept].toReversed()) {
    size += entry.page.text.length;
    if (size > MAX_CHARACTERS && key !== address) kept.delete(key);
  }
}

function pages(context: CacheContext): Map<string, Entry> {
  return sessionState(context, "webPages", () => new Map<string, Entry>());
}
