import { basename, dirname } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";

const MODE = 0o755;

/** Copies with a mode and creates directories: `-d`, `-D`, `-m`, `-t`, `-v`. */
export const install: ShellCommand = {
  name: "install",
  async run(args, context) {
    const { options, operands } = parseArguments(args, {
      flags: "dDvpcsC",
      valued: "mtog",
      long: { directory: "d", mode: "m", "target-directory": "t", verbose: "v" },
    });
    const { fs, resolve } = context;
    const mode = options.get("m");
    const setMode = async (path: string): Promise<void> => {
      if (mode === undefined) return fs.chmod(path, MODE);
      if (/^[0-7]+$/.test(mode)) return fs.chmod(path, Number.parseInt(mode, 8));
      const { exitCode, stderr } = await context.run("chmod", [mode, path]);
      if (exitCode !== 0) throw new Error(stderr.trim());
    };
    if (options.has("d")) {
      for (const operand of operands) {
        await fs.mkdir(resolve(operand), { recursive: true });
        await setMode(resolve(operand));
      }
      return {};
    }
    const sources = [...operands];
    const target = options.get("t") ?? sources.pop();
    if (target === undefined || sources.length === 0) throw new Error("missing file operand");
    const isDirectory = await fs.stat(resolve(target)).then(
      ({ type }) => type === "directory",
      () => false,
    );
    if (sources.length > 1 && !isDirectory && !options.has("t"))
      throw new Error(`target '${target}' is not a directory`);
    let stdout = "";
    for (const source of sources) {
      const place = isDirectory || options.has("t") ? `${target}/${basename(source)}` : target;
      if (options.has("D")) await fs.mkdir(dirname(resolve(place)), { recursive: true });
      const content = await fs.readFile(resolve(source)).catch((error: unknown) => {
        throw new Error(`cannot stat '${source}': ${explain(error)}`, { cause: error });
      });
      await fs.writeFile(resolve(place), content);
      await setMode(resolve(place));
      if (options.has("v")) stdout += `'${source}' -> '${place}'\n`;
    }
    return { stdout };
  },
};
