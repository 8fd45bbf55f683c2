import { errorMessage, RobotaError } from "../../errors.ts";
import { redact } from "../../messages/redact.ts";

export function tooLong(name: string, ms: number): RobotaError {
  return new RobotaError(`The MCP server ${name} took over ${ms / 1000} s`, {
    code: "MCP_TIMEOUT",
    category: "system",
    recoverable: true,
    hint: `Look at the server, or raise timeoutMs of mcpServers.${name}.`,
  });
}

export function switchedOff(name: string): RobotaError {
  return new RobotaError(`The MCP server ${name} is switched off`, {
    code: "MCP_CONNECT",
    category: "user",
    recoverable: false,
    hint: `Remove enabled: false from mcpServers.${name}.`,
  });
}

export function connectionEnded(name: string): RobotaError {
  return new RobotaError(`The connection to the MCP server ${name} has ended`, {
    code: "MCP_CONNECT",
    category: "system",
    recoverable: true,
    hint: "It is connected again when it is needed.",
  });
}

/** The reason why there is no connection, with what a process wrote last, and without secrets. */
export function withLastWords(error: unknown, words: string): RobotaError {
  const said = words.trim() === "" ? "" : ` It wrote: ${words.trim()}`;
  const known = error instanceof RobotaError ? error : undefined;
  return new RobotaError(`${redact(errorMessage(error))}${said}`, {
    code: known?.code ?? "MCP_CONNECT",
    category: known?.category ?? "system",
    recoverable: known?.recoverable ?? true,
    cause: error,
    hint: known?.hint,
  });
}
