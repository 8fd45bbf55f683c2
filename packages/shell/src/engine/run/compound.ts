import { ArithmeticError } from "../arithmetic/error.ts";
import { evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { expandExpression } from "../expand/expressions.ts";
import { expandPattern, expandText, expandWords } from "../expand/words.ts";
import { JobTable } from "../jobs/job-table.ts";
import { matches } from "../patterns/match.ts";
import { parsePattern } from "../patterns/pattern.ts";
import {
  arithmeticVariables,
  assignVariable,
  ExpansionError,
  isVariableName,
} from "../state/access.ts";
import { inLocale } from "../state/locale.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { CompoundCommand, List } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { evaluateConditional } from "./conditional.ts";
import { BrokenPipeError } from "./channel.ts";
import { LoopJump } from "./control.ts";
import { forkProcess, type Process, report, reportWarnings } from "./process.ts";
import { RegularExpressionError } from "./regular-expression.ts";
import { applyRedirections, expandRedirections } from "./redirections.ts";
import { hostOf } from "./substitution.ts";
import { runSelect } from "./select.ts";
import { isTraced, trace } from "./trace.ts";
import { announceAt } from "./traps.ts";

type Of<Type extends CompoundCommand["type"]> = Extract<CompoundCommand, { type: Type }>;

/** Runs a compound command within its redirections. @returns the status */
export async function runCompound(process: Process, command: CompoundCommand): Promise<number> {
  if (command.redirections.length === 0) return runBody(process, command);
  process.state.line = command.line;
  const redirections = await expandRedirections(process, command.redirections);
  const opened = await applyRedirections(process, redirections);
  try {
    const status = await runBody(process, command);
    await reportWarnings(process);
    return status;
  } finally {
    await opened.restore();
    for (const number of process.opened.splice(0)) await process.descriptors.set(number, undefined);
  }
}

async function runBody(process: Process, command: CompoundCommand): Promise<number> {
  const { interpreter } = process.run;
  const { isSole } = process;
  process.isSole = false;
  switch (command.type) {
    case "group":
      return interpreter.runList(process, command.body);
    case "subshell": {
      // A process that was made for it need make no other.
      if (isSole) return interpreter.runList(process, command.body);
      const child = { ...forkProcess(process), jobs: new JobTable() };
      const status = await interpreter.finish(child, () =>
        interpreter.runList(child, command.body),
      );
      // The command that a trap of `ERR` is about. It has no trap of `DEBUG`.
      process.state.line = command.line;
      if (process.runningTraps.size === 0) process.state.command = command.text;
      return status;
    }
    case "if":
      return runIf(process, command);
    case "while":
      return runWhile(process, command);
    case "for":
      return runFor(process, command);
    case "select":
      return runSelect(process, command, (body) => runLoopBody(process, body));
    case "arithmetic-for":
      return withPrefix(process, "((", () => runArithmeticFor(process, command));
    case "case":
      return runCase(process, command);
    case "arithmetic":
      return withPrefix(process, "((", () => runArithmetic(process, command));
    case "conditional":
      return runConditional(process, command);
    case "coprocess":
      return interpreter.startCoprocess(process, command);
  }
}

async function runArithmetic(process: Process, command: Of<"arithmetic">): Promise<number> {
  const announced = announceAt(process, command);
  if (announced) await announced;
  return (await calculate(process, command.expression)) === 0n ? 1 : 0;
}

async function runConditional(process: Process, command: Of<"conditional">): Promise<number> {
  const announced = announceAt(process, command);
  if (announced) await announced;
  try {
    return (await evaluateConditional(process, command.expression)) ? 0 : 1;
  } catch (error) {
    if (error instanceof RegularExpressionError) return 2;
    throw error;
  }
}

/** The value of an expression between `((` and `))`; of a part of `for` that is empty, 1. */
async function calculate(
  process: Process,
  expression: Word,
  { isPart = false }: { isPart?: boolean } = {},
): Promise<bigint> {
  const host = hostOf(process);
  const text = await expandExpression(expression, (word) => expandText(word, host));
  if (isPart && text.trim() === "") return 1n;
  if (isTraced(process)) await trace(process, `(( ${isPart ? text.trimStart() : text} ))`);
  return evaluateArithmetic(text, arithmeticVariables(process.state));
}

/** Runs a command that calculates, whose errors are its own failure. */
async function withPrefix(
  process: Process,
  prefix: string,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } catch (error) {
    const isOwn = error instanceof ArithmeticError;
    const isOther = !(error instanceof ExpansionError) || error.isFatal || error.endsLine;
    if (!isOwn && isOther) throw error;
    await report(process, isOwn ? `${prefix}: ${error.message}` : error.message);
    return 1;
  }
}

/** Runs a condition, in which failures don't end the shell. */
async function runCondition(process: Process, list: List): Promise<number> {
  process.toleratesFailure++;
  try {
    return await process.run.interpreter.runList(process, list);
  } finally {
    process.toleratesFailure--;
  }
}

async function runIf(process: Process, { branches, otherwise }: Of<"if">): Promise<number> {
  for (const { condition, body } of branches)
    if ((await runCondition(process, condition)) === 0)
      return process.run.interpreter.runList(process, body);
  return otherwise ? process.run.interpreter.runList(process, otherwise) : 0;
}

interface Round {
  readonly status: number;
  /** The loop goes on. */
  readonly goesOn: boolean;
}

/** Runs the body of a loop once. */
async function runLoopBody(process: Process, body: List): Promise<Round> {
  process.loopDepth++;
  try {
    return { status: await process.run.interpreter.runList(process, body), goesOn: true };
  } catch (error) {
    if (!(error instanceof LoopJump)) throw error;
    if (--error.levels > 0 && process.loopDepth > 1) throw error;
    return { status: error.status, goesOn: error.kind === "continue" };
  } finally {
    process.loopDepth--;
  }
}

/** Rounds in a row that end with a broken pipe until an endless loop does, since it would go on to its limit. */
const MAX_BROKEN_ROUNDS = 100;
const BROKEN_PIPE = 141;

/** Counts the rounds of a loop, and lets others have their turn. */
function counter(process: Process): (status?: number) => Promise<void> | undefined {
  let [count, broken] = [0, 0];
  return (status = 0) => {
    process.run.budget.iteration(++count);
    broken = status === BROKEN_PIPE ? broken + 1 : 0;
    if (broken > MAX_BROKEN_ROUNDS && process.descriptors.get(1)?.hasReader() === false)
      throw new BrokenPipeError();
    return process.run.budget.turn();
  };
}

async function runWhile(
  process: Process,
  { condition, body, isUntil }: Of<"while">,
): Promise<number> {
  const count = counter(process);
  let status = 0;
  for (;;) {
    const turn = count(status);
    if (turn) await turn;
    const { status: held, jump } = await runLoopCondition(process, condition);
    const isOver = (held === 0) === isUntil;
    // A jump out of the condition passes over the body, but lends it its status.
    if (!isOver && jump) status = held;
    if (jump && --jump.levels > 0 && process.loopDepth > 0) throw jump.withStatus(status);
    if (isOver || jump?.kind === "break") return status;
    if (jump) continue;
    const round = await runLoopBody(process, body);
    status = round.status;
    if (!round.goesOn) return status;
  }
}

/** The status of a loop's condition, and the jump that left it. */
async function runLoopCondition(
  process: Process,
  condition: List,
): Promise<{ status: number; jump?: LoopJump }> {
  process.loopDepth++;
  try {
    return { status: await runCondition(process, condition) };
  } catch (error) {
    if (!(error instanceof LoopJump)) throw error;
    return { status: error.status, jump: error };
  } finally {
    process.loopDepth--;
  }
}

async function runFor(process: Process, command: Of<"for">): Promise<number> {
  const { state } = process;
  const { name, words, body } = command;
  state.line = command.line;
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    await report(process, `\`${name}': not a valid identifier`);
    return 1;
  }
  const values = words ? await expandWords(words, hostOf(process)) : state.positional;
  const count = counter(process);
  let status = 0;
  for (const value of values) {
    const turn = count();
    if (turn) await turn;
    const announced = announceAt(process, command);
    if (announced) await announced;
    if (isTraced(process)) await trace(process, command.text);
    const problem = assignLoopVariable(state, name, value);
    if (problem !== undefined) {
      await report(process, problem);
      return 1;
    }
    const round = await runLoopBody(process, body);
    status = round.status;
    if (!round.goesOn) break;
  }
  return status;
}

/** A reference becomes one to each name in turn. @returns the reason why it can't be assigned */
function assignLoopVariable(state: ShellState, name: string, value: string): string | undefined {
  const isReference = state.variables.get(name)?.attributes.has("reference");
  if (isReference && !isVariableName(value)) return `\`${value}': not a valid identifier`;
  try {
    if (isReference) state.variables.set(name, value);
    else assignVariable(state, name, value);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpansionError) || error.endsLine) throw error;
    return error.message;
  }
}

async function runArithmeticFor(
  process: Process,
  { expressions, body, line }: Of<"arithmetic-for">,
): Promise<number> {
  const evaluate = async (index: 0 | 1 | 2): Promise<bigint> => {
    const { expression, text: source } = expressions[index];
    const announced = announceAt(process, { line, text: source });
    if (announced) await announced;
    return calculate(process, expression, { isPart: true });
  };
  const count = counter(process);
  let status = 0;
  for (await evaluate(0); (await evaluate(1)) !== 0n; await evaluate(2)) {
    const turn = count(status);
    if (turn) await turn;
    const round = await runLoopBody(process, body);
    status = round.status;
    if (!round.goesOn) break;
  }
  return status;
}

async function runCase(process: Process, command: Of<"case">): Promise<number> {
  const { state, run } = process;
  const { subject, clauses } = command;
  const announced = announceAt(process, command);
  if (announced) await announced;
  const host = hostOf(process);
  if (isTraced(process)) await trace(process, command.text.trimEnd());
  const text = inLocale(state, await expandText(subject, host));
  const ignoresCase = state.options.has("nocasematch");
  let status = 0;
  let fallsThrough = false;
  for (const { patterns, body, end } of clauses) {
    let isMatch = fallsThrough;
    for (const word of isMatch ? [] : patterns) {
      const source = inLocale(state, await expandPattern(word, host));
      const hasExtendedPatterns = state.options.has("extglob");
      isMatch = matches(parsePattern(source, { hasExtendedPatterns }), text, { ignoresCase });
      if (isMatch) break;
    }
    if (!isMatch) continue;
    status = await run.interpreter.runList(process, body);
    if (end === ";;") return status;
    fallsThrough = end === ";&";
  }
  return status;
}
