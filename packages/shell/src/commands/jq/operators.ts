import { valueError } from "./errors.ts";
import { computed, type Filter, many, PAUSE, plain, single } from "./filter.ts";
import type { JqMachine } from "./machine.ts";
import type { BinaryOperator } from "./syntax/tree.ts";
import {
  areEqual,
  compare,
  hasSlot,
  isArray,
  isObject,
  type JsonObject,
  type OpenObject,
  slotsOf,
  type Value,
  valueAt,
} from "./values.ts";

type Operation = (one: Value, other: Value, machine: JqMachine) => Value;

/** A filter that combines all results of two others; those of the left one change fastest. */
export function compileOperation(
  operator: BinaryOperator,
  left: Filter,
  right: Filter,
  machine: JqMachine,
): Filter {
  const operation = operations[operator];
  const { one } = left;
  const { one: rightOne } = right;
  if (one && rightOne)
    return single((value, env) => {
      const other = plain(rightOne(value, env));
      return operation(plain(one(value, env)), other, machine);
    });
  return many(function* (input, env) {
    const value = plain(input);
    for (const other of right.run(value, env)) {
      if (other === PAUSE) {
        yield PAUSE;
        continue;
      }
      for (const first of left.run(value, env)) {
        if (first === PAUSE) yield PAUSE;
        else yield computed(input, operation(plain(first), plain(other), machine));
      }
    }
    return undefined;
  });
}

export const operations: Readonly<Record<BinaryOperator, Operation>> = {
  "+": add,
  "-": subtract,
  "*": multiply,
  "/": divide,
  "%": remainder,
  "==": areEqual,
  "!=": (one, other, machine) => !areEqual(one, other, machine),
  "<": (one, other, machine) => compare(one, other, machine) < 0,
  "<=": (one, other, machine) => compare(one, other, machine) <= 0,
  ">": (one, other, machine) => compare(one, other, machine) > 0,
  ">=": (one, other, machine) => compare(one, other, machine) >= 0,
};

function add(one: Value, other: Value, machine: JqMachine): Value {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (typeof one === "string" && typeof other === "string") {
    machine.length(one.length + other.length);
    return one + other;
  }
  if (one === null) return other;
  if (other === null) return one;
  if (isArray(one) && isArray(other)) {
    machine.elements(one.length + other.length);
    // Spreading copies item by item, which takes a hundred times as long.
    return one.concat(other);
  }
  if (isObject(one) && isObject(other)) {
    const sum = { ...one, ...other };
    machine.work(0.001);
    return sum;
  }
  throw valueError("cannot be added", one, other);
}

function subtract(one: Value, other: Value, machine: JqMachine): Value {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (!isArray(one) || !isArray(other)) throw valueError("cannot be subtracted", one, other);
  const scalars = new Set(other.filter((item) => typeof item !== "object" || item === null));
  const others = other.filter((item) => typeof item === "object" && item !== null);
  machine.work((one.length + other.length) / 64);
  return one.filter((item) =>
    typeof item !== "object" || item === null
      ? Number.isNaN(item) || !scalars.has(item)
      : !others.some((each) => {
          machine.work(0.1);
          return areEqual(item, each, machine);
        }),
  );
}

function multiply(one: Value, other: Value, machine: JqMachine): Value {
  if (typeof one === "number" && typeof other === "number") return one * other;
  if (typeof one === "string" && typeof other === "number") return repeated(one, other, machine);
  if (typeof one === "number" && typeof other === "string") return repeated(other, one, machine);
  if (isObject(one) && isObject(other)) return merged(one, other, machine);
  throw valueError("cannot be multiplied", one, other);
}

function repeated(text: string, count: number, machine: JqMachine): Value {
  if (!(count > 0)) return null;
  const times = count < 1 ? 1 : Math.floor(count);
  machine.length(text.length * times);
  return text.repeat(times);
}

function merged(one: JsonObject, other: JsonObject, machine: JqMachine): JsonObject {
  const result: OpenObject = { ...one };
  for (const slot of slotsOf(other)) {
    machine.work(0.05);
    const [before, value] = [valueAt(one, slot), valueAt(other, slot)];
    const isBoth = hasSlot(one, slot) && isObject(before) && isObject(value);
    result[slot] = isBoth ? merged(before, value, machine) : value;
  }
  return result;
}

function divide(one: Value, other: Value, machine: JqMachine): Value {
  if (typeof one === "number" && typeof other === "number") {
    if (other !== 0) return one / other;
    throw valueError("cannot be divided because the divisor is zero", one, other);
  }
  if (typeof one === "string" && typeof other === "string") return splitText(one, other, machine);
  throw valueError("cannot be divided", one, other);
}

/** The parts of a text between separators; its characters if the separator is empty. */
export function splitText(text: string, separator: string, machine: JqMachine): Value {
  if (text === "") return [];
  const parts = separator === "" ? Array.from(text) : text.split(separator);
  machine.length(text.length);
  machine.elements(parts.length);
  return parts;
}

function remainder(one: Value, other: Value): Value {
  if (typeof one !== "number" || typeof other !== "number")
    throw valueError("cannot be divided (remainder)", one, other);
  const divisor = integerOf(other);
  if (divisor !== 0) return (integerOf(one) % divisor) + 0;
  throw valueError("cannot be divided (remainder) because the divisor is zero", one, other);
}

const LEAST = -(2 ** 63);

/** A number as an integer of 64 bits, as processors convert it. */
function integerOf(number: number): number {
  const integer = Math.trunc(number);
  return integer >= LEAST && integer < -LEAST ? integer : LEAST;
}

export function negated(value: Value): Value {
  if (typeof value !== "number") throw valueError("cannot be negated", value);
  return -value;
}
