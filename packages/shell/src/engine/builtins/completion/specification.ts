import { singleQuoted } from "../../expand/quoting.ts";

/** Letters of actions, in the order in which `complete -p` writes them. */
const LETTERS: Readonly<Record<string, string>> = {
  a: "alias",
  b: "builtin",
  c: "command",
  d: "directory",
  e: "export",
  f: "file",
  g: "group",
  j: "job",
  k: "keyword",
  s: "service",
  u: "user",
  v: "variable",
};
export const OPTIONS =
  "bashdefault default dirnames filenames noquote nosort nospace plusdirs".split(" ");
/** Letters with a text: pattern, words, prefix, suffix, filter, command, function. */
const TEXTS = "GWPSXCF";

/** How `complete` says that the arguments of a command are completed. */
export interface Specification {
  readonly options: ReadonlySet<string>;
  readonly actions: ReadonlySet<string>;
  readonly texts: ReadonlyMap<string, string>;
}

export interface GivenSpecification extends Specification {
  /** Letters of other flags. */
  readonly flags: ReadonlySet<string>;
  readonly rest: readonly string[];
  /** The fault of the arguments. */
  readonly problem?: string;
}

/** Reads a specification from the arguments of `complete` or `compgen`. */
export function readSpecification(
  args: readonly string[],
  { flags: known, isAction }: { flags: string; isAction: (name: string) => boolean },
): GivenSpecification {
  const [options, actions, flags] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const texts = new Map<string, string>();
  const left = [...args];
  const fail = (problem: string): GivenSpecification => ({ ...spec(), problem });
  const spec = (): GivenSpecification => ({ options, actions, texts, flags, rest: left });
  while (/^-./.test(left[0] ?? "")) {
    const arg = left.shift() ?? "";
    if (arg === "--") break;
    for (let at = 1; at < arg.length; at++) {
      const letter = arg.charAt(at);
      const action = LETTERS[letter];
      if (action !== undefined) actions.add(action);
      else if (known.includes(letter)) flags.add(letter);
      else if (`oA${TEXTS}`.includes(letter)) {
        const value = arg.slice(at + 1) || left.shift();
        if (value === undefined) return fail(`-${letter}: option requires an argument`);
        if (letter === "o" && !OPTIONS.includes(value))
          return fail(`${value}: invalid option name`);
        if (letter === "A" && !isAction(value)) return fail(`${value}: invalid action name`);
        if (letter === "F" && !/^[^\s$`'"\\]+$/.test(value))
          return fail(`\`${value}': not a valid identifier`);
        if (letter === "o") options.add(value);
        else if (letter === "A") actions.add(value);
        else texts.set(letter, value);
        break;
      } else return fail(`-${letter}: invalid option`);
    }
  }
  return spec();
}

/** The command that makes a specification again. */
export function describeSpecification(name: string, spec: Specification): string {
  const letters = Object.entries(LETTERS).filter(([, action]) => spec.actions.has(action));
  const long = [...spec.actions].filter((action) => !Object.values(LETTERS).includes(action));
  return [
    "complete",
    ...OPTIONS.filter((option) => spec.options.has(option)).map((option) => `-o ${option}`),
    ...letters.map(([letter]) => `-${letter}`),
    ...long.sort().map((action) => `-A ${action}`),
    ...TEXTS.split("").flatMap((letter) => {
      const text = spec.texts.get(letter);
      if (text === undefined) return [];
      return `-${letter} ${letter === "F" ? text : singleQuoted(text)}`;
    }),
    name,
  ].join(" ");
}
