import { visibleText } from "../../../permissions/visible-text.ts";
import type { CommandArgument, CommandContext, CommandResult } from "../command.ts";
import { requirePlugins } from "./plugin-list.ts";
import { counted, done, refused, sub } from "./result.ts";

/** Lines of a search; a longer list says how many more there are. */
const MAX_FOUND = 50;

export const search = sub("search", "Find plugins in the marketplaces", {
  argumentHint: "<text>",
  scope: "write",
  async execute(_session, args, context) {
    const text = args.trim();
    const { marketplaces } = await requirePlugins(context);
    const { plugins, problems } = await marketplaces.search(text === "" ? {} : { text });
    const shown = plugins.slice(0, MAX_FOUND);
    const more = plugins.length - shown.length;
    const lines = shown.map(({ qualifiedName, version, description }) =>
      line([qualifiedName, version ?? "", description]),
    );
    return done(
      [
        ...(lines.length > 0 ? lines : ["No marketplace has such a plugin."]),
        ...(more > 0 ? [`… and ${more} more: say more of the name.`] : []),
        ...problemLines(problems),
        ...(lines.length > 0 ? ["/plugins install <name> shows what one brings."] : []),
      ].join("\n"),
      {
        plugins: shown.map(({ qualifiedName, version, description }) => ({
          name: qualifiedName,
          version,
          description,
        })),
        problems,
      },
    );
  },
});

const list = sub("list", "Show the marketplaces", {
  scope: "read",
  execute: (_session, _args, context) => listed(context),
});

const add = sub("add", "Add a marketplace", {
  argumentHint: "<address | owner/repository | folder>",
  // Its address may be one of the host's own network, which is for a person at the session to name.
  callers: ["person"],
  async execute(_session, args, context) {
    const location = args.trim();
    if (location === "")
      return refused(
        "Name the marketplace: the address of a marketplace.json, owner/repository, or a folder",
      );
    const { marketplaces } = await requirePlugins(context);
    const { name } = await marketplaces.add(location);
    const { plugins } = await marketplaces.search({ marketplace: name });
    return done(`Added: ${visibleText(name)}, with ${counted(plugins.length, "plugin")}.`, {
      name,
      plugins: plugins.length,
    });
  },
});

const remove = sub("remove", "Remove a marketplace; its plugins stay installed", {
  argumentHint: "<name>",
  complete: (_session, args, context) => (args === "" ? names(context, false) : []),
  async execute(_session, args, context) {
    const name = args.trim();
    const { marketplaces } = await requirePlugins(context);
    await marketplaces.remove(name);
    return done(`Removed: ${name}`, { name });
  },
});

const update = sub("update", "Fetch the indexes again, and report what is wrong with them", {
  argumentHint: "[name]",
  complete: (_session, args, context) => (args === "" ? names(context, true) : []),
  async execute(_session, args, context) {
    const wanted = args.trim();
    const { marketplaces } = await requirePlugins(context);
    const known = (await marketplaces.list()).filter(
      ({ name }) => wanted === "" || name === wanted,
    );
    if (known.length === 0) return refused(`There is no marketplace ${JSON.stringify(wanted)}`);
    const query = wanted === "" ? {} : { marketplace: wanted };
    const { plugins, problems } = await marketplaces.search(query);
    const found = known.map(({ name }) => ({
      name,
      plugins: plugins.filter((one) => one.marketplace === name).length,
    }));
    const lines = found.map((one) => line([one.name, counted(one.plugins, "plugin")]));
    return {
      message: [...lines, ...problemLines(problems)].join("\n"),
      success: problems.length === 0,
      data: { marketplaces: found, problems },
    };
  },
});

export const marketplace = sub("marketplace", "Show and change the marketplaces", {
  aliases: ["market"],
  argumentHint: "[add <address> | remove <name> | list | update [name]]",
  scope: "privilege",
  subcommands: [add, remove, list, update],
  execute: (_session, args, context) =>
    args.trim() === ""
      ? listed(context)
      : refused("Say /plugins marketplace add <address>, remove <name>, list or update [name]"),
});

async function listed(context: CommandContext): Promise<CommandResult> {
  const { marketplaces } = await requirePlugins(context);
  const known = await marketplaces.list();
  const lines = known.map(({ name, location, isDefault }) =>
    line([name, location, isDefault ? "(default)" : ""]),
  );
  return done(lines.join("\n") || "There are no marketplaces.", { marketplaces: known });
}

async function names(context: CommandContext, isDefaultIn: boolean): Promise<CommandArgument[]> {
  const known = (await (await context.plugins?.())?.marketplaces.list()) ?? [];
  return known
    .filter(({ isDefault }) => isDefaultIn || !isDefault)
    .map(({ name, location }) => ({ value: name, description: visibleText(location) }));
}

function problemLines(problems: readonly { marketplace: string; message: string }[]): string[] {
  return problems.map((problem) => line([`${problem.marketplace}:`, problem.message]));
}

/** Words of strangers on one line. */
function line(words: readonly string[]): string {
  return words
    .filter((word) => word !== "")
    .map((word) => visibleText(word, { singleLine: true }))
    .join("  ");
}
