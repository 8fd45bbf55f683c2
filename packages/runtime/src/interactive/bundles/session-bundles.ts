import type { Platform } from "../../ports/platform.ts";
import type { ConfigurationUpdate } from "../../session/configuration.ts";
import type { Tool } from "../../tools/tool.ts";
import type { CommandSource } from "../commands/command.ts";
import type { LoadedSettings } from "../settings/load-settings.ts";
import { findBundles } from "./find-bundles.ts";

/** The tools of bundles in force, which most sessions do not have. */
export async function toolsOfBundles({ bundles }: LoadedSettings): Promise<Tool[]> {
  if (bundles.length === 0) return [];
  const { bundleTools } = await import("./bundle-parts.ts");
  return bundleTools(bundles);
}

/** The commands of bundles as they are at each request, also between two turns. */
export function commandsOfBundles(
  platform: Platform,
  cwd: string,
  loaded: () => LoadedSettings,
): CommandSource {
  return {
    name: "plugins",
    isEmpty: () => loaded().foundBundles.length === 0,
    getCommands: async () => {
      const found = await findBundles(platform, cwd);
      if (found.length === 0) return [];
      const { bundleCommands, usableNow } = await import("./bundle-commands.ts");
      return bundleCommands(usableNow(found, loaded()));
    },
  };
}

/**
 * An update of an open session, with the tools of the bundles now in force and word of their instructions. `tools`: the
 * session's own; `update` may have replaced them.
 */
export async function withBundles(
  update: ConfigurationUpdate,
  tools: readonly Tool[],
  before: LoadedSettings,
  now: LoadedSettings,
): Promise<ConfigurationUpdate> {
  if (before.bundles.length === 0 && now.bundles.length === 0) return update;
  const { mergeHooks } = await import("../../hooks/merge-hooks.ts");
  const { bundleTools, promptChangeHooks } = await import("./bundle-parts.ts");
  return {
    ...update,
    tools: [...tools, ...bundleTools(now.bundles)],
    hooks: mergeHooks(update.hooks, promptChangeHooks(before.bundles, now.bundles)),
  };
}
