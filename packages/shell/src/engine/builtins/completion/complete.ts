import { print, type Process, report } from "../../run/process.ts";
import { withTexts } from "../builtin.ts";
import { isAction } from "./actions.ts";
import {
  describeSpecification,
  type GivenSpecification,
  OPTIONS,
  readSpecification,
} from "./specification.ts";

/** Flags for the completion of a command of any name, of an empty line, and of the first word. */
const PLACES = "DEI";

/** `complete`: notes how the arguments of commands are completed, for `complete -p` and for scripts that are sourced. */
export const complete = withTexts(async (process, args) => {
  const given = readSpecification(args, { flags: `pr${PLACES}`, isAction });
  if (given.problem !== undefined) {
    await report(process, `complete: ${given.problem}`);
    return 2;
  }
  const { completions } = process.state;
  const names = namesOf(given);
  if (given.flags.has("r")) return removeAll(process, names);
  if (given.flags.has("p") || args.length === 0) return showAll(process, names);
  if (names.length === 0) {
    await report(process, "complete: usage: complete [-pr] [-DEI] [-o OPTION] [-A ACTION] NAME...");
    return 2;
  }
  for (const name of names) completions.set(name, given);
  return 0;
});

/** The names of a call; a place stands for all of them. */
function namesOf({ flags, rest }: Pick<GivenSpecification, "flags" | "rest">): readonly string[] {
  const place = PLACES.split("").find((letter) => flags.has(letter));
  return place === undefined ? rest : [`-${place}`];
}

async function removeAll(process: Process, names: readonly string[]): Promise<number> {
  const { completions } = process.state;
  if (names.length === 0) completions.clear();
  let status = 0;
  for (const name of names) {
    if (completions.size === 0 || completions.delete(name)) continue;
    status = await missing(process, "complete", name);
  }
  return status;
}

async function showAll(process: Process, names: readonly string[]): Promise<number> {
  const { completions } = process.state;
  let status = 0;
  for (const name of names.length > 0 ? names : completions.keys()) {
    const spec = completions.get(name);
    if (spec) await print(process, 1, `${describeSpecification(name, spec)}\n`);
    else status = await missing(process, "complete", name);
  }
  return status;
}

async function missing(process: Process, builtin: string, name: string): Promise<number> {
  await report(process, `${builtin}: ${name}: no completion specification`);
  return 1;
}

/** `compopt`: shows or changes the options of completions. */
export const compopt = withTexts(async (process, args) => {
  const { completions } = process.state;
  const changes: [name: string, isOn: boolean][] = [];
  const flags = new Set<string>();
  let at = 0;
  for (; /^[-+]./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    if (arg === "-o" || arg === "+o") {
      const name = args[++at] ?? "";
      if (!OPTIONS.includes(name)) {
        await report(process, `compopt: ${name}: invalid option name`);
        return 2;
      }
      changes.push([name, arg === "-o"]);
    } else if (/^-[DEI]$/.test(arg)) flags.add(arg.charAt(1));
    else {
      await report(process, `compopt: ${arg}: invalid option`);
      return 2;
    }
  }
  const names = namesOf({ flags, rest: args.slice(at) });
  if (names.length === 0) {
    await report(process, "compopt: not currently executing completion function");
    return 1;
  }
  let status = 0;
  for (const name of names) {
    const spec = completions.get(name);
    if (!spec) {
      status = await missing(process, "compopt", name);
      continue;
    }
    const options = new Set(spec.options);
    for (const [option, isOn] of changes) {
      if (isOn) options.add(option);
      else options.delete(option);
    }
    completions.set(name, { ...spec, options });
    const shown = OPTIONS.map((option) => `${options.has(option) ? "-" : "+"}o ${option}`);
    if (changes.length === 0) await print(process, 1, `compopt ${shown.join(" ")} ${name}\n`);
  }
  return status;
});
