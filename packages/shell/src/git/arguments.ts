import { GitFailure } from "./failure.ts";

export interface OptionNames {
  /** Names of one option, joined by `|`: letters and long names. The last one is the canonical name. */
  flags?: readonly string[];
  valued?: readonly string[];
  /** Options whose value must be attached: `--abbrev=8`, `-M50%`. */
  attached?: readonly string[];
}

export interface Options {
  has(name: string): boolean;
  /** The last value given. */
  get(name: string): string | undefined;
  all(name: string): readonly string[];
  /** Arguments before `--` that are not options. */
  readonly operands: readonly string[];
  /** Arguments after `--`; `undefined` without one. */
  readonly paths: readonly string[] | undefined;
}

type Kind = "flag" | "valued" | "attached";

/** Parses options as git does: clusters, attached values, options after operands, `--no-name`, `-3` for `-n 3`. */
export function readOptions(command: string, args: readonly string[], names: OptionNames): Options {
  const known = new Map<string, { name: string; kind: Kind }>();
  const learn = (list: readonly string[] = [], kind: Kind): void => {
    for (const aliases of list) {
      const all = aliases.split("|");
      for (const alias of all) known.set(alias, { name: all.at(-1) ?? alias, kind });
    }
  };
  learn(names.flags, "flag");
  learn(names.valued, "valued");
  learn(names.attached, "attached");

  const given = new Map<string, string[]>();
  const operands: string[] = [];
  const rest = [...args];
  let paths: string[] | undefined;
  const unknown = (what: string): GitFailure =>
    new GitFailure(`error: unknown ${what}\nusage: git ${command} [<options>]`, 129);
  const next = (what: string): string => {
    const value = rest.shift();
    if (value === undefined) throw new GitFailure(`error: ${what} requires a value`, 129);
    return value;
  };
  const add = (name: string, value: string): void => {
    given.set(name, [...(given.get(name) ?? []), value]);
  };
  const readLong = (arg: string): void => {
    const [name = "", ...parts] = arg.slice(2).split("=");
    const option = known.get(name);
    if (!option) {
      const denied = known.get(name.replace(/^no-/, ""));
      if (!name.startsWith("no-") || !denied) throw unknown(`option \`${name}'`);
      given.delete(denied.name);
      add(name, "");
      return;
    }
    const value = parts.length > 0 ? parts.join("=") : undefined;
    if (option.kind === "valued") add(option.name, value ?? next(`option \`${name}'`));
    else add(option.name, value ?? "");
  };
  const readShort = (arg: string): void => {
    if (/^-\d+$/.test(arg) && known.has("n")) return add(known.get("n")?.name ?? "n", arg.slice(1));
    for (let at = 1; at < arg.length; at++) {
      const letter = arg.charAt(at);
      const option = known.get(letter);
      if (!option) throw unknown(`switch \`${letter}'`);
      const attached = arg.slice(at + 1);
      if (option.kind === "flag") {
        add(option.name, "");
        continue;
      }
      if (option.kind === "valued") add(option.name, attached || next(`switch \`${letter}'`));
      else add(option.name, attached);
      return;
    }
  };

  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") paths = rest.splice(0);
    else if (arg.startsWith("--")) readLong(arg);
    else if (arg.length > 1 && arg.startsWith("-")) readShort(arg);
    else operands.push(arg);
  }
  return {
    has: (name) => given.has(name),
    get: (name) => given.get(name)?.at(-1),
    all: (name) => given.get(name) ?? [],
    operands,
    paths,
  };
}
