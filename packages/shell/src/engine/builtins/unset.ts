import { type Process, report } from "../run/process.ts";
import {
  elementOf,
  ExpansionError,
  isVariableName,
  splitName,
  unsetVariable,
  variableOf,
} from "../state/access.ts";
import type { ShellState } from "../state/shell-state.ts";
import { parseOptions, withTexts } from "./builtin.ts";

export const unset = withTexts(async (process, args) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "fvn" });
  if (wrong !== undefined) {
    await report(process, `unset: ${wrong}: invalid option`);
    return 2;
  }
  if (options.has("f") && options.has("v")) {
    await report(process, "unset: cannot simultaneously unset a function and a variable");
    return 1;
  }
  let status = 0;
  for (const name of rest) {
    try {
      unsetOne(process, name, options);
    } catch (error) {
      if (!(error instanceof ExpansionError)) throw error;
      await report(process, `unset: ${error.message}`);
      status = 1;
    }
  }
  return status;
});

/** @throws {ExpansionError} */
function unsetOne({ state }: Process, name: string, options: ReadonlyMap<string, string>): void {
  if (options.has("f")) unsetFunction(state, name);
  else if (options.has("n")) {
    if (state.variables.get(name)?.attributes.has("reference")) state.variables.delete(name);
  } else if (options.has("v") && !isVariableName(name) && !elementOf(state, name))
    throw new ExpansionError(`\`${name}': not a valid identifier`);
  else if (options.has("v") || variableOf(state, splitName(name).name) || elementOf(state, name))
    unsetVariable(state, name);
  else unsetFunction(state, name);
}

/** @throws {ExpansionError} */
function unsetFunction({ functions }: ShellState, name: string): void {
  if (functions.get(name)?.isReadonly)
    throw new ExpansionError(`${name}: cannot unset: readonly function`);
  functions.delete(name);
}
