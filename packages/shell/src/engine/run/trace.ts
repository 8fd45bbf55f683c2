import { quoteText, singleQuoted } from "../expand/quoting.ts";
import { expandText } from "../expand/words.ts";
import { readVariable } from "../state/access.ts";
import { print, type Process } from "./process.ts";
import { hostOf } from "./substitution.ts";

/** Characters between quotes in a trace: those that a shell would read as something else. */
const NEEDS_QUOTES = /[\s'"\\|&;()<>!{}*[\]?^$`]|(?:^|[=:])~|^#/;

export function isTraced({ state }: Process): boolean {
  return state.options.has("xtrace");
}

/** Writes a command as it runs, under `set -x`. */
export async function trace(process: Process, command: string): Promise<void> {
  const { state, descriptors } = process;
  if (!isTraced(process)) return;
  // The commands of the prefix are not traced themselves.
  state.options.delete("xtrace");
  const { expandPrompt } = await import("../expand/prompt.ts");
  const prefix = await expandPrompt(readVariable(state, "PS4") ?? "", state, (word) =>
    expandText(word, hostOf(process), "document"),
  );
  state.options.add("xtrace");
  const level = (prefix[0] ?? "").repeat(state.traceLevel);
  const chosen = readVariable(state, "BASH_XTRACEFD");
  const number = chosen && descriptors.get(Number(chosen)) ? Number(chosen) : 2;
  await print(process, number, `${level}${prefix}${command}\n`);
}

/** Runs commands whose traces show that they are a level deeper. */
export async function oneLevelDeeper<Result>(
  { state }: Process,
  run: () => Promise<Result>,
): Promise<Result> {
  state.traceLevel++;
  try {
    return await run();
  } finally {
    state.traceLevel--;
  }
}

/** A word of a command, as a trace shows it. */
export function tracedWord(word: string): string {
  return word === "" ? "''" : tracedValue(word);
}

/** A value behind the `=` of an assignment. */
export function tracedValue(value: string): string {
  if (NEEDS_QUOTES.test(value)) return singleQuoted(value);
  return /\p{Cc}/u.test(value) || !value.isWellFormed() ? quoteText(value) : value;
}
