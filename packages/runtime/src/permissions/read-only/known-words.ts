/** Option syntax of a command, for classifying all of its words. */
export interface OptionShapes {
  options?: RegExp;
  /** Options that take the next word as their value, which names no file. */
  valued?: RegExp;
}

/** The words of a command whose options are all known. */
export interface KnownWords {
  operands: string[];
  /** Each option, and the next word where that is its value. */
  options: (readonly [option: string, value: string])[];
}

/** Separates options from operands; `undefined` for an unknown option. */
export function knownWords(
  args: readonly string[],
  { options, valued }: OptionShapes,
): KnownWords | undefined {
  const known: KnownWords = { operands: [], options: [] };
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (!arg.startsWith("-") || arg === "-") known.operands.push(arg);
    else if (valued?.test(arg)) known.options.push([arg, args[++index] ?? ""]);
    else if (options?.test(arg)) known.options.push([arg, ""]);
    else return undefined;
  }
  return known;
}

/** The values of the options that begin like this: written onto them, or the next words. */
export function valuesOf({ options }: KnownWords, beginning: RegExp): string[] {
  return options.flatMap(([option, value]) => {
    const [found] = beginning.exec(option) ?? [];
    return found === undefined ? [] : [option.slice(found.length) || value];
  });
}
