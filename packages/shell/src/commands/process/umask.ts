import type { ShellCommand } from "../../command.ts";

/** Accepts the usual mask only, since the shell does not control the mode of new files. */
export const umask: ShellCommand = {
  name: "umask",
  run(args) {
    const [mode] = args.filter((arg) => !arg.startsWith("-"));
    if (mode === undefined) return { stdout: args.includes("-S") ? "u=rwx,g=rx,o=rx\n" : "0022\n" };
    if (/^0*22$/.test(mode)) return {};
    throw new Error("the mask is fixed at 022: use chmod");
  },
};
