import { itemOf } from "../access.ts";
import { arrayOf } from "../errors.ts";
import { computed, PAUSE, plain, Tracked } from "../filter.ts";
import { valueAtPath, withValueAt } from "../assignments.ts";
import { JqError } from "../machine.ts";
import { deletePaths, pathOf } from "../paths.ts";
import type { Value } from "../values.ts";
import type { NativeFilters, NativeValues } from "./native.ts";

const NO_PATH = "Path must be specified as an array";

export const pathValues: NativeValues = {
  "setpath/2": (machine, input, path = null, value = null) =>
    withValueAt(input, arrayOf(path, NO_PATH), value, { owned: new Set(), machine }),
  "delpaths/1": (machine, input, paths = null) =>
    deletePaths(input, arrayOf(paths, "Paths must be specified as an array"), machine),
};

export const pathFilters: NativeFilters = {
  *"path/1"({ input, args: [filter], env }) {
    for (const place of filter?.run(new Tracked(plain(input)), env) ?? [])
      yield place === PAUSE ? PAUSE : computed(input, pathOf(place));
    return undefined;
  },
  *"getpath/1"({ input, args: [paths], env, machine }) {
    for (const result of paths?.run(plain(input), env) ?? []) {
      if (result === PAUSE) {
        yield PAUSE;
        continue;
      }
      const path: readonly Value[] = arrayOf(plain(result), NO_PATH);
      if (!(input instanceof Tracked)) {
        yield valueAtPath(input, path, machine);
        continue;
      }
      if (input.isLost) throw new JqError("Invalid path expression");
      let place: Tracked = input;
      for (const key of path) {
        const value = place.value === null ? null : plain(itemOf(place.value, key, machine));
        place = new Tracked(value, place, key);
      }
      yield place;
    }
    return undefined;
  },
};
