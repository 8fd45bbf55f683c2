import { decodeText } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { readOperand } from "../arguments.ts";
import { forEachOperand } from "../byte-lines.ts";

/** Prints whole files: there is no terminal to page on. */
function pagerNamed(name: string): ShellCommand {
  return {
    name,
    async run(args, context) {
      const operands = args.filter((arg) => arg === "-" || !/^[-+]/.test(arg));
      let stdout = "";
      const failed = await forEachOperand(name, operands, async (operand) => {
        if (name === "more" && operand !== "-")
          stdout += `::::::::::::::\n${operand}\n::::::::::::::\n`;
        stdout += decodeText(await readOperand(context, operand));
      });
      return { stdout, ...failed };
    },
  };
}

export const less = pagerNamed("less");

export const more = pagerNamed("more");
