import type { ShellCommand } from "../../command.ts";

/** Adds octal escapes (`\\0`, `\\012`) to the bundle's own. */
export const tr: ShellCommand = {
  name: "tr",
  run: (args, { original }) =>
    original(
      args.map((arg) =>
        arg.replace(/\\\\|\\([0-7]{1,3})/g, (whole, digits?: string) =>
          digits === undefined ? whole : String.fromCharCode(Number.parseInt(digits, 8)),
        ),
      ),
    ),
};
