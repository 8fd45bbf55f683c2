import { type Filter, many, PAUSE, plain, Tracked } from "./filter.ts";
import { itemAt, type Owned, withItem } from "./items.ts";
import { JqError, type JqMachine } from "./machine.ts";
import { compileAlternative } from "./constructs.ts";
import { compileOperation } from "./operators.ts";
import { deletePaths, pathOf } from "./paths.ts";
import { single } from "./filter.ts";
import type { BinaryOperator } from "./syntax/tree.ts";
import type { Value } from "./values.ts";

/** `=`, `|=` and the operators that combine a value with the former one. */
export function compileAssignment(
  operator: string,
  left: Filter,
  right: Filter,
  machine: JqMachine,
): Filter {
  if (operator === "") return assigned(left, right, machine);
  if (operator === "|") return updated(left, () => right, machine, undefined);
  return updated(
    left,
    (operand) => {
      const other = single(() => operand);
      const same: Filter = { ...single((value) => value) };
      return operator === "//"
        ? compileAlternative(same, other)
        : compileOperation(operator as BinaryOperator, same, other, machine);
    },
    machine,
    right,
  );
}

function assigned(left: Filter, right: Filter, machine: JqMachine): Filter {
  return many(function* (input, env) {
    const before = plain(input);
    for (const result of right.run(before, env)) {
      if (result === PAUSE) {
        yield PAUSE;
        continue;
      }
      const owned: Owned = new Set();
      let value = before;
      for (const place of left.run(new Tracked(before), env)) {
        if (place === PAUSE) yield PAUSE;
        else value = withValueAt(value, pathOf(place), plain(result), { owned, machine });
      }
      yield input instanceof Tracked ? input.computed(value) : value;
    }
    return undefined;
  });
}

/** Changes each value by a filter; `operands` has the values that the filter is made for. */
function updated(
  left: Filter,
  updateWith: (operand: Value) => Filter,
  machine: JqMachine,
  operands: Filter | undefined,
): Filter {
  const none = single(() => null);
  const fixed = operands ? undefined : updateWith(null);
  return many(function* (input, env) {
    const before = plain(input);
    for (const operand of (operands ?? none).run(before, env)) {
      if (operand === PAUSE) {
        yield PAUSE;
        continue;
      }
      const update = fixed ?? updateWith(plain(operand));
      let owned: Owned = new Set();
      let value = before;
      for (const place of left.run(new Tracked(before), env)) {
        if (place === PAUSE) {
          yield PAUSE;
          continue;
        }
        const path = pathOf(place);
        const old = valueAtPath(value, path, machine);
        // The update may keep the value that it sees, which must not be changed any more.
        if (owned.has(old)) owned = new Set();
        let next: { value: Value } | undefined;
        for (const result of update.run(old, env)) {
          if (result !== PAUSE) {
            next = { value: plain(result) };
            break;
          }
          yield PAUSE;
        }
        value = next
          ? withValueAt(value, path, next.value, { owned, machine })
          : deletePaths(value, [path], machine);
      }
      yield input instanceof Tracked ? input.computed(value) : value;
    }
    return undefined;
  });
}

export function valueAtPath(value: Value, path: readonly Value[], machine: JqMachine): Value {
  let at = value;
  for (const key of path) {
    if (at === null) return null;
    at = itemAt(at, key, machine);
  }
  return at;
}

const MAX_DEPTH = 10_000;

/** A value in which the one at a path is another. */
export function withValueAt(
  value: Value,
  path: readonly Value[],
  item: Value,
  options: { owned: Owned; machine: JqMachine },
): Value {
  if (path.length > MAX_DEPTH) throw new JqError("Path too deep");
  const { machine } = options;
  machine.work(0.05 * path.length);
  const levels = [value];
  for (const key of path.slice(0, -1)) {
    const level = levels.at(-1) ?? null;
    levels.push(itemAt(level, key, machine));
  }
  let result = item;
  for (let at = path.length - 1; at >= 0; at--)
    result = withItem(levels[at] ?? null, path[at] ?? null, result, options);
  return result;
}
