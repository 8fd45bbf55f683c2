import { ConfigurationError, errorMessage } from "../../../errors.ts";
import { nameHint } from "../../../messages/near-names.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { CommandArgument, CommandContext } from "../command.ts";
import type { InstalledPlugin, PluginManager } from "../plugin-manager.ts";

/** The names of installed plugins, for a menu. */
export async function installedNames(
  { plugins }: CommandContext,
  isOffered: (plugin: InstalledPlugin) => boolean = () => true,
): Promise<CommandArgument[]> {
  const manager = await plugins?.();
  const { installed } = manager ? await installedIn(manager) : { installed: [] };
  return installed.filter(isOffered).map((plugin) => ({
    value: plugin.name,
    description: `${plugin.version}, ${stateOf(plugin)}`,
  }));
}

/** The plugins of both scopes, and why those of one can't be listed: a project's must not hide a person's. */
export async function installedIn(
  manager: PluginManager,
  scopes: readonly InstalledPlugin["scope"][] = ["user", "project"],
): Promise<{ installed: InstalledPlugin[]; problems: string[] }> {
  const lists = await Promise.allSettled(scopes.map((scope) => manager.list({ scope })));
  return {
    installed: lists.flatMap((list) => (list.status === "fulfilled" ? list.value : [])),
    problems: lists.flatMap((list) =>
      list.status === "rejected" ? [visibleText(errorMessage(list.reason))] : [],
    ),
  };
}

/** The plugin of a name: the person's, or else the project's; with `--project`, only that. Or why there is none. */
export async function pluginOf(
  manager: PluginManager,
  { target, isOfProject }: { target: string; isOfProject: boolean },
): Promise<InstalledPlugin | string> {
  const { installed, problems } = await installedIn(
    manager,
    isOfProject ? ["project"] : ["user", "project"],
  );
  const found = installed.find(({ name }) => name === target);
  return found ?? [unknown(target, installed), ...problems].join("\n");
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
