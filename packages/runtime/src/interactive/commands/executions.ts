import { formatTokenCount } from "../../context/models.ts";
import { tokensOf } from "../../context/usage.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../permissions/permission.ts";
import type { CommandResult } from "./command.ts";
import type { CommandSession } from "./command-session.ts";
import { listSystemCommands, type SystemCommandName } from "./system-commands.ts";

type Execution = (session: CommandSession, args: string) => Promise<CommandResult> | CommandResult;

const done = (message: string, data?: Record<string, unknown>): CommandResult => ({
  message,
  success: true,
  ...(data ? { data } : {}),
});
const refused = (message: string): CommandResult => ({ message, success: false });

const help: Execution = () =>
  done(
    listSystemCommands()
      .map(({ name, description }) => `/${name}  ${description}`)
      .join("\n"),
  );

const clear: Execution = async (session) => {
  await session.clearHistory();
  return done("The conversation is empty.");
};

const compact: Execution = async (session, args) => {
  const { before, after, isEmpty } = await session.compact(args.trim());
  if (isEmpty) return done("Nothing to summarise: the conversation is empty.", { before, after });
  return done(`Summarised: ${formatTokenCount(before)} to ${formatTokenCount(after)} tokens.`, {
    before,
    after,
  });
};

const mode: Execution = async (session, args) => {
  const wanted = args.trim();
  if (wanted === "")
    return done(`Mode: ${session.getPermissionMode()}`, { mode: session.getPermissionMode() });
  if (!PERMISSION_MODES.includes(wanted as PermissionMode)) {
    return refused(`"${wanted}" is not a mode. Modes: ${PERMISSION_MODES.join(", ")}.`);
  }
  await session.setPermissionMode(wanted as PermissionMode);
  return done(`Mode: ${wanted}`, { mode: wanted });
};

const context: Execution = (session) => {
  const { usedTokens, maxTokens, usedPercentage } = session.getContextState();
  const used = `${formatTokenCount(usedTokens)} of ${formatTokenCount(maxTokens)} tokens`;
  return done(`Context: ${used} (${usedPercentage} %)`, {
    usedTokens,
    maxTokens,
    usedPercentage,
  });
};

const cost: Execution = (session) => {
  const messageCount = session.getMessageCount();
  const usage = session.getUsage();
  const dollars = session.getCost();
  const turns = messageCount === 1 ? "1 turn" : `${messageCount} turns`;
  const tokens = `${formatTokenCount(tokensOf(usage) - usage.outputTokens)} tokens in, ${formatTokenCount(usage.outputTokens)} out`;
  const price = dollars === undefined ? "unknown price" : formatDollars(dollars);
  return done(`Session ${session.sessionId}: ${turns}, ${tokens}, ${price}`, {
    sessionId: session.sessionId,
    messageCount,
    usage,
    ...(dollars !== undefined && { cost: dollars }),
  });
};

/** Most turns cost less than a cent. */
function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 1 ? 4 : 2)}`;
}

const permissions: Execution = (session) => {
  const allowed = session.getSessionAllowedTools();
  const list = allowed.length > 0 ? allowed.join(", ") : "nothing yet";
  return done(`Mode: ${session.getPermissionMode()}\nAllowed in this session: ${list}`, {
    mode: session.getPermissionMode(),
    allowed,
  });
};

const rename: Execution = async (session, args) => {
  const name = args.trim();
  if (name === "") return refused("Give the session's new name: /rename <name>");
  await session.setName(name);
  return done(`Renamed to "${name}".`, { name });
};

/** Implementations of a session's commands, by name. */
export const EXECUTIONS: Readonly<Record<SystemCommandName, Execution>> = {
  help,
  clear,
  compact,
  mode,
  context,
  cost,
  permissions,
  rename,
};
