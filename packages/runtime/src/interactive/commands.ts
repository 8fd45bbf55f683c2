import { formatTokenCount } from "../context/models.ts";
import { errorMessage } from "../errors.ts";
import { PERMISSION_MODES, type PermissionMode } from "../permissions/permission.ts";
import type { InteractiveSession } from "./interactive-session.ts";

export interface CommandResult {
  /** For a person. */
  message: string;
  success: boolean;
  data?: Record<string, unknown>;
}

/** Something a person can ask of a session by name. It touches the session only; anything else is for the caller, by `data`. */
export interface SystemCommand {
  name: string;
  description: string;
  execute(session: InteractiveSession, args: string): Promise<CommandResult> | CommandResult;
}

const done = (message: string, data?: Record<string, unknown>): CommandResult => ({
  message,
  success: true,
  ...(data ? { data } : {}),
});
const refused = (message: string): CommandResult => ({ message, success: false });

const help: SystemCommand = {
  name: "help",
  description: "Show the commands",
  execute: (session) =>
    done(
      session
        .listCommands()
        .map(({ name, description }) => `/${name}  ${description}`)
        .join("\n"),
    ),
};

const clear: SystemCommand = {
  name: "clear",
  description: "Empty the conversation",
  async execute(session) {
    await session.clearHistory();
    return done("The conversation is empty.");
  },
};

const compact: SystemCommand = {
  name: "compact",
  description: "Summarise the conversation to make room: /compact [what to keep in view]",
  async execute(session, args) {
    const { before, after } = await session.compact(args.trim());
    return done(`Summarised: ${formatTokenCount(before)} to ${formatTokenCount(after)} tokens.`, {
      before,
      after,
    });
  },
};

const mode: SystemCommand = {
  name: "mode",
  description: "Show or change the permission mode",
  async execute(session, args) {
    const wanted = args.trim();
    if (wanted === "")
      return done(`Mode: ${session.getPermissionMode()}`, { mode: session.getPermissionMode() });
    if (!PERMISSION_MODES.includes(wanted as PermissionMode)) {
      return refused(`"${wanted}" is no mode. Modes: ${PERMISSION_MODES.join(", ")}.`);
    }
    await session.setPermissionMode(wanted as PermissionMode);
    return done(`Mode: ${wanted}`, { mode: wanted });
  },
};

const context: SystemCommand = {
  name: "context",
  description: "Show how full the model's context window is",
  execute(session) {
    const { usedTokens, maxTokens, usedPercentage } = session.getContextState();
    const used = `${formatTokenCount(usedTokens)} of ${formatTokenCount(maxTokens)} tokens`;
    return done(`Context: ${used} (${usedPercentage} %)`, {
      usedTokens,
      maxTokens,
      usedPercentage,
    });
  },
};

const cost: SystemCommand = {
  name: "cost",
  description: "Show the session's id and its number of turns",
  execute(session) {
    const messageCount = session.getMessageCount();
    return done(`Session ${session.sessionId}: ${messageCount} turns`, {
      sessionId: session.sessionId,
      messageCount,
    });
  },
};

const permissions: SystemCommand = {
  name: "permissions",
  description: "Show the mode and what this session allows without asking",
  execute(session) {
    const allowed = session.getSessionAllowedTools();
    const list = allowed.length > 0 ? allowed.join(", ") : "nothing yet";
    return done(`Mode: ${session.getPermissionMode()}\nAllowed in this session: ${list}`, {
      mode: session.getPermissionMode(),
      allowed,
    });
  },
};

const rename: SystemCommand = {
  name: "rename",
  description: "Name the session",
  async execute(session, args) {
    const name = args.trim();
    if (name === "") return refused("Give the session's new name: /rename <name>");
    await session.setName(name);
    return done(`Renamed to "${name}".`, { name });
  },
};

const systemCommands: readonly SystemCommand[] = [
  help,
  clear,
  compact,
  mode,
  context,
  cost,
  permissions,
  rename,
];

export function listSystemCommands(): { name: string; description: string }[] {
  return systemCommands.map(({ name, description }) => ({ name, description }));
}

/** Resolves to `null` for a name that is no command. A command that fails is a result. */
export async function executeSystemCommand(
  session: InteractiveSession,
  name: string,
  args: string,
): Promise<CommandResult | null> {
  const command = systemCommands.find((candidate) => candidate.name === name);
  if (!command) return null;
  try {
    return await command.execute(session, args);
  } catch (error) {
    return refused(errorMessage(error));
  }
}
