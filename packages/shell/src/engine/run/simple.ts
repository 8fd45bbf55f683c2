import { ArithmeticError } from "../arithmetic/error.ts";
import { builtins } from "../builtins/all.ts";
import type { BuiltinArgument } from "../builtins/builtin.ts";
import type { ExpansionHost } from "../expand/expansion.ts";
import { expandValue, expandText, expandWords } from "../expand/words.ts";
import { ExpansionError, readVariable } from "../state/access.ts";
import type { Assignment, SimpleCommand } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { assign, textOfArray } from "./assignments.ts";
import { callFunction } from "./functions.ts";
import { runProgram } from "./programs.ts";
import { type Process, report, reportWarnings, type RunWordsOptions } from "./process.ts";
import { statusOfFatal } from "./control.ts";
import {
  applyRedirections,
  expandRedirections,
  type ExpandedRedirection,
  isExpected,
} from "./redirections.ts";
import { hostOf } from "./substitution.ts";
import { isTraced, trace, tracedValue, tracedWord } from "./trace.ts";
import { announceAt } from "./traps.ts";

const NOT_PERMITTED = 126;

/** The commands to which arrays in arguments are left; for any other they are text. */
const TAKE_ARRAYS: ReadonlySet<string> = new Set(
  "declare export local readonly typeset".split(" "),
);

/** Runs a simple command. @returns the status */
export async function runSimple(process: Process, command: SimpleCommand): Promise<number> {
  const { run } = process;
  process.inputPipe?.noteCommand();
  const turn = run.budget.command();
  if (turn) await turn;
  const announced = process.isAnnounced ? undefined : announceAt(process, command);
  process.isAnnounced = false;
  if (announced) await announced;
  process.substitutionStatus = undefined;
  const words = await expandArguments(process, command.words);
  if (words.length === 0) return runAssignments(process, command);
  const redirections = await expandOwn(process, words[0], command);
  if (typeof redirections === "number") return redirections;
  const reported = reportWarnings(process);
  if (reported) await reported;
  return runCall(process, { words, redirections, assignments: command.assignments });
}

/**
 * Expands the redirections of a command. An error in those of a program is its own, since they belong to the process that
 * becomes it: the result is then its status.
 */
async function expandOwn(
  process: Process,
  name: BuiltinArgument | undefined,
  { redirections }: SimpleCommand,
): Promise<readonly ExpandedRedirection[] | number> {
  try {
    return await expandRedirections(process, redirections);
  } catch (error) {
    const isFailed = error instanceof ExpansionError || error instanceof ArithmeticError;
    if (!isFailed || typeof name !== "string" || isOfShell(process, name)) throw error;
    await report(process, error.message);
    const isFatal = error instanceof ExpansionError && error.isFatal;
    return isFatal ? statusOfFatal(process) : 1;
  }
}

/** Reports whether a name is that of a function or a builtin. */
function isOfShell({ state, run }: Process, name: string): boolean {
  if (state.functions.has(name)) return true;
  return builtins.has(name) && !state.disabled.has(name) && !run.replacedBuiltins.has(name);
}

interface Call {
  readonly words: readonly BuiltinArgument[];
  readonly redirections: readonly ExpandedRedirection[];
  readonly assignments: readonly Assignment[];
}

/** Expands the words of a command; arrays in the arguments of `declare` are left to it. */
async function expandArguments(
  process: Process,
  words: readonly (Word | Assignment)[],
): Promise<BuiltinArgument[]> {
  const host = hostOf(process);
  const results: BuiltinArgument[] = [];
  for (const word of words) {
    // One by one: spreading many would overflow the stack.
    if (!("type" in word)) for (const text of await expandWords([word], host)) results.push(text);
    else if ("elements" in word.value && takesArrays(results[0])) results.push(word);
    else results.push(await textOfAssignment(word, host));
  }
  return results;
}

function takesArrays(name: BuiltinArgument | undefined): boolean {
  return typeof name === "string" && TAKE_ARRAYS.has(name);
}

async function textOfAssignment(word: Assignment, host: ExpansionHost): Promise<string> {
  const subscript = word.subscript ? `[${await expandText(word.subscript, host)}]` : "";
  const operator = word.isAppended ? "+=" : "=";
  return word.name + subscript + operator + (await textOfValue(word.value, host));
}

/** A value where there can be no array. */
function textOfValue(value: Assignment["value"], host: ExpansionHost): Promise<string> {
  return "elements" in value ? textOfArray(value, host) : expandValue(value, host);
}

function textOfArgument(argument: BuiltinArgument): string {
  return typeof argument === "string" ? argument : argument.name;
}

/** A command without words: its assignments stay, its redirections are opened and closed. */
async function runAssignments(process: Process, command: SimpleCommand): Promise<number> {
  process.state.lastArgument = "";
  for (const assignment of command.assignments) await assign(process, assignment);
  const redirections = await expandRedirections(process, command.redirections);
  const opened = await applyRedirections(process, redirections);
  await opened.restore();
  return process.substitutionStatus ?? 0;
}

async function runCall(process: Process, call: Call): Promise<number> {
  const { state } = process;
  const words = call.words.map(textOfArgument);
  const values: [string, string][] = [];
  const isOfFunction = state.functions.has(words[0] ?? "");
  if (call.assignments.length > 0) state.variables.push(isOfFunction ? "call" : "command");
  try {
    for (const assignment of call.assignments) {
      const text = await assignTemporary(process, assignment);
      if (text !== undefined) values.push([assignment.name, text]);
    }
    if (isTraced(process)) await traceCall(process, values, words);
    if (await isRefused(process, words, { values, redirections: call.redirections }))
      return NOT_PERMITTED;
    const opened = await applyRedirections(process, call.redirections);
    let isKept = false;
    try {
      const status = await runArguments(process, call.words, {});
      const reported = reportWarnings(process);
      if (reported) await reported;
      isKept = words[0] === "exec" && (words[1] ?? "--") === "--" && words.length < 3;
      return status;
    } finally {
      await (isKept ? opened.keep() : opened.restore());
    }
  } finally {
    if (call.assignments.length > 0) state.variables.pop();
    state.lastArgument = words.at(-1) ?? "";
    await closeProcesses(process);
  }
}

/** Traces a command behind its assignments; `export` and `readonly` are traced as the assignments that they make, too. */
async function traceCall(
  process: Process,
  values: readonly (readonly [string, string])[],
  words: readonly string[],
): Promise<void> {
  for (const [name, text] of values) await trace(process, `${name}=${tracedValue(text)}`);
  await trace(process, words.map(tracedWord).join(" "));
  if (words[0] !== "export" && words[0] !== "readonly") return;
  for (const word of words.slice(1)) {
    const [, target, value] = /^([A-Za-z_]\w*\+?=)([^]*)$/.exec(word) ?? [];
    if (value !== undefined) await trace(process, `${target}${tracedValue(value)}`);
  }
}

/** Assigns for the time of a command. @returns the text; `undefined` where nothing is assigned */
async function assignTemporary(
  process: Process,
  { name, value, isAppended, subscript }: Assignment,
): Promise<string | undefined> {
  const { variables, options } = process.state;
  const host = hostOf(process);
  if (subscript) {
    const element = `${name}[${await expandText(subscript, host)}]`;
    await report(process, `\`${element}': not a valid identifier`);
    return undefined;
  }
  if (variables.get(name)?.attributes.has("readonly")) {
    const problem = `${name}: readonly variable`;
    if (options.has("errexit")) throw new ExpansionError(problem);
    await report(process, problem);
    return undefined;
  }
  const before = isAppended ? (readVariable(process.state, name) ?? "") : "";
  const text = before + (await textOfValue(value, host));
  variables.assignTemporary(name, text);
  return text;
}

/** Asks the guard of the run, and reports its reason to refuse. */
async function isRefused(
  process: Process,
  words: readonly string[],
  {
    values = [],
    redirections = [],
  }: { values?: [string, string][]; redirections?: readonly ExpandedRedirection[] } = {},
): Promise<boolean> {
  const refusal = await process.run.guard?.refuses({
    words,
    assignments: values,
    redirections: redirections.map(({ redirection, target }) => ({
      operator: redirection.operator,
      target,
    })),
    cwd: process.state.cwd,
  });
  if (refusal === undefined) return false;
  await report(process, `${words[0] ?? ""}: not permitted: ${refusal}`);
  return true;
}

/** Runs a command that a builtin or a program starts, such as `exec` or `xargs`. @returns the status */
export async function runStarted(
  process: Process,
  words: readonly string[],
  options: RunWordsOptions,
): Promise<number> {
  if (await isRefused(process, words)) return NOT_PERMITTED;
  return runArguments(process, words, options);
}

/** Closes the processes whose paths were arguments. */
async function closeProcesses(process: Process): Promise<void> {
  for (const number of process.opened.splice(0)) await process.descriptors.set(number, undefined);
}

/** Runs words as a command. @returns the status */
export async function runArguments(
  process: Process,
  words: readonly BuiltinArgument[],
  options: RunWordsOptions,
): Promise<number> {
  const [name] = words;
  const args = words.slice(1);
  const { skipsFunctions = false, skipsBuiltins = false, skipsPrograms = false } = options;
  if (typeof name !== "string") return 0;
  if (!skipsFunctions && process.state.functions.has(name)) {
    process.isSole = false;
    return callFunction(process, name, args);
  }
  const isReplaced = process.run.replacedBuiltins.has(name);
  const isSkipped = skipsBuiltins || isReplaced || process.state.disabled.has(name);
  const builtin = isSkipped ? undefined : builtins.get(name);
  if (!builtin && skipsPrograms && !isReplaced) {
    await report(process, `builtin: ${name}: not a shell builtin`);
    return 1;
  }
  if (!builtin) return runProgram(process, name, args.map(textOfArgument), options);
  process.isSole = false;
  try {
    return await builtin(process, args, name);
  } catch (error) {
    const isOwn = isExpected(error) || error instanceof ArithmeticError;
    if (!isOwn || ("isFatal" in error && (error.isFatal || error.endsLine))) throw error;
    await report(process, `${name}: ${error.message}`);
    return 1;
  }
}
