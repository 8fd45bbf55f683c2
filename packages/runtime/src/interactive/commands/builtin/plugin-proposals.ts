import { errorMessage } from "../../../errors.ts";
import { visibleText } from "../../../permissions/visible-text.ts";
import type { Command, CommandContext, CommandResult } from "../command.ts";
import type { InstalledPlugin, PluginProposal } from "../plugin-manager.ts";
import {
  installedIn,
  installedNames,
  nameOf,
  pluginOf,
  requirePlugins,
  unknown,
} from "./plugin-list.ts";
import { done, refused, sub } from "./result.ts";

/** Options that people write behind a source or a name. */
interface Asked {
  /** Empty when nothing is named. */
  target: string;
  scope: InstalledPlugin["scope"];
  /** True when the project's plugins are meant alone. */
  isOfProject: boolean;
  /** The digest of the content that a person was shown, and says yes to. */
  confirmed: string | undefined;
}

const CONFIRM = "--confirm";
const OPTIONS = /(?:^|(?<!\s)\s+)--(?:(project)|confirm(?:\s+|=)([0-9a-f]{64}))$/;

export function parse(args: string): Asked {
  let target = args.trim();
  let scope: Asked["scope"] = "user";
  let confirmed: string | undefined;
  for (let option = OPTIONS.exec(target); option; option = OPTIONS.exec(target)) {
    target = target.slice(0, option.index).trimEnd();
    if (option[1]) scope = "project";
    else confirmed = option[2];
  }
  const isOfProject = scope === "project";
  return { target: target.replace(/^(["'])(.*)\1$/, "$2"), scope, isOfProject, confirmed };
}

export const installPlugin = sub(
  "install",
  "Show what a plugin brings, and install it with a yes",
  {
    argumentHint: "<folder | address | owner/repository | name> [--project]",
    scope: "privilege",
    complete: (_session, args, { proposals }) => {
      const { target } = parse(args);
      return [...proposals.values()]
        .filter(({ from }) => from === target)
        .map(({ diff }) => ({ value: `${CONFIRM}=${diff.digest}`, description: diff.name }));
    },
    async execute(_session, args, context) {
      const { target, scope, confirmed } = parse(args);
      if (target === "")
        return refused(
          "Name a source: a folder (./my-plugin), an address of an archive, owner/repository, or the name of a plugin that /plugins search has found",
        );
      const manager = await requirePlugins(context);
      const allowsPrivate = context.caller.kind === "person";
      const proposal = await manager.proposeInstall(target, { scope, allowsPrivate });
      const again = `install ${target}${scope === "project" ? " --project" : ""}`;
      return decide({ ...proposal, from: target }, { confirmed, again, context });
    },
  },
);

export const updatePlugins = sub(
  "update",
  "Show what newer versions change, and take one with a yes",
  {
    argumentHint: "[name] [--project]",
    scope: "privilege",
    complete: (_session, args, context) => (args === "" ? installedNames(context) : []),
    async execute(_session, args, context) {
      const { target, confirmed, isOfProject } = parse(args);
      const manager = await requirePlugins(context);
      const scopes = isOfProject ? (["project"] as const) : undefined;
      const { installed: all, problems } = await installedIn(manager, scopes);
      const wanted = target === "" ? all : all.filter(({ name }) => name === target);
      if (target !== "" && wanted.length === 0)
        return refused([unknown(target, all), ...problems].join("\n"));
      if (wanted.length === 0 && problems.length === 0)
        return done("There are no plugins to update.", { plugins: [] });
      const allowsPrivate = context.caller.kind === "person";
      const results = await Promise.all(
        wanted.map(async (plugin): Promise<CommandResult> => {
          try {
            const proposal = await manager.proposeUpdate(plugin, { allowsPrivate });
            const again = `update ${plugin.name}${plugin.scope === "project" ? " --project" : ""}`;
            if (proposal) return await decide(proposal, { confirmed, again, context });
            return done(`${nameOf(plugin)} is up to date.`, { name: plugin.name, isCurrent: true });
          } catch (error) {
            if (target !== "") throw error;
            return refused(`${nameOf(plugin)} can't be updated: ${errorMessage(error)}`);
          }
        }),
      );
      if (target === "") results.push(...problems.map((problem) => refused(problem)));
      const [only, second] = results;
      if (only && !second) return only;
      return {
        message: results.map(({ message }) => message).join("\n\n"),
        success: results.every(({ success }) => success),
        data: { plugins: results.map(({ data = {} }) => data) },
      };
    },
  },
);

export const approvePlugin = sub("approve", "Show what a plugin brings that waits for approval", {
  argumentHint: "<name> [--project]",
  scope: "privilege",
  complete: (_session, args, context) =>
    args === "" ? installedNames(context, ({ approved }) => !approved) : [],
  async execute(_session, args, context) {
    const { confirmed, ...asked } = parse(args);
    const manager = await requirePlugins(context);
    const plugin = await pluginOf(manager, asked);
    if (typeof plugin === "string") return refused(plugin);
    const proposal = await manager.proposeApproval(plugin);
    if (!proposal) return done(`${nameOf(plugin)} is approved already.`, { name: plugin.name });
    return decide(proposal, {
      confirmed,
      again: `approve ${plugin.name}${plugin.scope === "project" ? " --project" : ""}`,
      context,
    });
  },
});

export const confirmPlugin: Command = sub("confirm", "Say yes to what was shown of a plugin", {
  argumentHint: "[name]",
  scope: "privilege",
  complete: (_session, args, { proposals }) =>
    args === ""
      ? [...proposals.values()].map(({ diff }) => ({
          value: diff.name,
          description: visibleText(diff.text.split("\n", 1)[0] ?? ""),
        }))
      : [],
  async execute(_session, args, { proposals }) {
    const name = args.trim();
    const names = [...proposals.keys()];
    if (names.length === 0)
      return refused(
        "Nothing waits for a yes. /plugins install <source> and /plugins update [name] show something first.",
      );
    const proposal = name === "" && names.length === 1 ? first(proposals) : proposals.get(name);
    if (!proposal) return refused(`Say which: /plugins confirm ${names.join(", or ")}`);
    proposals.delete(proposal.diff.name);
    return carryOut(proposal);
  },
});

function first(proposals: ReadonlyMap<string, PluginProposal>): PluginProposal | undefined {
  const [proposal] = proposals.values();
  return proposal;
}

/** Carries a change out to which a person has said yes, or shows it and waits for the yes. */
async function decide(
  proposal: PluginProposal,
  {
    confirmed,
    again,
    context: { proposals },
  }: {
    confirmed: string | undefined;
    /** The command that shows the same again. */
    again: string;
    context: CommandContext;
  },
): Promise<CommandResult> {
  const { diff } = proposal;
  if (confirmed === diff.digest) return carryOut(proposal);
  proposals.set(diff.name, proposal);
  const { name, digest } = diff;
  const command = `plugins ${again} ${CONFIRM} ${digest}`;
  const isOther = confirmed === undefined ? "" : "This is not the content that was confirmed.\n\n";
  const ask = `Nothing is changed yet. For exactly this, say /plugins confirm ${name}, or from elsewhere /${command}`;
  return {
    message: `${isOther}${visibleText(diff.text)}\n\n${ask}`,
    success: confirmed === undefined,
    data: { name, needsConfirmation: true, command, diff: JSON.parse(JSON.stringify(diff)) },
  };
}

async function carryOut(proposal: PluginProposal): Promise<CommandResult> {
  const plugin = await proposal.carryOut();
  const { name, version, scope } = plugin;
  const when =
    scope === "project"
      ? "in force from the next turn on, in a workspace that is trusted: see /trust"
      : "in force from the next turn on";
  return done(`Installed: ${nameOf(plugin)}, ${when}.`, { name, version, scope });
}
