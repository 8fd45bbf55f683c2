import { singleQuoted } from "../expand/quoting.ts";
import { fileOnPath, isExecutable, programAt } from "../run/programs.ts";
import { print, type Process, report } from "../run/process.ts";
import { isBuiltin, KEYWORDS } from "./names.ts";
import { parseOptions, withTexts } from "./builtin.ts";

interface Meaning {
  readonly kind: "alias" | "keyword" | "function" | "builtin" | "file";
  /** The output of `command -v`. */
  readonly short: string;
  readonly long: string;
}

async function meaningsOf(process: Process, name: string): Promise<Meaning[]> {
  const { state } = process;
  const meanings: Meaning[] = [];
  const alias = state.options.has("expand_aliases") ? state.aliases.get(name) : undefined;
  if (alias !== undefined)
    meanings.push({
      kind: "alias",
      short: `alias ${name}=${singleQuoted(alias)}`,
      long: `${name} is aliased to \`${alias}'`,
    });
  if (KEYWORDS.has(name))
    meanings.push({ kind: "keyword", short: name, long: `${name} is a shell keyword` });
  const known = state.functions.get(name);
  if (known)
    meanings.push({
      kind: "function",
      short: name,
      long: `${name} is a function\n${known.definition.text}`,
    });
  if (isBuiltin(state, name))
    meanings.push({ kind: "builtin", short: name, long: `${name} is a shell builtin` });
  const path = await programPath(process, name);
  if (path !== undefined) meanings.push({ kind: "file", short: path, long: `${name} is ${path}` });
  return meanings;
}

/** The path of a program, of a file on `PATH`, or of an executable file that is given by its path. */
export async function programPath(process: Process, name: string): Promise<string | undefined> {
  if (programAt(process, name)) return name.includes("/") ? name : `/usr/bin/${name}`;
  if (!name.includes("/")) return fileOnPath(process, name);
  return (await isExecutable(process, name)) ? name : undefined;
}

/** Prints what names mean as commands. @returns the status */
export async function describeCommands(
  process: Process,
  names: readonly string[],
  form: "short" | "long",
): Promise<number> {
  let status = 1;
  for (const name of names) {
    const [meaning] = await meaningsOf(process, name);
    if (meaning) {
      await print(process, 1, `${meaning[form]}\n`);
      status = 0;
    } else if (form === "long") await report(process, `command: ${name}: not found`);
  }
  return status;
}

export const type = withTexts(async (process, args, builtin) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "aftpP" });
  if (wrong !== undefined) {
    await report(process, `${builtin}: ${wrong}: invalid option`);
    return 2;
  }
  let status = 0;
  for (const name of rest) {
    const found = await meaningsOf(process, name);
    const meanings = found.filter(({ kind }) =>
      options.has("P") ? kind === "file" : kind !== "function" || !options.has("f"),
    );
    const shown = options.has("a") ? meanings : meanings.slice(0, 1);
    if (shown.length === 0) {
      if (!options.has("t") && !options.has("p") && !options.has("P"))
        await report(process, `type: ${name}: not found`);
      status = 1;
    }
    for (const meaning of shown) {
      if (options.has("t")) await print(process, 1, `${meaning.kind}\n`);
      else if (!options.has("p") && !options.has("P")) await print(process, 1, `${meaning.long}\n`);
      else if (meaning.kind === "file") await print(process, 1, `${meaning.short}\n`);
    }
  }
  return status;
});

export const hash = withTexts(async (process, args, builtin) => {
  const { rest, wrong } = parseOptions(args, { flags: "rdtl", valued: "p" });
  if (wrong !== undefined) {
    await report(process, `${builtin}: ${wrong}: invalid option`);
    return 2;
  }
  let status = 0;
  for (const name of rest) {
    if ((await programPath(process, name)) !== undefined || isBuiltin(process.state, name))
      continue;
    await report(process, `hash: ${name}: not found`);
    status = 1;
  }
  return status;
});
