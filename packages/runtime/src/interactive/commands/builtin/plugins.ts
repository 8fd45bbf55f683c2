import { nameHint } from "../../../messages/near-names.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { Command, CommandContext } from "../command.ts";
import { installedNames, nameOf, stateOf, unknown } from "./plugin-list.ts";
import { marketplace, search } from "./plugin-marketplaces.ts";
import { approvePlugin, confirmPlugin, installPlugin, updatePlugins } from "./plugin-proposals.ts";
import { builtin, done, refused, sub } from "./result.ts";

const NONE = "There are no plugins.";

const SUBCOMMANDS = [
  installPlugin,
  updatePlugins,
  confirmPlugin,
  search,
  marketplace,
  change("enable", "Put a plugin in force again, from the next turn on"),
  change("disable", "Take a plugin out of force, from the next turn on"),
  change("uninstall", "Remove a plugin and its files"),
  approvePlugin,
];

export const plugins = builtin("plugins", {
  scope: "read",
  aliases: ["plugin"],
  argumentHint: "[install <source> | update [name] | search <text> | enable <name> | …]",
  subcommands: SUBCOMMANDS,
  async execute(_session, args, context) {
    const [word = ""] = args.trim().split(/\s/, 1);
    if (word !== "") {
      const names = SUBCOMMANDS.map(({ name }) => name);
      return refused(`There is no /plugins ${visibleText(word)}. ${nameHint(word, names)}`);
    }
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
function change(kind: "enable" | "disable" | "uninstall", description: string): Command {
  return sub(kind, description, {
    argumentHint: "<name>",
    scope: "privilege",
    complete: (_session, args, context) =>
      args === ""
        ? installedNames(
            context,
            ({ enabled }) => kind === "uninstall" || enabled !== (kind === "enable"),
          )
        : [],
    async execute(_session, args, context: CommandContext) {
      const name = args.trim();
      const manager = await context.plugins?.();
      const installed = (await manager?.list()) ?? [];
      const found = installed.find((plugin) => plugin.name === name);
      if (!manager || !found) return refused(unknown(name, installed));
      await manager[kind](name, found);
      return done(`${DONE[kind]}: ${nameOf(found)}`, { name, scope: found.scope });
    },
  });
}

const DONE = { enable: "Enabled", disable: "Disabled", uninstall: "Removed" };
