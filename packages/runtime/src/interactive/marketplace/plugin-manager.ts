import type { Platform } from "../../ports/platform.ts";
import { BundleError } from "../bundles/bundle-error.ts";
import {
  type ApproveBundle,
  BundlePluginInstaller,
  type InstalledBundle,
} from "../bundles/bundle-plugin-installer.ts";
import type { BundlePermissionDiff, BundleScope } from "../bundles/permission-diff.ts";
import type {
  InstalledPlugin,
  PluginManager,
  PluginMarketplaces,
  PluginProposal,
} from "../commands/plugin-manager.ts";
import { MarketplaceClient, type MarketplaceClientOptions } from "./marketplace-client.ts";

/** A step of the installer that asks for approval. */
type AskingStep = (approve: ApproveBundle) => Promise<InstalledBundle | undefined>;

/** The plugins of a session's person and project, over the installer and the marketplaces of its platform. */
export class BundlePluginManager implements PluginManager {
  readonly #installer: BundlePluginInstaller;
  readonly #client: MarketplaceClient;
  readonly marketplaces: PluginMarketplaces;

  constructor(
    platform: Platform,
    { cwd, defaultSource }: { cwd: string } & Pick<MarketplaceClientOptions, "defaultSource">,
  ) {
    this.#installer = new BundlePluginInstaller(platform, { cwd });
    const client = new MarketplaceClient(platform, {
      cwd,
      installer: this.#installer,
      defaultSource,
    });
    this.#client = client;
    this.marketplaces = {
      list: () => client.listSources(),
      add: (location) => client.addSource(location),
      remove: (name) => client.removeSource(name),
      search: (query) => client.search(query),
    };
  }

  list(of?: { scope: BundleScope }): Promise<readonly InstalledBundle[]> {
    return this.#installer.list(of);
  }

  enable(name: string, of: { scope: BundleScope }): Promise<void> {
    return this.#installer.enable(name, of);
  }

  disable(name: string, of: { scope: BundleScope }): Promise<void> {
    return this.#installer.disable(name, of);
  }

  uninstall(name: string, of: { scope: BundleScope }): Promise<void> {
    return this.#installer.uninstall(name, of);
  }

  async proposeInstall(
    source: string,
    { scope, allowsPrivate }: { scope: BundleScope; allowsPrivate: boolean },
  ): Promise<PluginProposal> {
    const allowPrivateOrigins = allowsPrivate ? originsOf(source) : undefined;
    const proposal = await proposed((approve) => {
      if (isName(source)) return this.#client.install(source, { scope, approve });
      return this.#installer.install(source, { scope, approve, allowPrivateOrigins });
    });
    if (proposal) return proposal;
    throw new BundleError("BUNDLE_EXISTS", `${source} is installed already`);
  }

  async proposeUpdate(
    { name, scope }: InstalledPlugin,
    { allowsPrivate }: { allowsPrivate: boolean },
  ): Promise<PluginProposal | undefined> {
    const installed = (await this.#installer.list({ scope })).find((one) => one.name === name);
    const { marketplace, source = "", approved = false } = installed ?? {};
    // Anybody may have written a project's list.
    const isNamed = allowsPrivate && approved && scope === "user";
    const allowPrivateOrigins = isNamed ? originsOf(source) : undefined;
    return proposed((approve) =>
      marketplace === undefined
        ? this.#installer.update(name, { scope, approve, allowPrivateOrigins })
        : this.#client.update(`${name}@${marketplace}`, { scope, approve }),
    );
  }

  async proposeApproval({ name, scope }: InstalledPlugin): Promise<PluginProposal | undefined> {
    const find = async (): Promise<InstalledBundle | undefined> =>
      (await this.#installer.list({ scope })).find((one) => one.name === name);
    if ((await find())?.approved) return undefined;
    return proposed(async (approve) => {
      await this.#installer.approve(name, approve, { scope });
      return find();
    });
  }
}

/** The origin of a source that is an address. */
function originsOf(source: string): string[] | undefined {
  const { origin } = URL.parse(source) ?? {};
  return origin === undefined ? undefined : [origin];
}

/** A name or `name@marketplace`; every other source has a slash. */
function isName(source: string): boolean {
  return !source.includes("/") && !source.startsWith(".") && !source.startsWith("~");
}

/**
 * Goes as far as the question for approval, and puts the question aside for a person; `undefined` when nothing is
 * asked.
 */
async function proposed(step: AskingStep): Promise<PluginProposal | undefined> {
  const shown: BundlePermissionDiff[] = [];
  try {
    await step((diff) => {
      shown.push(diff);
      return false;
    });
  } catch (error) {
    if (shown.length === 0) throw error;
  }
  const [diff] = shown;
  return diff && { diff, carryOut: () => carryOut(step, diff) };
}

async function carryOut(step: AskingStep, seen: BundlePermissionDiff): Promise<InstalledPlugin> {
  let isOther = false;
  try {
    const installed = await step(({ digest, text }) => {
      isOther = digest !== seen.digest || text !== seen.text;
      return !isOther;
    });
    if (installed) return installed;
  } catch (error) {
    if (!isOther) throw error;
  }
  throw new BundleError("BUNDLE_CHANGED", `${seen.name} is not what was shown any more`, {
    hint: "Look at it again, and confirm that.",
  });
}
