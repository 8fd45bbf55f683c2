import { parseArgs } from "node:util";
import { type CliOption, OPTIONS, type OptionName } from "./options.ts";
import { UsageError } from "./usage-error.ts";

/** The given options: texts, lists of them for repeatable ones, and `true` for switches. */
export type Values = {
  [Name in OptionName]?: (typeof OPTIONS)[Name] extends { multiple: true }
    ? string[]
    : (typeof OPTIONS)[Name]["type"] extends "boolean"
      ? boolean
      : string;
};

/** @throws {UsageError} */
export function parseOptions(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    const options = Object.fromEntries(
      Object.entries<CliOption>(OPTIONS).map(([name, { type, short, multiple = false }]) => [
        name,
        short === undefined ? { type, multiple } : { type, multiple, short },
      ]),
    );
    const parsed = parseArgs({ args: [...args], allowPositionals: true, options });
    // Of the very options that its type is made of.
    return { values: parsed.values as Values, positionals: parsed.positionals };
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
