import { defined } from "../../../defined.ts";
import type { SystemPromptReport } from "../../../context/prompt-report.ts";
import { formatTokenCount } from "../../../context/models.ts";
import { tokensOf } from "../../../context/usage.ts";
import type { Command, CommandResult } from "../command.ts";
import { builtin, counted, done, refused } from "./result.ts";

export const help = builtin("help", {
  scope: "read",
  aliases: ["?"],
  argumentHint: "[command]",
  execute(_session, args, { commands }) {
    const wanted = args.trim().replace(/^\//, "");
    if (wanted === "") return done(commands.map(line).join("\n"));
    const command = commands.find(
      ({ name, aliases }) => name === wanted || aliases?.includes(wanted),
    );
    if (!command) return refused(`There is no command /${wanted}.`);
    const { name, subcommands = [], aliases = [] } = command;
    const others = aliases.length > 0 ? [`Also: /${aliases.join(", /")}`] : [];
    const subs = subcommands.map((one) => line({ ...one, name: `${name} ${one.name}` }));
    return done([line(command), ...others, ...subs].join("\n"));
  },
});

function line({
  name,
  argumentHint,
  description,
}: Pick<Command, "name" | "argumentHint" | "description">): string {
  return `/${name}${argumentHint ? ` ${argumentHint}` : ""}  ${description}`;
}

export const context = builtin("context", {
  scope: "read",
  execute(session) {
    const { usedTokens, maxTokens, usedPercentage } = session.getContextState();
    const used = `${formatTokenCount(usedTokens)} of ${formatTokenCount(maxTokens)} tokens`;
    const systemPrompt = session.getSystemPromptReport();
    const lines = [`Context: ${used} (${usedPercentage} %)`, ...promptLines(systemPrompt)];
    return done(
      lines.join("\n"),
      defined({
        usedTokens,
        maxTokens,
        usedPercentage,
        systemPrompt,
      }),
    );
  },
});

/** The size of the system prompt, and how each of its files was used. */
function promptLines(report: SystemPromptReport | undefined): string[] {
  if (!report) return [];
  const files = report.sections.filter(({ source }) => source !== undefined);
  return [
    `System prompt: ${formatTokenCount(report.tokens)} tokens`,
    ...files.map(({ source, tokens, state, reason }) => {
      const size = state === "omitted" ? "left out" : `${formatTokenCount(tokens)} tokens`;
      const note = state === "cut" ? `${size}, cut` : size;
      return `  ${source}: ${note}${reason === undefined ? "" : ` (${reason})`}`;
    }),
  ];
}

export const cost = builtin("cost", {
  scope: "read",
  aliases: ["usage"],
  execute(session) {
    const messageCount = session.getMessageCount();
    const usage = session.getUsage();
    const dollars = session.getCost();
    const tokens = `${formatTokenCount(tokensOf(usage) - usage.outputTokens)} tokens in, ${formatTokenCount(usage.outputTokens)} out`;
    const price = dollars === undefined ? "unknown price" : formatDollars(dollars);
    const { sessionId } = session;
    return done(
      `Session ${sessionId}: ${counted(messageCount, "turn")}, ${tokens}, ${price}`,
      defined({
        sessionId,
        messageCount,
        usage,
        cost: dollars,
      }),
    );
  },
});

/** Most turns cost less than a cent. */
function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 1 ? 4 : 2)}`;
}

export const agents = builtin("agents", {
  scope: "read",
  execute: (_session, _args, context) => listed("agents", context.agents),
});

export const skills = builtin("skills", {
  scope: "read",
  execute: (session, _args, { commands }) => {
    const { message, ...result } = listed("skills", ofSource(commands, "skill"), "/");
    const problems = (session.getSettings()?.warnings ?? [])
      .filter(({ setting }) => setting === "skill")
      .map(({ layer, message: problem }) => `${layer}: ${problem}`);
    return { ...result, message: [message, ...problems].join("\n") };
  },
});

export const reloadPlugins = builtin("reload-plugins", {
  aliases: ["reload"],
  async execute(_session, _args, { reload, commands: before }) {
    const after = await reload();
    const known = new Set(before.map(({ name }) => name));
    const added = after.map(({ name }) => name).filter((name) => !known.has(name));
    const news = added.length > 0 ? ` New: /${added.join(", /")}` : "";
    return done(`${counted(after.length, "command")}.${news}`, { commands: after.length, added });
  },
});

function ofSource(commands: readonly Command[], source: string): Command[] {
  return commands.filter((command) => command.source === source);
}

/** A list under the key `kind` of its data. */
function listed(
  kind: string,
  items: readonly { name: string; description: string }[],
  sign = "",
): CommandResult {
  const data = items.map(({ name, description }) => ({ name, description }));
  if (items.length === 0) return done(`There are no ${kind}.`, { [kind]: data });
  return done(data.map((item) => `${sign}${item.name}  ${item.description}`).join("\n"), {
    [kind]: data,
  });
}
