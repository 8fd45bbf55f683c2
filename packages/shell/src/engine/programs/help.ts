import { BUILTIN_NAMES } from "../builtins/names.ts";
import { print, type Process, type Program } from "../run/process.ts";

/** `help`: lists the commands, or explains those named. */
export const help: Program = {
  name: "help",
  async run({ process, args }) {
    const names = args.filter((arg) => !arg.startsWith("-"));
    if (names.length === 0) {
      const all = new Set([...BUILTIN_NAMES, ...process.run.programs.keys()]);
      await print(process, 1, `${[...all].sort().join("\n")}\n`);
      return 0;
    }
    let status = 0;
    for (const name of names) {
      if (await explainProgram(process, name)) continue;
      await print(process, 2, `help: no help topics match '${name}'\n`);
      status = 1;
    }
    return status;
  },
};

/** A program that answers `--help` and `--version`. */
export function explained(program: Program): Program {
  return {
    name: program.name,
    async run(call) {
      const asked = call.args.length === 1 ? call.args[0] : undefined;
      if (asked === "--help" && (await explainProgram(call.process, program.name))) return 0;
      if (asked === "--version" && (await showVersion(call.process, program.name))) return 0;
      return program.run(call);
    },
  };
}

/** Prints the usage of a program. @returns false for one without */
async function explainProgram(process: Process, name: string): Promise<boolean> {
  const { usageOf } = await import("../../commands/usage.ts");
  const usage = usageOf(name);
  if (usage !== undefined) await print(process, 1, usage);
  return usage !== undefined;
}

/** Prints the version of a program. @returns false for one without */
async function showVersion(process: Process, name: string): Promise<boolean> {
  const { versionOf } = await import("../../commands/versions.ts");
  const version = versionOf(name);
  if (version !== undefined) await print(process, 1, version);
  return version !== undefined;
}
