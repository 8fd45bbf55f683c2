import { RobotaError } from "../../errors.ts";
import type { CommandScope } from "./command.ts";

/** A caller may not run a command. Only a person's own gesture changes what the agent may do. */
export class CommandRefusedError extends RobotaError {
  override readonly name = "CommandRefusedError" as const;
  /** Its name, as the registry lists it. */
  readonly command: string;
  /** The scope that its remote caller lacks, when that is the reason. */
  readonly scope: CommandScope | undefined;

  constructor(command: string, message: string, hint: string, scope?: CommandScope) {
    super(message, { code: "COMMAND_REFUSED", category: "user", recoverable: false, hint });
    this.command = command;
    this.scope = scope;
  }
}
