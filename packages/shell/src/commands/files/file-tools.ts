import { basename, dirname } from "@robota/runtime/ports";
import type { ShellCommand } from "../../command.ts";
import { explain, parseArguments } from "../arguments.ts";
import { parseSize } from "../byte-lines.ts";

const MODE = 0o755;

/** Copies with a mode and makes directories: `-d`, `-D`, `-m`, `-t`, `-v`. */
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

const LARGEST = 256 * 1024 * 1024;

/** Sets a file's size: `-s 100`, `-s +5`, `-s -5`, `-s '<5'`, `-s '>5'`, `-c`, `-r`. */
export const truncate: ShellCommand = {
  name: "truncate",
  async run(args, { fs, resolve }) {
    const { options, operands } = parseArguments(args, {
      flags: "co",
      valued: "sr",
      long: { size: "s", "no-create": "c", reference: "r" },
    });
    const reference = options.get("r");
    const text =
      reference === undefined ? options.get("s") : String((await fs.stat(resolve(reference))).size);
    if (text === undefined) throw new Error("you must specify either '--size' or '--reference'");
    const [, sign = "", digits = ""] = /^([-+<>]?)(.*)$/.exec(text) ?? [];
    const amount = parseSize(digits);
    if (amount === undefined) throw new Error(`Invalid number: '${text}'`);
    if (operands.length === 0) throw new Error("missing file operand");
    for (const operand of operands) {
      const before = await fs.readFile(resolve(operand)).catch(() => undefined);
      if (!before && options.has("c")) continue;
      const size = before?.length ?? 0;
      const wanted =
        {
          "+": size + amount,
          "-": Math.max(0, size - amount),
          "<": Math.min(size, amount),
          ">": Math.max(size, amount),
        }[sign] ?? amount;
      if (wanted > LARGEST)
        throw new Error(`failed to truncate '${operand}' at ${wanted} bytes: File too large`);
      const after = new Uint8Array(wanted);
      after.set((before ?? new Uint8Array()).subarray(0, wanted));
      await fs.writeFile(resolve(operand), after);
    }
    return {};
  },
};
