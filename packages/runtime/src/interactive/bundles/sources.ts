import { defined } from "../../defined.ts";
import { resolvePath } from "../../ports/path.ts";
import { BundleError } from "./bundle-error.ts";

/** The source of a bundle. */
export type BundleSource =
  /** A folder of the platform's file system, absolute. */
  | { type: "folder"; path: string; sha256?: string }
  /** A `.zip`, `.tar` or `.tar.gz` at an address. */
  | { type: "archive"; url: string; path?: string; sha256?: string }
  /** A repository on GitHub, fetched as an archive: no git is run. */
  | { type: "github"; repository: string; ref?: string; path?: string; sha256?: string };

const REPOSITORY = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const REF = /^(?!.*(?:\.\.|\/\/|@\{))[A-Za-z0-9][A-Za-z0-9._/-]{0,200}$/;
const HASH = /^[0-9a-f]{64}$/i;
const PATH = /^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\\:\0]{1,500}$/;

/**
 * Reads a source as people write it: a path (`/plugins/x`, `./x`, `~/x`), an address (`https://…/x.zip`), or
 * `owner/repository`, optionally with `@ref` and `#folder` behind it.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export function parseSource(
  text: string,
  { cwd, home }: { cwd: string; home: string },
): BundleSource {
  if (/^~?\/|^\.{1,2}(?:\/|$)/.test(text)) {
    const path = text.startsWith("~") ? `${home}${text.slice(1)}` : text;
    return { type: "folder", path: resolvePath(cwd, path) };
  }
  const [place = "", folder] = text.split("#", 2);
  const path = folder === undefined || folder === "" ? {} : { path: folder };
  if (/^https?:\/\//i.test(place))
    return checkSource(githubOf(place, path) ?? { type: "archive", url: place, ...path });
  const [repository = "", ref] = place.split("@", 2);
  if (!REPOSITORY.test(repository)) {
    throw new BundleError(
      "BUNDLE_INVALID",
      `${JSON.stringify(text.slice(0, 200))} is not a source`,
      {
        hint: "Use a folder (./my-plugin), an address of an archive (https://…/x.zip), or owner/repository@ref.",
      },
    );
  }
  return checkSource(defined({ type: "github", repository, ref, ...path }));
}

/** A page of a repository, as people copy it from their browser; also with `.git` at its end. */
function githubOf(address: string, path: { path?: string }): BundleSource | undefined {
  const url = URL.parse(address);
  if (url?.hostname !== "github.com") return undefined;
  const match = /^\/([^/]+\/[^/]+?)(?:\.git)?(?:\/tree\/([^/]+)(?:\/(.+?))?)?\/?$/.exec(
    url.pathname,
  );
  if (!match) return undefined;
  const [, repository = "", ref, folder] = match;
  return defined({
    type: "github",
    repository,
    ref,
    path: folder,
    ...path,
  });
}

/** @throws {BundleError} `BUNDLE_INVALID` for a source with an unusable part */
export function checkSource(source: BundleSource): BundleSource {
  const wrong = (part: string): BundleError =>
    new BundleError("BUNDLE_INVALID", `The ${part} of the source can't be used`, {
      hint: "Use owner/repository@ref#folder, or an address that begins with https://.",
    });
  if (source.sha256 !== undefined && !HASH.test(source.sha256)) throw wrong("sha256");
  if (source.type === "folder") return source;
  if (source.path !== undefined && !PATH.test(source.path)) throw wrong("folder");
  if (source.type === "archive") {
    const url = URL.parse(source.url);
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
      throw wrong("address");
    return source;
  }
  if (!REPOSITORY.test(source.repository)) throw wrong("repository");
  if (source.ref !== undefined && !REF.test(source.ref)) throw wrong("ref");
  return source;
}

/** A source as people write it. */
export function sourceText(source: BundleSource): string {
  if (source.type === "folder") return source.path;
  const place =
    source.type === "archive"
      ? source.url
      : `${source.repository}${source.ref === undefined ? "" : `@${source.ref}`}`;
  return source.path === undefined ? place : `${place}#${source.path}`;
}

/** The address of a source's archive. */
export function archiveUrl(source: Exclude<BundleSource, { type: "folder" }>): string {
  if (source.type === "archive") return source.url;
  const ref = (source.ref ?? "HEAD").split("/").map(encodeURIComponent).join("/");
  return `https://codeload.github.com/${source.repository}/tar.gz/${ref}`;
}
