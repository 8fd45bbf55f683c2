import { nameHint } from "../../../messages/near-names.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { Command, CommandContext, InstalledPlugin, PluginManager } from "../command.ts";
import { builtin, done, refused, sub } from "./result.ts";

const NONE = "There are no plugins.";

export const plugins = builtin("plugins", {
  scope: "read",
  aliases: ["plugin"],
  argumentHint: "[enable <name> | disable <name> | uninstall <name>]",
  subcommands: [
    change("enable", "Put a plugin in force again, from the next turn on"),
    change("disable", "Take a plugin out of force, from the next turn on"),
    change("uninstall", "Remove a plugin and its files"),
  ],
  async execute(_session, args, context) {
    if (args.trim() !== "") return refused("Say /plugins, or /plugins enable <name> and the like");
    const installed = (await (await context.plugins?.())?.list()) ?? [];
    const commands = context.commands
      .filter(({ source }) => source === "plugin")
      .map(({ name, description }) => ({ name, description }));
    const lines = [
      ...installed.map((plugin) => `${nameOf(plugin)}  ${stateOf(plugin)}`),
      ...commands.map(({ name, description }) => `/${name}  ${visibleText(description)}`),
    ];
    const list = installed.map(({ name, version, scope, enabled, approved }) => ({
      name,
      version,
      scope,
      enabled,
      approved,
    }));
    return done(lines.join("\n") || NONE, { plugins: list, commands });
  },
});

/** A subcommand that changes an installed plugin. */
function change(kind: Exclude<keyof PluginManager, "list">, description: string): Command {
  return sub(kind, description, {
    argumentHint: "<name>",
    scope: "privilege",
    async execute(_session, args, context: CommandContext) {
      const name = args.trim();
      const manager = await context.plugins?.();
      const installed = (await manager?.list()) ?? [];
      const found = installed.find((plugin) => plugin.name === name);
      if (!manager || !found) {
        const names = installed.map((plugin) => plugin.name);
        return refused(`There is no plugin ${JSON.stringify(name)}. ${nameHint(name, names)}`);
      }
      await manager[kind](name, found);
      return done(`${DONE[kind]}: ${nameOf(found)}`, { name, scope: found.scope });
    },
  });
}

const DONE = { enable: "Enabled", disable: "Disabled", uninstall: "Removed" };

function nameOf({ name, version, scope }: InstalledPlugin): string {
  return `${visibleText(name)} ${visibleText(version)}${scope === "project" ? " (project)" : ""}`;
}

function stateOf({ enabled, approved }: InstalledPlugin): string {
  if (!enabled) return "disabled";
  return approved ? "in force" : "waits for approval";
}
