import { ArithmeticError } from "../arithmetic/error.ts";
import { createParser } from "../parse/parser.ts";
import { assign } from "../run/assignments.ts";
import { print, type Process, report } from "../run/process.ts";
import {
  assignVariable,
  expandName,
  ExpansionError,
  isVariableName,
  resolveName,
  splitName,
} from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import type { ShellState } from "../state/shell-state.ts";
import type { Attribute, Variable } from "../state/variables.ts";
import type { Assignment } from "../syntax/tree.ts";
import { endOfSubscript } from "../text/subscript-end.ts";
import { type Builtin, type BuiltinArgument, parseOptions } from "./builtin.ts";
import { describeAll, showFunctions, showVariables } from "./describe.ts";
import { markFunctions } from "./mark-functions.ts";
import { NAMED } from "./options.ts";

const ATTRIBUTES: Readonly<Record<string, Attribute>> = {
  i: "integer",
  l: "lowercase",
  n: "reference",
  r: "readonly",
  t: "traced",
  u: "uppercase",
  x: "exported",
};
const FLAGS = "aAfFgilnprtuxI";

interface Call {
  readonly name: string;
  readonly options: ReadonlySet<string>;
  readonly off: ReadonlySet<string>;
  readonly isLocal: boolean;
}

export const declare: Builtin = (process, args, name) =>
  runDeclare(process, args, { name, isLocal: process.state.variables.isInFunction });

/** Makes the options of `set` local to the function, as `local -` says. */
function keepOptions({ state }: Process): void {
  const [frame, ...others] = state.frames;
  if (!frame || frame.restoreOptions) return;
  const before = NAMED.map((name) => [name, state.options.has(name)] as const);
  const restoreOptions = (): void => {
    for (const [name, isOn] of before) {
      if (isOn) state.options.add(name);
      else state.options.delete(name);
    }
  };
  state.frames = [{ ...frame, restoreOptions }, ...others];
}

export const local: Builtin = async (process, args, name) => {
  if (process.state.variables.isInFunction) {
    const words = args.filter((arg) => arg !== "-");
    if (words.length < args.length) keepOptions(process);
    if (words.length === 0 && args.length > 0) return 0;
    return runDeclare(process, words, { name, isLocal: true });
  }
  await report(process, "local: can only be used in a function");
  return 1;
};

export const exportBuiltin: Builtin = (process, args, name) =>
  runDeclare(process, args, { name, isLocal: false, added: "x" });

export const readonly: Builtin = (process, args, name) =>
  runDeclare(process, args, { name, isLocal: false, added: "r" });

async function runDeclare(
  process: Process,
  args: readonly BuiltinArgument[],
  call: { name: string; isLocal: boolean; added?: string },
): Promise<number> {
  const texts = args.map((arg) => (typeof arg === "string" ? arg : arg.name));
  const parsed = parseOptions(texts, { flags: FLAGS, hasPlus: true });
  if (parsed.wrong !== undefined) {
    await report(process, `${call.name}: ${parsed.wrong}: invalid option`);
    return 2;
  }
  const options = new Set(parsed.options.keys());
  const operands = args.slice(args.length - parsed.rest.length);
  const removesExport = call.added === "x" && options.delete("n");
  if (options.has("f") || options.has("F"))
    return aboutFunctions(process, parsed.rest, {
      ...call,
      options,
      off: removesExport ? new Set("x") : parsed.off,
    });
  // Names behind `export -p` are marked as without it.
  const lists = operands.length === 0 || (options.has("p") && call.added === undefined);
  if (call.added !== undefined && !removesExport) options.add(call.added);
  const off = removesExport ? new Set(["x"]) : parsed.off;
  const declared = { ...call, options, off, isLocal: call.isLocal && !options.has("g") };
  let status = 0;
  for (const operand of operands)
    // To list a variable declares it only where its array stands beside it.
    if (!lists || typeof operand !== "string")
      status = (await declareOne(process, operand, declared)) || status;
  return lists ? list(process, parsed.rest, declared) : status;
}

/** `declare -f` and its like. */
function aboutFunctions(
  process: Process,
  names: readonly string[],
  { name, added, options, off }: Pick<Call, "name" | "options" | "off"> & { added?: string },
): Promise<number> {
  const isOn = !off.has("x");
  const mark = (["r", "x"] as const).find(
    (letter) => letter === added || options.has(letter) || off.has(letter),
  );
  // Their names alone are listed, marked or not.
  if (mark === undefined || (options.has("F") && names.length > 0))
    return showFunctions(process, names, options);
  if (options.has("F")) return showFunctions(process, names, options, mark);
  return markFunctions(process, names, { builtinName: name, mark, isOn });
}

async function list(
  process: Process,
  names: readonly string[],
  { name, options }: Call,
): Promise<number> {
  const isPlain = options.size === 0 && names.length === 0;
  if (isPlain && name !== "local") {
    await print(process, 1, describeAll(process));
    return 0;
  }
  const attributes = [...options].flatMap((letter) => ATTRIBUTES[letter] ?? []);
  const kinds = [...options].filter((letter) => letter === "a" || letter === "A");
  return showVariables(process, names, { attributes, kinds, builtinName: name });
}

/** An operand: `name`, `name=value`, `name[subscript]=value`, or an array to assign. */
interface Operand {
  readonly name: string;
  readonly subscript?: string | undefined;
  readonly isAppended?: boolean;
  readonly value?: string | undefined;
  readonly array?: Assignment | undefined;
}

function parseOperand(state: ShellState, operand: BuiltinArgument): Operand | undefined {
  if (typeof operand !== "string") return { name: operand.name, array: operand };
  const [name = ""] = /^[A-Za-z_]\w*/.exec(operand) ?? [];
  const end = operand[name.length] === "[" ? endOfSubscript(operand, name.length) + 1 : name.length;
  const match = /^(?:(\+?)=([^]*))?$/.exec(operand.slice(end));
  if (name === "" || end === 0 || !match) return undefined;
  const [, plus, value] = match;
  const { subscript } = expandName(state, operand.slice(0, end));
  return { name, subscript, isAppended: plus === "+", value };
}

async function declareOne(process: Process, given: BuiltinArgument, call: Call): Promise<number> {
  const parsed = parseOperand(process.state, given);
  const isMark = call.name === "export" || call.name === "readonly";
  // An element has no attributes of its own.
  const isWhole = parsed?.subscript === undefined || !isMark;
  const operand = isWhole ? parsed && withArray(process, parsed, call) : undefined;
  const problem = operand
    ? enterScope(process, operand, call)
    : `\`${shownOperand(given, isWhole)}': not a valid identifier`;
  if (problem !== undefined || !operand) {
    // An array is assigned before the command runs, so that an error ends the line.
    if (operand?.array && !call.options.has("n"))
      throw new ExpansionError(problem ?? "", { endsLine: true });
    if (operand?.array) await assignArray(process, operand.array);
    await report(process, `${call.name}: ${problem ?? ""}`);
    if (operand && call.name === "export") setAttributes(process, operand.name, call);
    return 1;
  }
  const target = targetOf(process, operand, call);
  const isReference = call.options.has("n");
  setKind(process, target, operand, call);
  setAttributes(process, target, call);
  if (operand.array) await assignArray(process, { ...operand.array, name: target });
  else assignText(process, target, operand, isReference);
  for (const attribute of ["readonly", "reference"] as const)
    if (call.options.has(attribute === "readonly" ? "r" : "n"))
      process.state.variables.setAttribute(target, attribute, true);
  return 0;
}

function shownOperand(given: BuiltinArgument, isWhole: boolean): string {
  if (typeof given !== "string") return given.name;
  return isWhole ? given : given.replace(/\+?=[^]*/, "");
}

/** The operand with an array in place of a text such as `(a b)`, where the variable is one. */
function withArray({ state }: Process, operand: Operand, { options }: Call): Operand {
  const { name, subscript, value, isAppended } = operand;
  if (value === undefined || subscript !== undefined || !/^\([^]*\)$/.test(value)) return operand;
  const stored = state.variables.get(resolveName(state, name))?.value;
  const isList = options.has("a") || options.has("A");
  if (!isList && (stored === undefined || typeof stored === "string")) return operand;
  const source = `${name}${isAppended === true ? "+" : ""}=${value}`;
  const command = createParser(source).next()?.items[0]?.first.commands[0];
  const array = command?.type === "simple" ? command.assignments[0] : undefined;
  return array ? { name, array } : operand;
}

/** Makes the name local where the command says so. @returns the reason why the variable can't be declared */
function enterScope(process: Process, operand: Operand, call: Call): string | undefined {
  const { variables } = process.state;
  const { name, value } = operand;
  if (call.options.has("n") && value !== undefined && value !== "" && !isVariableName(value))
    return `\`${value}': invalid variable name for name reference`;
  if (call.isLocal && !variables.isLocal(name)) {
    const isFixed = variables.get(name)?.attributes.has("readonly") && variables.isGlobal(name);
    if (isFixed) return `${name}: readonly variable`;
    inherit(process, name, variables.makeLocal(name), call);
  }
  return problemOf(process, operand, call);
}

/** A local variable has the export of the one that it hides, and all of it with `-I`. */
function inherit(
  { state: { variables } }: Process,
  name: string,
  hidden: Variable | undefined,
  { options }: Call,
): void {
  if (options.has("I") && hidden) {
    variables.set(name, hidden.value);
    for (const attribute of hidden.attributes) variables.setAttribute(name, attribute, true);
  } else if (hidden?.attributes.has("exported")) variables.setAttribute(name, "exported", true);
}

function targetOf({ state }: Process, { name }: Operand, { options, off, isLocal }: Call): string {
  const isOwn = options.has("n") || off.has("n") || isLocal;
  return isOwn ? name : splitName(resolveName(state, name)).name;
}

function problemOf(process: Process, operand: Operand, call: Call): string | undefined {
  const { state } = process;
  const target = targetOf(process, operand, call);
  const variable = state.variables.get(target);
  const { options, off, name: command } = call;
  const isAssigned = operand.value !== undefined || operand.array !== undefined;
  if (variable?.attributes.has("readonly") && (isAssigned || off.has("r")))
    return `${operand.name}: readonly variable`;
  if (options.has("n")) return referenceProblem(operand, variable, process);
  const isConverted = command !== "readonly" && command !== "export";
  if (!isConverted && !isAssigned) return undefined;
  if (options.has("a") && variable?.value instanceof Map)
    return `${target}: cannot convert associative to indexed array`;
  if (options.has("A") && variable?.value instanceof IndexedArray)
    return `${target}: cannot convert indexed to associative array`;
  const isList = variable?.value !== undefined && typeof variable.value !== "string";
  return isList && (off.has("a") || off.has("A"))
    ? `${target}: cannot destroy array variables in this way`
    : undefined;
}

/** The reason why a variable can't become a reference. */
function referenceProblem(
  { name, value, array }: Operand,
  variable: Variable | undefined,
  { state }: Process,
): string | undefined {
  const stored = variable?.value;
  if (array || (stored !== undefined && typeof stored !== "string"))
    return `${name}: reference variable cannot be an array`;
  const target = value ?? stored;
  if (target !== undefined && !isVariableName(target))
    return `\`${target}': invalid variable name for name reference`;
  return target === name && state.frames.length === 0
    ? `${name}: nameref variable self references not allowed`
    : undefined;
}

function setKind(
  { state: { variables } }: Process,
  name: string,
  operand: Operand,
  call: Call,
): void {
  const { options, name: command } = call;
  const isConverted = command !== "readonly" && command !== "export";
  const { array, subscript, value } = operand;
  if (!isConverted && !array && value === undefined) return;
  const isMap = variables.get(name)?.value instanceof Map;
  if (options.has("A")) variables.declareList(name, "map");
  else if (options.has("a") || ((array ?? subscript) !== undefined && !isMap))
    variables.declareList(name, "array");
}

function setAttributes(
  { state: { variables } }: Process,
  name: string,
  { options, off }: Call,
): void {
  const changesBoth = options.has("l") && options.has("u");
  for (const [letter, attribute] of Object.entries(ATTRIBUTES)) {
    if (off.has(letter)) variables.setAttribute(name, attribute, false);
    if (!options.has(letter) || attribute === "readonly" || attribute === "reference") continue;
    const other = letter === "l" ? "uppercase" : letter === "u" ? "lowercase" : undefined;
    if (other) variables.setAttribute(name, other, false);
    variables.setAttribute(name, attribute, !(other && changesBoth));
  }
  if (!variables.get(name)) variables.set(name, undefined);
}

async function assignArray(process: Process, assignment: Assignment): Promise<void> {
  try {
    await assign(process, assignment, { isArgument: true });
  } catch (error) {
    if (!(error instanceof ExpansionError || error instanceof ArithmeticError)) throw error;
    throw new ExpansionError(error.message, { endsLine: true });
  }
}

function assignText(
  { state }: Process,
  target: string,
  { value, subscript, isAppended = false }: Operand,
  isReference: boolean,
): void {
  if (value === undefined) return;
  if (isReference) state.variables.set(target, value);
  else assignVariable(state, target, value, { subscript, isAppended });
}
