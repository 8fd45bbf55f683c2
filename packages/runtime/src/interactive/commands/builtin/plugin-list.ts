import { ConfigurationError } from "../../../errors.ts";
import { nameHint } from "../../../messages/near-names.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { CommandArgument, CommandContext } from "../command.ts";
import type { InstalledPlugin, PluginManager } from "../plugin-manager.ts";

/** The names of installed plugins, for a menu. */
export async function installedNames(
  { plugins: manager }: CommandContext,
  isOffered: (plugin: InstalledPlugin) => boolean = () => true,
): Promise<CommandArgument[]> {
  const installed = (await (await manager?.())?.list()) ?? [];
  return installed.filter(isOffered).map((plugin) => ({
    value: plugin.name,
    description: `${plugin.version}, ${stateOf(plugin)}`,
  }));
}

/** Says that a plugin is not installed, with the nearest names. */
export function unknown(name: string, installed: readonly InstalledPlugin[]): string {
  const names = installed.map((plugin) => plugin.name);
  return `There is no plugin ${JSON.stringify(name)}. ${nameHint(name, names)}`;
}

/** The plugins of a session. @throws {ConfigurationError} for a session without a place for them */
export async function requirePlugins({ plugins: manager }: CommandContext): Promise<PluginManager> {
  const found = await manager?.();
  if (found) return found;
  throw new ConfigurationError("This session has no place for plugins", {
    hint: "Plugins belong to sessions that read settings files: open one with a platform and a cwd.",
  });
}

export function nameOf({ name, version, scope }: InstalledPlugin): string {
  return `${visibleText(name)} ${visibleText(version)}${scope === "project" ? " (project)" : ""}`;
}

export function stateOf({ enabled, approved }: InstalledPlugin): string {
  if (!enabled) return "disabled";
  return approved ? "in force" : "waits for approval";
}
