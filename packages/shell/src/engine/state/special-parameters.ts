import type { ShellState } from "./shell-state.ts";

/** Reports whether a name is that of a positional or special parameter with one value, as `1`, `#` or `?`. */
export function isSpecialParameter(name: string): boolean {
  return /^\d/.test(name) || Object.hasOwn(SPECIAL, name);
}

/** The value of such a parameter; `undefined` when it is unset. */
export function specialParameter(state: ShellState, name: string): string | undefined {
  if (/^\d/.test(name)) return Number(name) === 0 ? state.name : state.positional[Number(name) - 1];
  return SPECIAL[name]?.(state);
}

const SPECIAL: Readonly<Record<string, (state: ShellState) => string | undefined>> = {
  "#": ({ positional }) => String(positional.length),
  "?": ({ status }) => String(status),
  $: ({ shellId }) => String(shellId),
  "!": ({ backgroundId }) => (backgroundId === undefined ? undefined : String(backgroundId)),
  "-": ({ options, script }) => optionLetters(options) + (script === undefined ? "c" : ""),
  _: ({ lastArgument }) => lastArgument,
};

const LETTERS: readonly (readonly [letter: string, option: string])[] = [
  ["a", "allexport"],
  ["e", "errexit"],
  ["f", "noglob"],
  ["h", "hashall"],
  ["n", "noexec"],
  ["u", "nounset"],
  ["v", "verbose"],
  ["x", "xtrace"],
  ["B", "braceexpand"],
  ["C", "noclobber"],
  ["E", "errtrace"],
  ["T", "functrace"],
];

function optionLetters(options: ReadonlySet<string>): string {
  return LETTERS.flatMap(([letter, option]) => (options.has(option) ? letter : "")).join("");
}
