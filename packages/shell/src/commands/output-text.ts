import { decodeText } from "@robota/runtime/ports";
import type { ShellCommandResult } from "../command.ts";

/** Decodes the output of another program as text. */
export function textOf({ stdout }: Pick<Required<ShellCommandResult>, "stdout">): string {
  return typeof stdout === "string" ? stdout : decodeText(stdout);
}
