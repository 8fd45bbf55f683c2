import type { ShellCommand, ShellCommandContext, ShellCommandResult } from "../../command.ts";
import { parseArguments } from "../arguments.ts";

/** Creates a program that only runs another one, since the shell has no priorities, terminals or buffers. */
function runnerNamed(name: string, valued: string, flags = ""): ShellCommand {
  return {
    name,
    async run(args, context): Promise<ShellCommandResult> {
      const { operands } = parseArguments(args, { valued, flags }, { stopAtOperand: true });
      const [program, ...rest] = operands;
      if (program === undefined) throw new Error("missing operand");
      return context.run(program, rest, inputOf(context));
    },
  };
}

function inputOf({ stdin }: ShellCommandContext): string {
  return stdin();
}

export const nohup = runnerNamed("nohup", "");

export const nice = runnerNamed("nice", "n");

export const ionice = runnerNamed("ionice", "cnp", "t");

export const stdbuf = runnerNamed("stdbuf", "ioe");

export const setsid = runnerNamed("setsid", "", "fwc");
