import { defined } from "../../defined.ts";
import { nameHint } from "../../messages/near-names.ts";
import { dirname } from "../../ports/path.ts";
import { workingDirectory } from "../../ports/working-directory.ts";
import type { Platform } from "../../ports/platform.ts";
import { type Approval, approvalOf, approve, forget, isApproved } from "./approvals.ts";
import { BundleError } from "./bundle-error.ts";
import { type BundleFiles, digestOf, hashFiles } from "./bundle-files.ts";
import { loadBundle, readPinned } from "./bundle-plugin-loader.ts";
import { fetchBundle, type FetchBundleOptions } from "./fetch-bundle.ts";
import {
  type BundlePermissionDiff,
  type BundleScope,
  type HashedBundle,
  permissionDiff,
} from "./permission-diff.ts";
import {
  bundlePlace,
  bundlesDirectory,
  type Registry,
  registryBytes,
  type RegistryEntry,
  writeRegistry,
} from "./registry.ts";
import { type BundleSource, checkSource, parseSource, sourceText } from "./sources.ts";
import { refuseLinks, removeUnused, stageFiles } from "./staged-files.ts";

/** Held while files of bundles change: installations of all tabs, processes and isolates take turns. */
const LEASE = "bundles";

/** The directory of a bundle that is only looked at, so that two versions differ by their content alone. */
const NOWHERE = "/.robota-bundle";

const DAMAGED = "Its installed files are not those that were approved: all of them are replaced.";

/** Asks a person. Only `true` is a yes. */
export type ApproveBundle = (diff: BundlePermissionDiff) => boolean | Promise<boolean>;

export type InstallerPlatform = Pick<
  Platform,
  "fs" | "storage" | "fetch" | "pinnedFetch" | "home" | "now" | "cwd"
>;

export interface BundlePluginInstallerOptions extends FetchBundleOptions {
  /** The project's directory; the platform's own when omitted. */
  cwd?: string | undefined;
}

export interface ScopeOptions {
  /** `user` when omitted: `~/.robota/plugins`. `project`: `.robota/plugins`. */
  scope?: BundleScope | undefined;
}

export interface InstallOptions extends ScopeOptions, FetchBundleOptions {
  /**
   * Shows a person what the bundle brings. A denial refuses the installation. Without it, a bundle is installed and
   * nothing of it is in force until `approve` is called; an update is refused.
   */
  approve?: ApproveBundle | undefined;
  /** The name that the bundle must have, such as the one in a marketplace. */
  name?: string | undefined;
  /** The marketplace that names the source, recorded for updates. */
  marketplace?: string | undefined;
  /** Reasons for a closer look, shown with the question. */
  warnings?: readonly string[] | undefined;
}

/** An installed bundle. */
export interface InstalledBundle extends RegistryEntry {
  name: string;
  scope: BundleScope;
  /** Absolute path of its files. */
  directory: string;
  /** True when a person has approved this very content. In a project, the workspace must be trusted besides. */
  approved: boolean;
}

/**
 * Installs, updates and removes bundles. Every change takes place in one step, the replacement of the registry: before
 * it the old version is complete and in force, after it the new one, whenever the machine stops.
 */
export class BundlePluginInstaller {
  readonly #platform: InstallerPlatform;
  readonly #cwd: string;
  readonly #fetching: FetchBundleOptions;

  constructor(platform: InstallerPlatform, options: BundlePluginInstallerOptions = {}) {
    const { cwd, ...fetching } = options;
    this.#platform = platform;
    this.#cwd = workingDirectory(cwd, platform);
    this.#fetching = fetching;
  }

  /**
   * Installs a bundle that is not installed yet. It is loaded and validated as a whole before anything is written.
   * @param source a folder, an archive's address or a repository, also as text: see `parseSource`
   * @throws {BundleError} `BUNDLE_EXISTS`, `BUNDLE_REFUSED`, and as `fetchBundle` and `BundlePluginLoader.load`
   */
  async install(
    source: BundleSource | string,
    options: InstallOptions = {},
  ): Promise<InstalledBundle> {
    const next = await this.#fetch(this.#source(source), options);
    const { name } = next.bundle.manifest;
    const { scope = "user", approve: asked } = options;
    if ((await this.#registry(scope)).has(name))
      throw new BundleError("BUNDLE_EXISTS", `${name} is installed already`, {
        hint: `Update it with update("${name}"), or uninstall it first.`,
      });
    if (asked) await this.#ask(asked, next, undefined, options);
    return this.#putInPlace(next, undefined, {
      ...options,
      scope,
      isApproved: asked !== undefined,
    });
  }

  /**
   * Fetches a bundle's source again and puts its new content in force, when a person has approved the differences.
   * Nothing is ever updated by itself.
   * @param options.source another source than the one it was installed from
   * @returns the same version when nothing has changed; the same content replaces files that are damaged
   * @throws {BundleError} `BUNDLE_NOT_FOUND`, `BUNDLE_REFUSED`, `BUNDLE_CHANGED` when another installation came first
   */
  async update(
    name: string,
    options: InstallOptions & { source?: BundleSource | string } = {},
  ): Promise<InstalledBundle> {
    const { scope = "user", approve: asked } = options;
    const entry = await this.#entry(name, scope);
    const source = this.#source(options.source ?? entry.source);
    const next = await this.#fetch(source, { ...options, name });
    const before = await this.#loaded(name, entry, scope);
    if (before && next.digest === entry.digest) return this.#installed(name, entry, scope);
    if (!asked)
      throw new BundleError("BUNDLE_REFUSED", `The update of ${name} needs a person's approval`, {
        hint: "Pass approve, which shows a person the differences.",
      });
    const warnings = [...(options.warnings ?? []), ...(before ? [] : [DAMAGED])];
    await this.#ask(asked, next, before, { ...options, warnings });
    return this.#putInPlace(next, entry, { ...options, scope, isApproved: true });
  }

  /**
   * Asks a person about an installed bundle that nobody has approved.
   * @throws {BundleError} `BUNDLE_REFUSED`, and `BUNDLE_CHANGED` when its files are no longer those that were installed
   */
  async approve(name: string, ask: ApproveBundle, options: ScopeOptions = {}): Promise<void> {
    const { scope = "user" } = options;
    const entry = await this.#entry(name, scope);
    const bundle = await this.#loaded(name, entry, scope);
    if (!bundle)
      throw new BundleError("BUNDLE_CHANGED", `The files of ${name} are not those installed`);
    await this.#ask(ask, { ...bundle, source: entry.source }, undefined, { ...options, scope });
    await approve(this.#platform, await this.#approval(name, entry.digest, scope));
  }

  /** Removes a bundle from the registry, then its files. @throws {BundleError} `BUNDLE_NOT_FOUND` */
  async uninstall(name: string, { scope = "user" }: ScopeOptions = {}): Promise<void> {
    const entry = await this.#entry(name, scope);
    const approval = await this.#approval(name, entry.digest, scope);
    await this.#change(scope, (plugins) => plugins.delete(name));
    await forget(this.#platform, approval);
  }

  /** Puts a bundle in force again: in an open session with its next turn. @throws {BundleError} `BUNDLE_NOT_FOUND` */
  enable(name: string, options: ScopeOptions = {}): Promise<void> {
    return this.#switch(name, true, options);
  }

  /** Takes a bundle out of force without removing it. @throws {BundleError} `BUNDLE_NOT_FOUND` */
  disable(name: string, options: ScopeOptions = {}): Promise<void> {
    return this.#switch(name, false, options);
  }

  /** The installed bundles of a scope, or of both, by name. @throws {BundleError} for an unreadable registry */
  async list({ scope }: ScopeOptions = {}): Promise<InstalledBundle[]> {
    const scopes: readonly BundleScope[] = scope ? [scope] : ["user", "project"];
    const lists = await Promise.all(
      scopes.map(async (one) =>
        Promise.all(
          [...(await this.#registry(one))].map(([name, entry]) =>
            this.#installed(name, entry, one),
          ),
        ),
      ),
    );
    return lists.flat().toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  #source(source: BundleSource | string): BundleSource {
    const { home } = this.#platform;
    return typeof source === "string"
      ? parseSource(source, { cwd: this.#cwd, home })
      : checkSource(source);
  }

  /** The complete bundle of a source, in memory. */
  async #fetch(
    source: BundleSource,
    { name: wanted, ...options }: InstallOptions,
  ): Promise<FetchedBundle> {
    const files = await fetchBundle(this.#platform, source, { ...this.#fetching, ...options });
    const hashes = await hashFiles(files);
    const bundle = await loadBundle(files, NOWHERE);
    const { name } = bundle.manifest;
    if (wanted !== undefined && wanted !== name) {
      const message = `${sourceText(source)} holds the bundle ${name}, not ${wanted}`;
      throw new BundleError("BUNDLE_INVALID", message, { field: "name" });
    }
    const digest = await digestOf(hashes);
    const pin = source.sha256?.toLowerCase();
    const facts = defined({ source: sourceText(source), pin });
    return { bundle, digest, files: hashes, contents: files, ...facts };
  }

  async #ask(
    ask: ApproveBundle,
    next: HashedBundle & { source: string },
    before: HashedBundle | undefined,
    { scope = "user", warnings, signal }: InstallOptions,
  ): Promise<void> {
    const diff = permissionDiff(next, before, {
      scope,
      source: next.source,
      warnings: warnings ?? [],
    });
    const answer: unknown = await ask(diff);
    signal?.throwIfAborted();
    if (answer === true) return;
    throw new BundleError("BUNDLE_REFUSED", `${diff.name} was not approved`);
  }

  async #putInPlace(
    next: FetchedBundle,
    before: RegistryEntry | undefined,
    {
      scope,
      isApproved: isYes,
      marketplace,
    }: Pick<InstallOptions, "marketplace"> & { scope: BundleScope; isApproved: boolean },
  ): Promise<InstalledBundle> {
    const { digest, contents, files: hashes, source, pin } = next;
    const { name, version } = next.bundle.manifest;
    const { fs } = this.#platform;
    const directory = this.#directory(scope);
    const entry: RegistryEntry = defined({
      version,
      enabled: before?.enabled ?? true,
      source,
      pin,
      marketplace,
      installedAt: new Date(this.#platform.now()).toISOString(),
      digest,
    });
    await this.#change(scope, async (plugins) => {
      // The person has seen the differences from that version.
      if (plugins.get(name)?.digest !== before?.digest)
        throw new BundleError("BUNDLE_CHANGED", `${name} was installed by somebody else meanwhile`);
      await stageFiles(fs, directory, { name, digest, files: contents, hashes });
      if (isYes) await approve(this.#platform, await this.#approval(name, digest, scope));
      plugins.set(name, entry);
    });
    if (before && before.digest !== digest)
      await forget(this.#platform, await this.#approval(name, before.digest, scope));
    return this.#installed(name, entry, scope);
  }

  async #switch(name: string, enabled: boolean, { scope = "user" }: ScopeOptions): Promise<void> {
    await this.#entry(name, scope);
    await this.#change(scope, (plugins) => {
      const entry = plugins.get(name);
      if (entry) plugins.set(name, { ...entry, enabled });
    });
  }

  /** Changes the registry, and removes unused directories before and afterwards. */
  async #change(
    scope: BundleScope,
    change: (plugins: Map<string, RegistryEntry>) => unknown,
  ): Promise<void> {
    const { fs, storage } = this.#platform;
    const directory = this.#directory(scope);
    await using _lease = await storage.acquire(LEASE);
    // A project could lead an installation, and its clearing away, to a person's other files.
    if (scope === "project")
      for (const path of [dirname(directory), directory]) await refuseLinks(fs, path);
    const plugins = new Map(await this.#registry(scope));
    await removeUnused(fs, directory, plugins);
    await change(plugins);
    await writeRegistry(fs, directory, plugins);
    // The change is done; directories that can't be removed now go with the next one.
    await removeUnused(fs, directory, plugins).catch(() => undefined);
  }

  /** The installed version; `undefined` when its files are no longer those that were installed. */
  async #loaded(
    name: string,
    { digest }: RegistryEntry,
    scope: BundleScope,
  ): Promise<HashedBundle | undefined> {
    const { fs } = this.#platform;
    const place = bundlePlace(this.#directory(scope), name, digest);
    try {
      const { readLock } = await import("./read-registry.ts");
      const files = await readLock(fs, place, digest);
      const found = await readPinned(fs, place, files);
      return { bundle: await loadBundle(found, NOWHERE), files, digest };
    } catch (error) {
      if (error instanceof BundleError) return undefined;
      throw error;
    }
  }

  async #installed(
    name: string,
    entry: RegistryEntry,
    scope: BundleScope,
  ): Promise<InstalledBundle> {
    const approval = await this.#approval(name, entry.digest, scope);
    const approved = await isApproved(this.#platform, approval);
    const directory = bundlePlace(this.#directory(scope), name, entry.digest);
    return { name, scope, directory, approved, ...entry };
  }

  async #entry(name: string, scope: BundleScope): Promise<RegistryEntry> {
    const plugins = await this.#registry(scope);
    const entry = plugins.get(name);
    if (entry) return entry;
    throw new BundleError("BUNDLE_NOT_FOUND", `${name} is not installed`, {
      hint: nameHint(name, plugins.keys()),
    });
  }

  #approval(name: string, digest: string, scope: BundleScope): Promise<Approval> {
    return approvalOf(this.#platform.fs, this.#directory(scope), name, digest);
  }

  async #registry(scope: BundleScope): Promise<Registry> {
    const directory = this.#directory(scope);
    const { parseRegistry } = await import("./read-registry.ts");
    return parseRegistry(await registryBytes(this.#platform.fs, directory), directory);
  }

  #directory(scope: BundleScope): string {
    return bundlesDirectory(scope, { cwd: this.#cwd, home: this.#platform.home });
  }
}

/** A bundle of a source that is not installed yet. */
interface FetchedBundle extends HashedBundle {
  contents: BundleFiles;
  source: string;
  pin?: string;
}
