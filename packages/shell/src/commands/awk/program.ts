import { isBrokenPipe, type ShellCommandContext, type ShellCommandResult } from "../../command.ts";
import { errorMessage, type LinearEngine, loadLinearEngine } from "@robota/runtime/ports";
import { compileExpression, type Scope } from "./expression.ts";
import { parseProgram } from "./parser.ts";
import { afterwards, repeat, type Later } from "./records.ts";
import { createMachine, type Cell } from "./runtime.ts";
import { compileStatements, inTurn, type Flow, type Outcome, type Run } from "./statement.ts";
import type { Program, Rule } from "./syntax.ts";
import { input, isTrue, LimitReached, type Value } from "./values.ts";

const TROUBLE = 2;
const LIMIT = 126;
const MAX_CALLS = 10_000;
/** Calls in one another after which the next ones get a stack of their own. */
const CALLS_PER_STACK = 100;

/** Runs an awk program over the operands (files and assignments), or over standard input. */
export async function runProgram(
  source: string,
  {
    assignments,
    operands,
    context,
  }: {
    assignments: readonly (readonly [name: string, value: string])[];
    operands: string[];
    context: ShellCommandContext;
  },
): Promise<ShellCommandResult> {
  const program = parseProgram(source);
  const machine = createMachine(context, operands, await engineFor(source, assignments, operands));
  const outcome: Outcome = { status: 0, value: undefined };
  for (const [name, value] of assignments) machine.assign(name, input(value));
  const { streams } = machine;
  let status = 0;
  try {
    const { begin, main, end } = compile(program, { machine, outcome });
    let flow = await begin();
    if (flow !== "exit" && (main || end)) flow = (await main?.()) ?? flow;
    if (end) await end();
    status = outcome.status;
  } catch (error) {
    if (isBrokenPipe(error) || context.signal.aborted) throw error;
    streams.warn(`awk: ${errorMessage(error)}\n`);
    status = error instanceof LimitReached ? LIMIT : TROUBLE;
  }
  await streams.closeAll();
  await streams.flush(true);
  return { ...streams.result(), exitCode: status };
}

/** Loads the regular expression engine if the program may need it. */
async function engineFor(
  source: string,
  assignments: readonly (readonly [name: string, value: string])[],
  operands: readonly string[],
): Promise<LinearEngine | undefined> {
  const isPlain = (text: string): boolean => !/[~/]|FS|RS|split|sub|match/.test(text);
  const others = [
    ...assignments.map(([name, value]) => (value.length > 1 ? name : "")),
    ...operands.filter((operand) => operand.includes("=")),
  ];
  return isPlain(source) && others.every(isPlain) ? undefined : loadLinearEngine();
}

interface Compiled {
  begin: () => Later<Flow>;
  main?: (() => Later<Flow>) | undefined;
  end?: (() => Later<Flow>) | undefined;
}

function compile(
  { rules, functions }: Program,
  { machine, outcome }: { machine: Scope["machine"]; outcome: Outcome },
): Compiled {
  const frame: Scope["frame"] = { cells: [] };
  const bodies = new Map<string, Run>();
  let depth = 0;
  const call = (name: string, cells: Cell[]): Later<Value> => {
    const run = bodies.get(name);
    if (!run) throw new Error(`function ${name} never defined`);
    if (++depth > MAX_CALLS)
      throw new Error(`function calls are nested more than ${MAX_CALLS} deep`);
    const outer = frame.cells;
    frame.cells = cells;
    outcome.value = undefined;
    const finish = (flow: Flow): Value => {
      depth -= 1;
      frame.cells = outer;
      if (flow === "exit" || flow === "next" || flow === "nextfile") throw new Leaving(flow);
      const { value } = outcome;
      outcome.value = undefined;
      return value;
    };
    const pause = machine.pace() ?? (depth % CALLS_PER_STACK === 0 ? Promise.resolve() : undefined);
    return afterwards(pause ? pause.then(run) : run(), finish);
  };
  const scope: Scope = { machine, functions, parameters: undefined, frame, call };
  for (const { name, parameters, body } of functions.values()) {
    const own = new Map(parameters.map((parameter, at) => [parameter, at] as const));
    bodies.set(name, compileStatements({ ...scope, parameters: own }, outcome)(body));
  }
  const statement = compileStatements(scope, outcome);
  const bodyOf = ({ body }: Rule): Run => statement(body ?? { type: "print", args: [] });
  const guarded = (runs: Run[]): (() => Later<Flow>) => {
    return async () => {
      for (const run of runs) {
        try {
          const flow = await run();
          if (flow !== "done") return flow;
        } catch (error) {
          if (!(error instanceof Leaving)) throw error;
          return error.flow;
        }
      }
      return "done";
    };
  };
  const begin = rules.filter(({ pattern }) => pattern === "BEGIN").map(bodyOf);
  const end = rules.filter(({ pattern }) => pattern === "END").map(bodyOf);
  const others = rules.filter(({ pattern }) => pattern !== "BEGIN" && pattern !== "END");
  const runs = others.map((rule) => ruleOf(scope, rule, bodyOf(rule)));
  const perRecord = inTurn(runs);

  const turn = (): Later<Flow | undefined> =>
    afterwards(machine.nextRecord(), (record): Later<Flow | undefined> => {
      if (record === undefined) return "done";
      machine.setRecord(record);
      return afterwards(perRecord(), (flow) => {
        if (flow === "exit") return "exit";
        if (flow === "nextfile") machine.skipFile();
        const flush = machine.streams.flush();
        const pause = machine.pace();
        if (!flush && !pause) return undefined;
        return Promise.all([flush, pause]).then(() => undefined);
      });
    });
  return {
    begin: guarded(begin),
    main: runs.length > 0 || end.length > 0 ? () => repeat(() => caught(turn, machine)) : undefined,
    end: end.length > 0 ? guarded(end) : undefined,
  };
}

/** Unwinds `next` and `exit` from a function through its callers. */
class Leaving extends Error {
  override readonly name = "Leaving" as const;
  readonly flow: Flow;

  constructor(flow: Flow) {
    super(`${flow} in a function`);
    this.flow = flow;
  }
}

function caught(
  turn: () => Later<Flow | undefined>,
  machine: Scope["machine"],
): Later<Flow | undefined> {
  const leave = (error: unknown): Flow | undefined => {
    if (!(error instanceof Leaving)) throw error;
    if (error.flow === "exit") return "exit";
    if (error.flow === "nextfile") machine.skipFile();
    return undefined;
  };
  try {
    const flow = turn();
    return flow instanceof Promise ? flow.catch(leave) : flow;
  } catch (error) {
    return leave(error);
  }
}

function ruleOf(scope: Scope, { pattern, until }: Rule, body: Run): Run {
  if (pattern === undefined || typeof pattern === "string") return body;
  const starts = compileExpression(scope, pattern);
  if (!until) return () => afterwards(starts(), (value) => (isTrue(value) ? body() : "done"));
  const ends = compileExpression(scope, until);
  let isWithin = false;
  return () =>
    afterwards(isWithin ? 1 : starts(), (value) => {
      if (!isTrue(value)) return "done";
      return afterwards(ends(), (last) => {
        isWithin = !isTrue(last);
        return body();
      });
    });
}
