import { defined } from "../../defined.ts";
import { BundleError } from "../bundles/bundle-error.ts";
import { type BundleSource, parseSource } from "../bundles/sources.ts";
import type { IndexPlace } from "./marketplace-index.ts";

/**
 * Address of the project's own marketplace. The project runs none yet: the name is one that the domain name system keeps
 * for examples, so that nobody else can answer in its place.
 */
export const DEFAULT_MARKETPLACE_URL = "https://marketplace.robota.example/marketplace.json";
/** Name of the project's own marketplace, which no other may have. */
export const DEFAULT_MARKETPLACE = "robota";

/** Limit for an index. */
export const MAX_INDEX_BYTES = 1_000_000;

/** Files with an index in a folder or a repository, the first of which counts. */
export const INDEX_FILES = ["marketplace.json", ".claude-plugin/marketplace.json"] as const;

/**
 * Reads the source of a marketplace: an address of a `marketplace.json`, `owner/repository@ref`, or a folder.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export function parseMarketplace(text: string, where: { cwd: string; home: string }): IndexPlace {
  const read = parseSource(text, where);
  if (read.type === "folder") return { type: "folder", path: read.path };
  if (read.type === "archive") return { type: "url", url: read.url };
  return githubPlace(read);
}

function githubPlace({ repository, ref, path }: BundleSource & { type: "github" }): IndexPlace {
  if (path !== undefined)
    throw new BundleError("BUNDLE_INVALID", "A marketplace is at the top of its repository", {
      hint: `Use ${repository} without a folder.`,
    });
  return defined({ type: "github", repository, ref });
}

/** The addresses at which the index may be. Nothing for a folder. */
export function indexUrls(place: IndexPlace): string[] {
  if (place.type === "url") return [place.url];
  if (place.type === "folder") return [];
  const { repository, ref = "HEAD" } = place;
  return INDEX_FILES.map(
    (file) => `https://raw.githubusercontent.com/${repository}/${ref}/${file}`,
  );
}

/** A place as people write it. */
export function placeText(place: IndexPlace): string {
  if (place.type === "url") return place.url;
  if (place.type === "folder") return place.path;
  return place.ref === undefined ? place.repository : `${place.repository}@${place.ref}`;
}
