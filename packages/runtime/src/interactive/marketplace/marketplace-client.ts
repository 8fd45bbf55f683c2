import { BundleError, type BundleErrorCode } from "../bundles/bundle-error.ts";
import { errorMessage, isAbortError } from "../../errors.ts";
import { editDistance, nameHint } from "../../messages/near-names.ts";
import { workingDirectory } from "../../ports/working-directory.ts";
import {
  BundlePluginInstaller,
  type InstalledBundle,
  type InstallerPlatform,
  type InstallOptions,
} from "../bundles/bundle-plugin-installer.ts";
import { fetchIndex } from "./fetch-index.ts";
import type { IndexPlace, MarketplaceIndex, MarketplacePlugin } from "./marketplace-index.ts";
import {
  DEFAULT_MARKETPLACE,
  DEFAULT_MARKETPLACE_URL,
  parseMarketplace,
  placeText,
} from "./marketplace-source.ts";
import type { StoredSource } from "./source-list.ts";

/** A marketplace, as people see it. */
export interface MarketplaceSource {
  name: string;
  /** Its address, repository or folder. */
  location: string;
  /** True for the project's own. */
  isDefault: boolean;
}

/** A bundle that a search has found. */
export interface FoundPlugin extends MarketplacePlugin {
  /** Name of its marketplace. */
  marketplace: string;
  /** `name@marketplace`, which is unique. */
  qualifiedName: string;
}

export interface MarketplaceQuery {
  /** Part of a name, in any case. */
  name?: string;
  /** A keyword, in any case. */
  keyword?: string;
  category?: string;
  /** Part of a name, a description or a keyword. */
  text?: string;
  /** Name of the only marketplace to search. */
  marketplace?: string;
}

export interface MarketplaceResult {
  /** Sorted by marketplace in their order, then by name. */
  plugins: readonly FoundPlugin[];
  /** Marketplaces that could not be searched, and entries of theirs that can't be used. */
  problems: readonly { marketplace: string; message: string; code?: BundleErrorCode }[];
}

export interface MarketplaceClientOptions {
  /** Installs what `install` finds; one for the same platform when omitted. */
  installer?: BundlePluginInstaller | undefined;
  /** The address of the default marketplace, or `false` for none. `DEFAULT_MARKETPLACE_URL` when omitted. */
  defaultSource?: string | false | undefined;
  /** The project's directory, from which relative paths start; the platform's own when omitted. */
  cwd?: string | undefined;
}

/**
 * Finds and installs bundles from marketplaces. It fetches only in methods documented to do so, and installs or updates
 * nothing by itself.
 */
export class MarketplaceClient {
  readonly #platform: InstallerPlatform;
  readonly #installer: BundlePluginInstaller;
  readonly #default: StoredSource | undefined;
  readonly #cwd: string;

  constructor(platform: InstallerPlatform, options: MarketplaceClientOptions = {}) {
    const { defaultSource = DEFAULT_MARKETPLACE_URL, cwd } = options;
    this.#platform = platform;
    this.#cwd = workingDirectory(cwd, platform);
    this.#installer = options.installer ?? new BundlePluginInstaller(platform, { cwd: this.#cwd });
    this.#default =
      defaultSource === false
        ? undefined
        : { name: DEFAULT_MARKETPLACE, place: { type: "url", url: defaultSource } };
  }

  /**
   * Fetches the index of a marketplace and adds it under its own name. Private addresses are permitted here: a person
   * names this one.
   * @param location the address of a `marketplace.json`, `owner/repository@ref`, or a folder
   * @throws {BundleError} `BUNDLE_EXISTS` when another one has its name, `BUNDLE_INVALID`, `BUNDLE_UNREACHABLE`,
   * `BUNDLE_NOT_FOUND`
   */
  async addSource(
    location: string,
    options: { signal?: AbortSignal } = {},
  ): Promise<MarketplaceSource> {
    const { home } = this.#platform;
    const place = parseMarketplace(location, { cwd: this.#cwd, home });
    const { name } = await this.#index({ name: "", place }, options.signal);
    const source = { name, place };
    this.#refuseTaken(source, this.#default ? [this.#default] : []);
    const { changeSources } = await import("./source-list.ts");
    await changeSources(this.#platform.storage, (list) => {
      this.#refuseTaken(source, list);
      return [...list.filter((one) => one.name !== name), source];
    });
    return this.#shown(source);
  }

  /** @throws {BundleError} `BUNDLE_NOT_FOUND` */
  async removeSource(name: string): Promise<void> {
    const { changeSources } = await import("./source-list.ts");
    await changeSources(this.#platform.storage, (list) => {
      const left = list.filter((one) => one.name !== name);
      if (left.length < list.length) return left;
      const isDefault = this.#default?.name === name;
      throw new BundleError("BUNDLE_NOT_FOUND", `There is no marketplace ${name} to remove`, {
        hint: isDefault
          ? "It is the default one: pass defaultSource: false to do without."
          : nameHint(
              name,
              list.map((one) => one.name),
            ),
      });
    });
  }

  /** The marketplaces in the order in which they are searched: the default one, then the added ones. Fetches nothing. */
  async listSources(): Promise<MarketplaceSource[]> {
    return (await this.#sources()).map((source) => this.#shown(source));
  }

  /**
   * Fetches the indexes and finds bundles. A text is part of a name, a description or a keyword. All conditions of a
   * query hold together; an empty one finds everything.
   */
  async search(
    query: string | MarketplaceQuery = {},
    options: { signal?: AbortSignal } = {},
  ): Promise<MarketplaceResult> {
    const asked = typeof query === "string" ? { text: query } : query;
    const sources = (await this.#sources()).filter(
      ({ name }) => asked.marketplace === undefined || asked.marketplace === name,
    );
    const plugins: FoundPlugin[] = [];
    const problems: MarketplaceResult["problems"][number][] = [];
    const results = await Promise.all(
      sources.map(async (source) => ({
        source,
        ...(await this.#tryIndex(source, options.signal)),
      })),
    );
    for (const { source, index, problem } of results) {
      const { name: marketplace } = source;
      if (problem) problems.push({ marketplace, ...problem });
      for (const message of index?.problems ?? []) problems.push({ marketplace, message });
      for (const plugin of index?.plugins ?? [])
        if (isMatch(plugin, asked))
          plugins.push({ ...plugin, marketplace, qualifiedName: `${plugin.name}@${marketplace}` });
    }
    // Stable: the order of the marketplaces stays within a name.
    return { plugins: plugins.toSorted((a, b) => compare(a.name, b.name)), problems };
  }

  /**
   * Installs a bundle by its name, or by `name@marketplace` where several marketplaces have the name.
   * @throws {BundleError} `BUNDLE_AMBIGUOUS`, `BUNDLE_NOT_FOUND`, and as `BundlePluginInstaller.install`
   */
  async install(name: string, options: InstallOptions = {}): Promise<InstalledBundle> {
    const { plugin, near } = await this.#find(name, options);
    return this.#installer.install(plugin.source, {
      ...options,
      ...(await this.#fetching(plugin)),
      name: plugin.name,
      marketplace: plugin.marketplace,
      warnings: [...(options.warnings ?? []), ...warningsOf(plugin, near)],
    });
  }

  /**
   * Updates an installed bundle to its marketplace's current version, when a person approves the differences.
   * @throws as `install`, and as `BundlePluginInstaller.update`
   */
  async update(name: string, options: InstallOptions = {}): Promise<InstalledBundle> {
    const { plugin, near } = await this.#find(name, options);
    return this.#installer.update(plugin.name, {
      ...options,
      ...(await this.#fetching(plugin)),
      source: plugin.source,
      marketplace: plugin.marketplace,
      warnings: [...(options.warnings ?? []), ...warningsOf(plugin, near)],
    });
  }

  async #find(
    qualified: string,
    { signal }: InstallOptions,
  ): Promise<{ plugin: FoundPlugin; near: readonly FoundPlugin[] }> {
    const [name = "", marketplace] = qualified.split("@", 2);
    const { plugins, problems } = await this.search({}, signal ? { signal } : {});
    const found = plugins.filter(
      (one) => one.name === name && (marketplace ?? one.marketplace) === one.marketplace,
    );
    const [plugin, second] = found;
    if (plugin && second) {
      const names = found.map((one) => one.qualifiedName).join(" or ");
      throw new BundleError("BUNDLE_AMBIGUOUS", `Several marketplaces have a bundle ${name}`, {
        hint: `Install ${names}.`,
      });
    }
    if (plugin) {
      return { plugin, near: plugins.filter((one) => isNearlyNamed(one, plugin)) };
    }
    const unsearched = problems.filter(({ code }) => code !== undefined);
    const why = unsearched.map((one) => ` ${one.marketplace} could not be searched.`).join("");
    throw new BundleError("BUNDLE_NOT_FOUND", `No marketplace has a bundle ${qualified}.${why}`, {
      hint: nameHint(
        name,
        plugins.map((one) => one.qualifiedName),
      ),
    });
  }

  /** A person who named a private address of a marketplace permits its archives at the same origin. */
  async #fetching({
    marketplace,
  }: FoundPlugin): Promise<Pick<InstallOptions, "allowPrivateOrigins">> {
    const source = (await this.#sources()).find((one) => one.name === marketplace);
    return source ? { allowPrivateOrigins: originsOf(source.place) } : {};
  }

  async #sources(): Promise<StoredSource[]> {
    const { readSources } = await import("./source-list.ts");
    const stored = await readSources(this.#platform.storage);
    return [...(this.#default ? [this.#default] : []), ...stored];
  }

  async #index({ place }: StoredSource, signal?: AbortSignal): Promise<MarketplaceIndex> {
    const options = { allowPrivateOrigins: originsOf(place), signal };
    const text = await fetchIndex(this.#platform, place, options);
    const { readIndex } = await import("./marketplace-index.ts");
    return readIndex(text, place, placeText(place));
  }

  async #tryIndex(
    source: StoredSource,
    signal: AbortSignal | undefined,
  ): Promise<{ index?: MarketplaceIndex; problem?: { message: string; code: BundleErrorCode } }> {
    try {
      const index = await this.#index(source, signal);
      if (index.name === source.name || source === this.#default) return { index };
      const message = `It calls itself ${index.name} now: remove it and add it again.`;
      return { problem: { message, code: "BUNDLE_CHANGED" } };
    } catch (error) {
      if (isAbortError(error)) throw error;
      const code = error instanceof BundleError ? error.code : "BUNDLE_UNREACHABLE";
      const isMissing = source === this.#default;
      const message = isMissing
        ? `The default marketplace can't be reached; the project may have none yet. Add another one. (${errorMessage(error)})`
        : errorMessage(error);
      return { problem: { message, code } };
    }
  }

  /** Several marketplaces of one name could pass for each other. */
  #refuseTaken({ name, place }: StoredSource, list: readonly StoredSource[]): void {
    const other = list.find((one) => one.name === name);
    if (other ? placeText(other.place) === placeText(place) : name !== DEFAULT_MARKETPLACE) return;
    const message = other
      ? `There is a marketplace ${name} already, at ${placeText(other.place)}`
      : `Only the project's own marketplace may be named ${name}`;
    throw new BundleError("BUNDLE_EXISTS", message, {
      hint: "Make sure that it is the one you mean: remove the other one first.",
    });
  }

  #shown(source: StoredSource): MarketplaceSource {
    const { name, place } = source;
    return { name, location: placeText(place), isDefault: source === this.#default };
  }
}

function originsOf(place: IndexPlace): string[] {
  return place.type === "url" ? [new URL(place.url).origin] : [];
}

function isMatch(plugin: MarketplacePlugin, query: MarketplaceQuery): boolean {
  const { name, description, keywords, category } = plugin;
  const has = (whole: string, part: string): boolean =>
    whole.toLowerCase().includes(part.toLowerCase());
  const is = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  const { keyword, category: wanted, text } = query;
  return (
    (query.name === undefined || has(name, query.name)) &&
    (keyword === undefined || keywords.some((one) => is(one, keyword))) &&
    (wanted === undefined || is(category ?? "", wanted)) &&
    (text === undefined || [name, description, ...keywords].some((one) => has(one, text)))
  );
}

/** Names that a person could take for each other: a letter or two apart, or the same but for `-`. */
function isNearlyNamed(one: FoundPlugin, other: FoundPlugin): boolean {
  if (one.name === other.name || one.marketplace === other.marketplace) return false;
  const [a, b] = [one.name.replaceAll("-", ""), other.name.replaceAll("-", "")];
  return editDistance(a, b) <= (Math.min(a.length, b.length) < 8 ? 1 : 2);
}

function warningsOf({ name, source }: FoundPlugin, near: readonly FoundPlugin[]): string[] {
  const isPinned = source.sha256 !== undefined || source.type === "folder";
  return [
    ...(isPinned
      ? []
      : ["The marketplace pins no content of it: its author can change it unseen."]),
    ...near.map(
      (one) => `Its name is nearly that of ${one.qualifiedName}: make sure that you mean ${name}.`,
    ),
  ];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
