import type { BuiltinArgument } from "../builtins/builtin.ts";
import { sourceOf } from "../state/call-stack.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { FunctionDefinition } from "../syntax/tree.ts";
import { FunctionReturn } from "./control.ts";
import { type Process, report } from "./process.ts";
import { announceAt, hideTraps, runTrap } from "./traps.ts";

/** Defines a function, and notes the file that it is in. @returns the status */
export async function defineFunction(
  process: Process,
  definition: FunctionDefinition,
): Promise<number> {
  const { state } = process;
  const { name } = definition;
  const former = state.functions.get(name);
  if (former?.isReadonly) {
    await report(process, `${name}: readonly function`);
    return 1;
  }
  state.functions.set(name, { ...former, definition, source: sourceOf(state) });
  return 0;
}

export async function callFunction(
  process: Process,
  name: string,
  args: readonly BuiltinArgument[],
): Promise<number> {
  const { state, run } = process;
  const known = state.functions.get(name);
  if (!known) return 0;
  const { body, line } = known.definition;
  run.budget.call(state.frames.length + 1);
  const { positional, frames, line: calledIn } = state;
  const { loopDepth } = process;
  const restoreTraps = hideTraps(state, uninherited(state));
  state.positional = args.map((arg) => (typeof arg === "string" ? arg : arg.name));
  state.frames = [{ name, source: known.source, line: calledIn }, ...frames];
  state.variables.push("function");
  process.loopDepth = 0;
  const announced = announceAt(process, { line, text: state.command });
  try {
    if (announced) await announced;
    const status = await untilReturn(run.interpreter.runCommand(process, body));
    if (state.traps.has("RETURN")) await runTrap(process, "RETURN");
    return status;
  } finally {
    state.variables.pop();
    state.positional = positional;
    state.frames[0]?.restoreOptions?.();
    state.frames = frames;
    state.line = calledIn;
    process.loopDepth = loopDepth;
    restoreTraps();
  }
}

/** The traps that a function has only if it sets them itself. */
function uninherited({ options, traps }: ShellState): string[] {
  if (traps.size === 0) return [];
  return [
    ...(options.has("errtrace") ? [] : ["ERR"]),
    ...(options.has("functrace") ? [] : ["DEBUG", "RETURN"]),
  ];
}

/** The status of a function or of a sourced script, which `return` may end. */
export async function untilReturn(run: Promise<number>): Promise<number> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof FunctionReturn) return error.status;
    throw error;
  }
}
