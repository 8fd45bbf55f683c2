import type { ShellCommand } from "../../command.ts";
import { permissionsOf } from "../file-words.ts";

/** Reports the previous mode with `-v` and `-c`, as GNU's does. */
export const chmod: ShellCommand = {
  name: "chmod",
  async run(args, context) {
    const isTelling = args.some(
      (arg) => /^-[Rfcv]*[vc]|^--(?:verbose|changes)$/.test(arg) && !/^-[rwx]/.test(arg),
    );
    if (!isTelling) return context.original(args);
    const words = args
      .filter((arg) => !/^--(?:verbose|changes)$/.test(arg))
      .map((arg) => (/^-[Rfcv]+$/.test(arg) ? arg.replace(/[vc]/g, "") : arg));
    const own = words.filter((arg) => arg !== "-");
    const files = own.filter((arg) => !arg.startsWith("-")).slice(1);
    const modeOf = async (file: string): Promise<string> => {
      const stat = await context.fs.stat(context.resolve(file)).catch(() => undefined);
      if (!stat) return "";
      return `${(stat.mode & 0o7777).toString(8).padStart(4, "0")} (${permissionsOf(stat).slice(1)})`;
    };
    const before = await Promise.all(files.map(modeOf));
    const result = await context.original(own);
    let stdout = "";
    for (const [at, file] of files.entries()) {
      const [was, is] = [before[at] ?? "", await modeOf(file)];
      if (is === "") continue;
      if (was !== is) stdout += `mode of '${file}' changed from ${was} to ${is}\n`;
      else if (args.some((arg) => arg.includes("v")))
        stdout += `mode of '${file}' retained as ${is}\n`;
    }
    return { ...result, stdout };
  },
};
