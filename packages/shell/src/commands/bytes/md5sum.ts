import type { ShellCommand } from "../../command.ts";

/** The bundle's own, with its warnings on stderr. */
export const md5sum: ShellCommand = {
  name: "md5sum",
  async run(args, { original }) {
    const result = await original(args);
    const text = typeof result.stdout === "string" ? result.stdout : "";
    const warnings = text.match(/^md5sum: WARNING.*\n/gm)?.join("") ?? "";
    if (warnings === "") return result;
    return { ...result, stdout: text.replace(warnings, ""), stderr: result.stderr + warnings };
  },
};
