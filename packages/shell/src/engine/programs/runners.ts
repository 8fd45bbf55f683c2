import { parseOptions } from "../builtins/builtin.ts";
import { type Process, type Program, report, spawnProcess } from "../run/process.ts";
import { hideFunctions } from "../state/shell-state.ts";

const MISUSED = 125;

/** Programs that only run another one, since the shell has no priorities, terminals or buffers. */
export const runners: readonly Program[] = [
  runnerNamed("ionice", { flags: "t", valued: "cnp" }),
  runnerNamed("nice", { flags: "", valued: "n" }),
  runnerNamed("nohup", { flags: "" }),
  runnerNamed("setsid", { flags: "fwc" }),
  runnerNamed("stdbuf", { flags: "", valued: "ioe" }),
];

function runnerNamed(name: string, letters: { flags: string; valued?: string }): Program {
  return {
    name,
    async run({ process, args }) {
      const { rest, wrong } = parseOptions(args, letters);
      if (wrong === undefined && rest.length > 0) return runProgram(spawnProcess(process), rest);
      const reason = wrong === undefined ? "missing operand" : `invalid option ${wrong}`;
      await report(process, `${name}: ${reason}`);
      return MISUSED;
    },
  };
}

/** Runs words as a program in a process made for it. @returns the status */
export function runProgram(child: Process, words: readonly string[]): Promise<number> {
  const { interpreter } = child.run;
  hideFunctions(child.state);
  child.isSole = true;
  return interpreter.finish(child, () =>
    interpreter.runWords(child, words, { skipsFunctions: true }),
  );
}
