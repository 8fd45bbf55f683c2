import {
  cellOf,
  compileExpression,
  compileTarget,
  each,
  keyOf,
  type Evaluate,
  type Scope,
} from "./expression.ts";
import { afterwards, repeat, type Later } from "./records.ts";
import { listOf } from "./runtime.ts";
import type { Destination, Statement } from "./syntax.ts";
import { formatted, isTrue, LimitReached, toNumber, toText, type Value } from "./values.ts";

/** The completion of a statement: normal, or a jump. */
export type Flow = "done" | "break" | "continue" | "next" | "nextfile" | "exit" | "return";
export type Run = () => Later<Flow>;

/** The values of `exit` and `return`. */
export interface Outcome {
  status: number;
  value: Value;
}

type Compile = (statement: Statement) => Run;

export function compileStatements(scope: Scope, outcome: Outcome): Compile {
  const compile: Compile = (statement) => {
    switch (statement.type) {
      case "expression": {
        const value = compileExpression(scope, statement.value);
        return () => {
          const found = value();
          return found instanceof Promise ? found.then(() => "done") : "done";
        };
      }
      case "print":
      case "printf":
        return compilePrint(scope, statement);
      case "block":
        return inTurn(statement.body.map(compile));
      case "if": {
        const condition = compileExpression(scope, statement.condition);
        const yes = compile(statement.yes);
        const no = statement.no ? compile(statement.no) : undefined;
        return () =>
          afterwards(condition(), (value) => (isTrue(value) ? yes() : no ? no() : "done"));
      }
      case "loop":
        return compileLoop(scope, statement, compile);
      case "each":
        return compileEach(scope, statement, compile);
      case "delete": {
        const cell = cellOf(scope, statement.name);
        if (!statement.keys) {
          return () => {
            listOf(cell()).clear();
            return "done";
          };
        }
        const key = keyOf(scope, statement.keys);
        return () =>
          afterwards(key(), (name): Flow => {
            listOf(cell()).delete(name);
            return "done";
          });
      }
      case "exit":
      case "return": {
        const { type } = statement;
        const value = statement.value && compileExpression(scope, statement.value);
        if (!value) {
          return () => {
            if (type === "return") outcome.value = undefined;
            return type;
          };
        }
        return () =>
          afterwards(value(), (found): Flow => {
            if (type === "exit") outcome.status = Math.trunc(toNumber(found)) & 255;
            else outcome.value = found;
            return type;
          });
      }
      default: {
        const { type } = statement;
        return () => type;
      }
    }
  };
  return compile;
}

/** Pauses between the iterations of a loop when due. @throws {LimitReached} */
function paced({ machine }: Scope, count: number): Promise<void> | undefined {
  const { maxIterations } = machine.context;
  // A reader of the output may have gone.
  if (count <= maxIterations) return machine.streams.flush() ?? machine.pace();
  throw new LimitReached(`a loop went round more than ${maxIterations} times`);
}

function compileLoop(
  scope: Scope,
  statement: Extract<Statement, { type: "loop" }>,
  compile: Compile,
): Run {
  const start = statement.start && compile(statement.start);
  const condition = statement.condition && compileExpression(scope, statement.condition);
  const step = statement.step && compile(statement.step);
  const body = compile(statement.body);
  return () => {
    let count = 0;
    let isFirst = statement.isBodyFirst === true;
    const goesOn = (): Later<boolean> => {
      if (!condition || isFirst) return true;
      return afterwards(condition(), isTrue);
    };
    const turn = (): Later<Flow | undefined> =>
      afterwards(goesOn(), (isOn): Later<Flow | undefined> => {
        isFirst = false;
        if (!isOn) return "done";
        return afterwards(body(), (flow): Later<Flow | undefined> => {
          if (flow === "break") return "done";
          if (flow !== "done" && flow !== "continue") return flow;
          return step ? afterwards(step(), () => undefined) : undefined;
        });
      });
    const pacedTurn = (): Later<Flow | undefined> => {
      const pause = paced(scope, ++count);
      return pause ? pause.then(turn) : turn();
    };
    return start ? afterwards(start(), () => repeat(pacedTurn)) : repeat(pacedTurn);
  };
}

function compileEach(
  scope: Scope,
  statement: Extract<Statement, { type: "each" }>,
  compile: Compile,
): Run {
  const cell = cellOf(scope, statement.name);
  const { locate } = compileTarget(scope, statement.variable);
  const body = compile(statement.body);
  return () => {
    const list = listOf(cell());
    const keys = [...list.keys()];
    let at = 0;
    return repeat((): Later<Flow | undefined> => {
      const key = keys[at++];
      if (key === undefined) return "done";
      if (!list.has(key)) return undefined;
      const run = (): Later<Flow | undefined> =>
        afterwards(locate(), ({ set }) => {
          set(key);
          return afterwards(body(), (flow): Flow | undefined =>
            flow === "break" ? "done" : flow === "done" || flow === "continue" ? undefined : flow,
          );
        });
      const pause = paced(scope, at);
      return pause ? pause.then(run) : run();
    });
  };
}

/** Runs statements in order, until one jumps. */
export function inTurn(body: readonly Run[]): Run {
  const from = (at: number): Later<Flow> => {
    for (let next = at; next < body.length; next++) {
      const flow = body[next]?.() ?? "done";
      if (flow instanceof Promise) {
        return flow.then((found) => (found === "done" ? from(next + 1) : found));
      }
      if (flow !== "done") return flow;
    }
    return "done";
  };
  return () => from(0);
}

function compilePrint(
  scope: Scope,
  { type, args, destination }: Extract<Statement, { type: "print" | "printf" }>,
): Run {
  const { machine } = scope;
  const [ofs, ors, ofmt] = [machine.cell("OFS"), machine.cell("ORS"), machine.cell("OFMT")];
  const parts = args.map((arg) => compileExpression(scope, arg));
  if (type === "printf" && parts.length === 0) throw new Error("printf: no format");
  const shown = (value: Value): string => toText(value, toText(ofmt.value));
  const text = ([...values]: Value[]): string => {
    if (type === "printf") {
      const [format, ...rest] = values;
      return formatted(toText(format), rest, machine.text("CONVFMT"));
    }
    const line =
      parts.length === 0 ? toText(machine.field(0)) : values.map(shown).join(toText(ofs.value));
    return line + toText(ors.value);
  };
  if (!destination) {
    return () =>
      each(parts, (values): Flow => {
        machine.streams.print(text(values));
        return "done";
      });
  }
  const { kind, to } = destination satisfies Destination;
  const name: Evaluate = compileExpression(scope, to);
  return () =>
    each(parts, (values) =>
      afterwards(name(), (found): Flow => {
        machine.streams.print(text(values), kind, toText(found));
        return "done";
      }),
    );
}
