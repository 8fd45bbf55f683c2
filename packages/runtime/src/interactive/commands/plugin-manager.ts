/** A plugin that is installed for the person or in the project. */
export interface InstalledPlugin {
  name: string;
  version: string;
  scope: "user" | "project";
  enabled: boolean;
  /** True when a person has approved its present content. */
  approved: boolean;
}

/** A change of the installed plugins that waits for a person's yes. */
export interface PluginProposal {
  /** Everything that the plugin brings, or that its update adds, changes and removes. */
  readonly diff: {
    readonly name: string;
    /** SHA-256 of the content. */
    readonly digest: string;
    /** All of it in words. */
    readonly text: string;
  };
  /** The source as it was written, of an installation. */
  readonly from?: string | undefined;
  /** Does exactly what was shown. @throws {BundleError} `BUNDLE_CHANGED` when that would be something else by now */
  carryOut(): Promise<InstalledPlugin>;
}

/** A plugin of a marketplace. */
export interface OfferedPlugin {
  /** `name@marketplace`. */
  qualifiedName: string;
  description: string;
  version?: string | undefined;
  marketplace: string;
}

/** The marketplaces that a person has added, and the default one. */
export interface PluginMarketplaces {
  list(): Promise<readonly { name: string; location: string; isDefault: boolean }[]>;
  /** Fetches its index, and adds it under its own name. */
  add(location: string): Promise<{ name: string; location: string }>;
  remove(name: string): Promise<void>;
  /** Fetches the indexes. Marketplaces that can't be searched are among the problems. */
  search(query: { text?: string; marketplace?: string }): Promise<{
    plugins: readonly OfferedPlugin[];
    problems: readonly { marketplace: string; message: string }[];
  }>;
}

/** The installed plugins of a session's person and project. Changes count from the next turn on. */
export interface PluginManager {
  readonly marketplaces: PluginMarketplaces;
  /** Those of a scope, or all. @throws {BundleError} for a list that can't be read */
  list(of?: Pick<InstalledPlugin, "scope">): Promise<readonly InstalledPlugin[]>;
  enable(name: string, of: Pick<InstalledPlugin, "scope">): Promise<void>;
  disable(name: string, of: Pick<InstalledPlugin, "scope">): Promise<void>;
  uninstall(name: string, of: Pick<InstalledPlugin, "scope">): Promise<void>;
  /**
   * Fetches a source and shows what it would bring. Nothing is installed.
   * @param source a folder, an address, `owner/repository`, or the name of a marketplace's plugin
   * @param options.allowsPrivate true for an address that a person at the session names
   */
  proposeInstall(
    source: string,
    options: { scope: InstalledPlugin["scope"]; allowsPrivate: boolean },
  ): Promise<PluginProposal>;
  /**
   * Fetches its source, or its marketplace's, again; `undefined` when nothing has changed.
   * @param options.allowsPrivate true for an update by a person at the session, who may have named a private address
   */
  proposeUpdate(
    plugin: InstalledPlugin,
    options: { allowsPrivate: boolean },
  ): Promise<PluginProposal | undefined>;
  /** Shows what a plugin brings that nobody has approved; `undefined` for one that a person has. */
  proposeApproval(plugin: InstalledPlugin): Promise<PluginProposal | undefined>;
}
