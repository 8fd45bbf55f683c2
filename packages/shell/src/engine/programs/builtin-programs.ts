import { builtins } from "../builtins/all.ts";
import { forkProcess, type Program } from "../run/process.ts";

/** Builtins that are also programs, as `/bin/echo` or `xargs printf` call them. */
const NAMES = ["[", "echo", "false", "kill", "printf", "pwd", "test", "true"];

export function builtinPrograms(): Program[] {
  return NAMES.flatMap((name) => {
    const builtin = builtins.get(name);
    if (!builtin) return [];
    return [
      {
        name,
        async run({ process, args }) {
          const child = forkProcess(process);
          return process.run.interpreter.finish(child, async () => builtin(child, args, name));
        },
      },
    ];
  });
}
