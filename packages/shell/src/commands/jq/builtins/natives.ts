import { arrayFilters, arrayValues } from "./arrays.ts";
import type { NativeFilters, NativeValues } from "./native.ts";
import { libraryNames } from "./library.ts";
import { controlFilters, controlValues } from "./control.ts";
import { dateValues } from "./dates.ts";
import { formatValues } from "./formats.ts";
import { mathValues } from "./math.ts";
import { pathFilters, pathValues } from "./path-functions.ts";
import { matchFilters, matchValues } from "./matching.ts";
import { streamFilters } from "./streams.ts";
import { textFilters, textValues } from "./strings.ts";

export const natives: {
  values: NativeValues;
  filters: NativeFilters;
  /** Functions that need the engine of regular expressions. */
  matching: ReadonlySet<string>;
} = {
  matching: new Set([...Object.keys(matchValues), ...Object.keys(matchFilters)]),
  values: {
    "builtins/0": () => [
      ...Object.keys(natives.values).filter((name) => !name.startsWith("_")),
      ...Object.keys(natives.filters),
      ...libraryNames(),
    ],
    ...arrayValues,
    ...controlValues,
    ...dateValues,
    ...formatValues,
    ...matchValues,
    ...mathValues,
    ...pathValues,
    ...textValues,
  },
  filters: {
    ...arrayFilters,
    ...controlFilters,
    ...matchFilters,
    ...pathFilters,
    ...streamFilters,
    ...textFilters,
  },
};
