import { nameHint } from "../../../messages/near-names.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { Command, CommandContext } from "../command.ts";
import { installedIn, installedNames, nameOf, pluginOf, stateOf, unknown } from "./plugin-list.ts";
import { marketplace, search } from "./plugin-marketplaces.ts";
import {
  approvePlugin,
  confirmPlugin,
  installPlugin,
  parse,
  updatePlugins,
} from "./plugin-proposals.ts";
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
    const manager = await context.plugins?.();
    const { installed, problems } = manager
      ? await installedIn(manager)
      : { installed: [], problems: [] };
    const commands = context.commands
      .filter(({ source }) => source === "plugin")
      .map(({ name, description }) => ({ name, description }));
    const lines = [
      ...installed.map((plugin) => `${nameOf(plugin)}  ${stateOf(plugin)}`),
      ...commands.map(({ name, description }) => `/${name}  ${visibleText(description)}`),
      ...problems,
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
    argumentHint: "<name> [--project]",
    scope: "privilege",
    complete: (_session, args, context) =>
      args === ""
        ? installedNames(
            context,
            ({ enabled }) => kind === "uninstall" || enabled !== (kind === "enable"),
          )
        : [],
    async execute(_session, args, context: CommandContext) {
      const asked = parse(args);
      const manager = await context.plugins?.();
      if (!manager) return refused(unknown(asked.target, []));
      const found = await pluginOf(manager, asked);
      if (typeof found === "string") return refused(found);
      const { name, scope } = found;
      await manager[kind](name, found);
      return done(`${DONE[kind]}: ${nameOf(found)}`, { name, scope });
    },
  });
}

const DONE = { enable: "Enabled", disable: "Disabled", uninstall: "Removed" };
