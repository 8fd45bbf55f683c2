import { parseOptions } from "../builtins/builtin.ts";
import { programPath } from "../builtins/type.ts";
import { print, type Program, report } from "../run/process.ts";

/** `which`: prints the paths of programs. `-a` all of them, `-s` none. */
export const which: Program = {
  name: "which",
  async run({ process, args }) {
    const { options, rest, wrong } = parseOptions(args, { flags: "as" });
    if (wrong !== undefined) {
      await report(process, `which: invalid option ${wrong}`);
      return 2;
    }
    let status = rest.length === 0 ? 1 : 0;
    for (const name of rest) {
      const path = await programPath(process, name);
      if (path === undefined) status = 1;
      else if (!options.has("s")) {
        // Each program is in two directories.
        const other = options.has("a") && path !== name ? [`/bin/${name}`] : [];
        await print(process, 1, [path, ...other].map((line) => `${line}\n`).join(""));
      }
    }
    return status;
  },
};
