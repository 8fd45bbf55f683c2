import { RobotaError } from "../../errors.ts";

/** A caller may not run a command. Only a person's own gesture changes what the agent may do. */
export class CommandRefusedError extends RobotaError {
  override readonly name = "CommandRefusedError" as const;
  /** Its name, as the registry lists it. */
  readonly command: string;

  constructor(command: string, message: string, hint: string) {
    super(message, { code: "COMMAND_REFUSED", category: "user", recoverable: false, hint });
    this.command = command;
  }
}
