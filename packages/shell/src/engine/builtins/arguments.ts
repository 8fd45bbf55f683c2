import { evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { print, type Process, report } from "../run/process.ts";
import {
  arithmeticVariables,
  assignVariable,
  ExpansionError,
  readVariable,
} from "../state/access.ts";
import { parseOptions, withTexts } from "./builtin.ts";

export const shift = withTexts(async (process, given) => {
  const { state } = process;
  const args = given[0] === "--" ? given.slice(1) : given;
  const count = args[0] === undefined ? 1 : Number(args[0]);
  if (!(count >= 0)) {
    await report(process, `shift: ${args[0] ?? ""}: numeric argument required`);
    return 1;
  }
  if (args.length > 1) throw new ExpansionError("shift: too many arguments", { endsLine: true });
  if (count > state.positional.length) return 1;
  state.positional = state.positional.slice(count);
  return 0;
});

export const letBuiltin = withTexts(async (process, given) => {
  const args = given[0] === "--" ? given.slice(1) : given;
  if (args.length === 0) {
    await report(process, "let: expression expected");
    return 1;
  }
  let value = 0n;
  for (const text of args) value = evaluateArithmetic(text, arithmeticVariables(process.state));
  return value === 0n ? 1 : 0;
});

export const getopts = withTexts(async (process, args, builtin) => {
  const { rest, wrong } = parseOptions(args, { flags: "" });
  const [letters = "", name = "", ...given] = rest;
  if (wrong !== undefined || rest.length < 2) {
    const reason =
      wrong === undefined ? "usage: getopts optstring name [arg ...]" : `${wrong}: invalid option`;
    await report(process, `${builtin}: ${reason}`);
    return 2;
  }
  if (/^[A-Za-z_]\w*$/.test(name)) return nextOption(process, letters, name, given);
  await nextOption(process, letters, undefined, given);
  await report(process, `${builtin}: \`${name}': not a valid identifier`);
  return 1;
});

/** Parses the next option. @param name The variable of its letter */
async function nextOption(
  process: Process,
  letters: string,
  name: string | undefined,
  given: readonly string[],
): Promise<number> {
  const { state } = process;
  const operands = given.length > 0 ? given : state.positional;
  const isSilent = letters.startsWith(":");
  let index = Number(readVariable(state, "OPTIND") ?? "1");
  const offset = state.getoptsOffset || 1;
  const word = operands[index - 1];
  const finish = (letter: string, argument: string | undefined, status = 0): number => {
    if (name !== undefined) assignVariable(state, name, letter);
    if (argument === undefined) state.variables.delete("OPTARG");
    else assignVariable(state, "OPTARG", argument);
    return status;
  };
  if (word === undefined || !/^-./.test(word) || word === "--") {
    if (word === "--") assignVariable(state, "OPTIND", String(index + 1));
    else if (index > operands.length + 1)
      assignVariable(state, "OPTIND", String(operands.length + 1));
    return finish("?", undefined, 1);
  }
  const letter = word.charAt(offset);
  const place = letters.indexOf(letter, isSilent ? 1 : 0);
  const isLast = offset + 1 >= word.length;
  const move = (): void => {
    assignVariable(state, "OPTIND", String(index));
    state.getoptsOffset = 0;
  };
  if (place === -1 || letter === ":" || letters.charAt(place + 1) !== ":") {
    if (isLast) {
      index++;
      move();
    } else state.getoptsOffset = offset + 1;
    if (place !== -1 && letter !== ":") return finish(letter, undefined);
    if (isSilent) return finish("?", letter);
    await complain(process, `illegal option -- ${letter}`);
    return finish("?", undefined);
  }
  const argument = isLast ? operands[index] : word.slice(offset + 1);
  index += isLast && argument !== undefined ? 2 : 1;
  move();
  if (argument !== undefined) return finish(letter, argument);
  if (isSilent) return finish(":", letter);
  await complain(process, `option requires an argument -- ${letter}`);
  return finish("?", undefined);
}

async function complain(process: Process, message: string): Promise<void> {
  const { state } = process;
  if (readVariable(state, "OPTERR") !== "0") await print(process, 2, `${state.name}: ${message}\n`);
}
