import type { Command, CommandCaller, CommandScope } from "./command.ts";
import { CommandRefusedError } from "./command-refused.ts";

const SCOPES: readonly CommandScope[] = ["read", "write", "privilege"];
const EVERYBODY_BUT_MODELS: readonly CommandCaller["kind"][] = ["person", "remote"];

/**
 * Checks that a caller may run a command; the single place that decides so.
 * @throws {CommandRefusedError}
 */
export function requireAllowed(command: Command, caller: CommandCaller): void {
  const name = `/${command.name}`;
  const scope = scopeOf(command);
  const { callers = EVERYBODY_BUT_MODELS } = command;
  if (caller.kind === "model" && scope === "privilege")
    throw new CommandRefusedError(
      command.name,
      `${name} changes what the agent may do: a model can't run it`,
      "Ask the person to run it.",
    );
  if (!callers.includes(caller.kind))
    throw new CommandRefusedError(
      command.name,
      `${name} can't be run by a ${NAMES[caller.kind]}`,
      `It is for ${callers.map((kind) => `a ${NAMES[kind]}`).join(" or ") || "nobody"}.`,
    );
  if (caller.kind === "remote" && !caller.scopes.includes(scope))
    throw new CommandRefusedError(
      command.name,
      `${name} needs the scope ${scope}, which this caller lacks`,
      `Its scopes: ${caller.scopes.join(", ") || "none"}. The server's operator sets them.`,
      scope,
    );
}

/** Reports whether a caller may run a command. */
export function isAllowed(command: Command, caller: CommandCaller): boolean {
  try {
    requireAllowed(command, caller);
    return true;
  } catch {
    return false;
  }
}

/** A prompt begins a turn, so it never only reads. An unknown scope is the strictest. */
export function scopeOf(command: Command): CommandScope {
  const { scope = "write" } = command;
  if (!SCOPES.includes(scope)) return "privilege";
  return command.prompt && scope === "read" ? "write" : scope;
}

const NAMES: Readonly<Record<CommandCaller["kind"], string>> = {
  person: "person",
  model: "model",
  remote: "remote caller",
};
