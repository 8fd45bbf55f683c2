import { builtins, lengthOf, substituted } from "./functions.ts";
import { afterwards, type Later } from "./records.ts";
import { listOf, type Cell, type Machine } from "./runtime.ts";
import type { Definition, Expression, Target } from "./syntax.ts";
import { compare, input, isTrue, toNumber, toText, type Value } from "./values.ts";

export type Evaluate = () => Later<Value>;

/** The state that the compiled parts of a program share. */
export interface Scope {
  machine: Machine;
  functions: ReadonlyMap<string, Definition>;
  /** The parameters of the function being compiled, by name; undefined outside of functions. */
  parameters: ReadonlyMap<string, number> | undefined;
  /** The frame of the running call. */
  frame: { cells: Cell[] };
  /** Calls a function of the program. */
  call: (name: string, cells: Cell[]) => Later<Value>;
}

const arithmetic: Readonly<Record<string, (one: number, other: number) => number>> = {
  "+": (one, other) => one + other,
  "-": (one, other) => one - other,
  "*": (one, other) => one * other,
  "/": (one, other) => {
    if (other === 0) throw new Error("division by zero");
    return one / other;
  },
  "%": (one, other) => {
    if (other === 0) throw new Error("division by zero in %");
    return one % other;
  },
  "^": (one, other) => one ** other,
};
const orders: Readonly<Record<string, (order: number) => boolean>> = {
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** Resolves a variable by name in scope: a parameter or a global. */
export function cellOf({ parameters, frame, machine }: Scope, name: string): () => Cell {
  const place = parameters?.get(name);
  if (place === undefined) {
    const cell = machine.cell(name);
    return () => cell;
  }
  return () => frame.cells[place] ?? { value: undefined };
}

/** Evaluates all values in order. */
export function each<Result>(
  parts: readonly Evaluate[],
  use: (values: Value[]) => Later<Result>,
): Later<Result> {
  const values: Value[] = [];
  const from = (at: number): Later<Result> => {
    for (let next = at; next < parts.length; next++) {
      const value = parts[next]?.();
      if (value instanceof Promise) {
        return value.then((found) => {
          values.push(found);
          return from(next + 1);
        });
      }
      values.push(value);
    }
    return use(values);
  };
  return from(0);
}

export function keyOf(scope: Scope, keys: readonly Expression[]): () => Later<string> {
  const { machine } = scope;
  const parts = keys.map((key) => compileExpression(scope, key));
  const text = (value: Value): string => toText(value, machine.text("CONVFMT"));
  const [only] = parts;
  if (only && parts.length === 1) return () => afterwards(only(), text);
  return () => each(parts, (values) => values.map(text).join(machine.text("SUBSEP")));
}

export interface Assignable {
  get: Evaluate;
  /** Locates the target once, for both reading and writing. */
  locate: () => Later<{ get: () => Value; set: (value: Value) => void }>;
}

export function compileTarget(scope: Scope, target: Target): Assignable {
  const { machine } = scope;
  if (target.type === "field") {
    const index = compileExpression(scope, target.index);
    return {
      get: () => afterwards(index(), (at) => machine.field(toNumber(at))),
      locate: () =>
        afterwards(index(), (value) => {
          const at = toNumber(value);
          return {
            get: () => machine.field(at),
            set: (content) => machine.setField(at, content),
          };
        }),
    };
  }
  const cell = cellOf(scope, target.name);
  if (target.type === "element") {
    const key = keyOf(scope, target.keys);
    const get = (name: string): Value => {
      const list = listOf(cell());
      const value = list.get(name);
      // Reading an element creates it.
      if (value === undefined && !list.has(name)) machine.put(list, name, undefined);
      return value;
    };
    return {
      get: () => afterwards(key(), get),
      locate: () =>
        afterwards(key(), (name) => ({
          get: () => get(name),
          set: (value) => machine.put(listOf(cell()), name, value),
        })),
    };
  }
  const { name } = target;
  const isOwn = scope.parameters?.has(name) === true;
  if (!isOwn && name === "NF") {
    const place = {
      get: () => machine.fieldCount(),
      set: (value: Value) => machine.setFieldCount(Math.trunc(toNumber(value))),
    };
    return { get: place.get, locate: () => place };
  }
  if (!isOwn && ["FS", "RS", "OFS"].includes(name)) {
    const place = {
      get: () => cell().value,
      set: (value: Value) => machine.assign(name, value),
    };
    return { get: place.get, locate: () => place };
  }
  const get = (): Value => cell().value;
  const place = { get, set: (value: Value) => void (cell().value = value) };
  return { get, locate: () => place };
}

export function compileExpression(scope: Scope, expression: Expression): Evaluate {
  const { machine } = scope;
  switch (expression.type) {
    case "number":
    case "string": {
      const { value } = expression;
      return () => value;
    }
    case "regex": {
      const pattern = machine.pattern(expression.source);
      return () => (pattern.find(toText(machine.field(0)), 0) ? 1 : 0);
    }
    case "name":
    case "element":
    case "field":
      return compileTarget(scope, expression).get;
    case "group": {
      const parts = expression.items.map((item) => compileExpression(scope, item));
      const [only] = parts;
      if (only && parts.length === 1) return only;
      return () =>
        each(parts, (values) => values.map((value) => toText(value)).join(machine.text("SUBSEP")));
    }
    case "assign": {
      const { locate } = compileTarget(scope, expression.target);
      const value = compileExpression(scope, expression.value);
      const compute = arithmetic[expression.operator];
      return () =>
        afterwards(value(), (found) =>
          afterwards(locate(), ({ get, set }) => {
            const next = compute ? compute(toNumber(get()), toNumber(found)) : found;
            set(next);
            return next;
          }),
        );
    }
    case "step": {
      const { locate } = compileTarget(scope, expression.target);
      const { by, isPrefix } = expression;
      return () =>
        afterwards(locate(), ({ get, set }) => {
          const before = toNumber(get());
          set(before + by);
          return isPrefix ? before + by : before;
        });
    }
    case "unary": {
      const operand = compileExpression(scope, expression.operand);
      if (expression.operator === "!")
        return () => afterwards(operand(), (value) => (isTrue(value) ? 0 : 1));
      const sign = expression.operator === "-" ? -1 : 1;
      return () => afterwards(operand(), (value) => sign * toNumber(value));
    }
    case "binary":
      return compileBinary(scope, expression);
    case "choice": {
      const condition = compileExpression(scope, expression.condition);
      const yes = compileExpression(scope, expression.yes);
      const no = compileExpression(scope, expression.no);
      return () => afterwards(condition(), (value) => (isTrue(value) ? yes() : no()));
    }
    case "in": {
      const key = keyOf(scope, expression.keys);
      const cell = cellOf(scope, expression.name);
      return () => afterwards(key(), (name) => (listOf(cell()).has(name) ? 1 : 0));
    }
    case "call":
      return compileCall(scope, expression.name, expression.args);
    case "getline":
      return compileGetline(scope, expression);
  }
}

function compileBinary(
  scope: Scope,
  { operator, left, right }: Extract<Expression, { type: "binary" }>,
): Evaluate {
  const { machine } = scope;
  const one = compileExpression(scope, left);
  const other = compileExpression(scope, right);
  if (operator === "&&" || operator === "||") {
    const isAnd = operator === "&&";
    return () =>
      afterwards(one(), (value) =>
        isTrue(value) === isAnd
          ? afterwards(other(), (next) => (isTrue(next) ? 1 : 0))
          : isAnd
            ? 0
            : 1,
      );
  }
  const convfmt = machine.cell("CONVFMT");
  const text = (value: Value): string => toText(value, toText(convfmt.value));
  if (operator === "~" || operator === "!~") {
    const wanted = operator === "~" ? 1 : 0;
    const fixed = right.type === "regex" ? machine.pattern(right.source) : undefined;
    const test = (value: Value, source: Value): Value =>
      (fixed ?? machine.pattern(text(source))).find(text(value), 0) ? wanted : 1 - wanted;
    if (fixed) return () => afterwards(one(), (value) => test(value, undefined));
    return () => afterwards(one(), (value) => afterwards(other(), (source) => test(value, source)));
  }
  const compute = arithmetic[operator];
  const order = orders[operator];
  const combine = compute
    ? (first: Value, second: Value): Value => compute(toNumber(first), toNumber(second))
    : order
      ? (first: Value, second: Value): Value =>
          order(compare(first, second, toText(convfmt.value))) ? 1 : 0
      : (first: Value, second: Value): Value => machine.bounded(text(first) + text(second));
  return () =>
    afterwards(one(), (first) => afterwards(other(), (second) => combine(first, second)));
}

function compileCall(scope: Scope, name: string, args: readonly Expression[]): Evaluate {
  const { machine, functions } = scope;
  const parts = args.map((arg) =>
    // An argument that may be a list is resolved where a list is expected; evaluating it is harmless.
    compileExpression(scope, arg),
  );
  const defined = functions.get(name);
  if (defined) {
    if (args.length > defined.parameters.length) {
      throw new Error(`function ${name} called with more arguments than it has parameters`);
    }
    const origins = args.map((arg) => (arg.type === "name" ? cellOf(scope, arg.name) : undefined));
    return () =>
      each(parts, (values) => {
        const cells = defined.parameters.map((_, at): Cell => {
          const origin = origins[at]?.();
          return {
            value: values[at],
            list: origin?.list,
            origin,
          };
        });
        return scope.call(name, cells);
      });
  }
  if (name === "sub" || name === "gsub") return compileSubstitution(scope, name === "gsub", args);
  const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
  if (!builtin) throw new Error(`function ${name} never defined`);
  const expressions = args.map((arg) => (arg.type === "regex" ? arg.source : undefined));
  const cells = args.map((arg) => (arg.type === "name" ? cellOf(scope, arg.name) : undefined));
  const lists = (place: number): ReturnType<typeof listOf> => {
    const cell = cells[place]?.();
    if (!cell) throw new Error(`${name}: argument ${place + 1} must be an array`);
    return listOf(cell);
  };
  if (name === "length" && cells[0]) {
    const [cell] = cells;
    return () => {
      const { value, list, origin } = cell();
      const isList = list !== undefined || (value === undefined && origin?.list !== undefined);
      return isList ? lists(0).size : lengthOf(toText(value, machine.text("CONVFMT")));
    };
  }
  return () =>
    each(parts, (values) => {
      for (const value of values) if (typeof value === "string") machine.note(value.length);
      return builtin({ machine, values, lists, expressions });
    });
}

function compileSubstitution(
  scope: Scope,
  isGlobal: boolean,
  args: readonly Expression[],
): Evaluate {
  const { machine } = scope;
  const [what, by, where = { type: "field", index: { type: "number", value: 0 } }] = args;
  if (!what || !by) throw new Error("sub and gsub require a regular expression and a replacement");
  const source = what.type === "regex" ? () => what.source : compileExpression(scope, what);
  const text = compileExpression(scope, by);
  const target = where.type === "group" ? where.items[0] : where;
  const isPlace = target?.type === "name" || target?.type === "element" || target?.type === "field";
  const locate = isPlace ? compileTarget(scope, target).locate : undefined;
  const value = compileExpression(scope, where);
  return () =>
    each([source, text], ([pattern, replacement]) => {
      const change = (content: Value): Later<{ text: string; count: number }> =>
        substituted(machine, toText(pattern), toText(replacement), toText(content), isGlobal);
      if (!locate)
        return afterwards(value(), (content) => afterwards(change(content), ({ count }) => count));
      return afterwards(locate(), ({ get, set }) =>
        afterwards(change(get()), (changed) => {
          if (changed.count > 0) set(changed.text);
          return changed.count;
        }),
      );
    });
}

function compileGetline(
  scope: Scope,
  { target, file, command }: Extract<Expression, { type: "getline" }>,
): Evaluate {
  const { machine } = scope;
  const locate = target && compileTarget(scope, target).locate;
  const store = (record: string): Later<Value> => {
    if (!locate) {
      machine.setRecord(record);
      return 1;
    }
    return afterwards(locate(), ({ set }) => {
      set(input(record));
      return 1;
    });
  };
  const from = file ?? command;
  if (!from) {
    return () =>
      afterwards(machine.nextRecord(), (record) => (record === undefined ? 0 : store(record)));
  }
  const name = compileExpression(scope, from);
  return async () => {
    const found = toText(await name());
    const reader = await machine.streams.reader(command ? "command" : "file", found);
    if (!reader) return -1;
    const record = await reader.read();
    if (record === undefined) return 0;
    if (command) machine.cell("NR").value = toNumber(machine.cell("NR").value) + 1;
    return store(record);
  };
}
