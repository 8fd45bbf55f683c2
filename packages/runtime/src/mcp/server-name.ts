import { ValidationError } from "../errors.ts";

/** A server's name becomes part of its tools' names, and ends there at the first `__`: no other server's tool has the same name. */
const SERVER_NAME = /^(?!.*__)[A-Za-z0-9_-]{0,31}[A-Za-z0-9-]$/;

/** @throws {ValidationError} for a name that no server can have */
export function requireServerName(name: string): void {
  if (SERVER_NAME.test(name)) return;
  throw new ValidationError(`"${name}" is not a name for an MCP server`, {
    hint: "Use 1 to 32 letters, digits, - or _, without __ and without _ at the end.",
  });
}
