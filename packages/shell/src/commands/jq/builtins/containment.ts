import { valueError } from "../errors.ts";
import { PAUSE } from "../filter.ts";
import type { JqMachine } from "../machine.ts";
import {
  areEqual,
  hasSlot,
  isArray,
  isObject,
  kindOf,
  slotsOf,
  type Value,
  valueAt,
} from "../values.ts";

/** Tells whether a value has everything that another has: parts of texts, items of arrays, fields of objects. */
export function* containment(
  value: Value,
  part: Value,
  machine: JqMachine,
): Generator<typeof PAUSE, boolean, undefined> {
  if (kindOf(value) !== kindOf(part) && !(typeof value === "boolean" && typeof part === "boolean"))
    throw valueError("cannot have their containment checked", value, part);
  return yield* contained(value, part, machine);
}

function* contained(
  value: Value,
  part: Value,
  machine: JqMachine,
): Generator<typeof PAUSE, boolean, undefined> {
  if (machine.tick(0.1)) yield PAUSE;
  if (isObject(value) && isObject(part)) {
    for (const slot of slotsOf(part)) {
      if (!hasSlot(value, slot)) return false;
      if (!(yield* contained(valueAt(value, slot), valueAt(part, slot), machine))) return false;
    }
    return true;
  }
  if (isArray(value) && isArray(part)) {
    for (const item of part) {
      let isFound = false;
      for (const candidate of value) {
        isFound = isScalar(item)
          ? quickly(candidate, item, machine)
          : yield* contained(candidate, item, machine);
        if (isFound) break;
      }
      if (!isFound) return false;
      if (machine.tick(0.1)) yield PAUSE;
    }
    return true;
  }
  return typeof value === "string" && typeof part === "string"
    ? value.includes(part)
    : areEqual(value, part, machine);
}

function isScalar(value: Value): boolean {
  return typeof value !== "object" || value === null;
}

function quickly(value: Value, part: Value, machine: JqMachine): boolean {
  machine.work(0.01);
  return typeof value === "string" && typeof part === "string"
    ? value.includes(part)
    : value === part;
}
