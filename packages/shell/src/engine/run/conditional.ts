import { FileSystemError, type FileStat, resolvePath } from "@robota/runtime/ports";
import { ArithmeticError } from "../arithmetic/error.ts";
import { evaluateArithmetic } from "../arithmetic/evaluate.ts";
import { expandExpression } from "../expand/expressions.ts";
import { expandPattern, expandRegularExpression, expandText } from "../expand/words.ts";
import { matches } from "../patterns/match.ts";
import { parsePattern } from "../patterns/pattern.ts";
import {
  arithmeticVariables,
  expandName,
  listValues,
  readVariable,
  resolveName,
  variableOf,
} from "../state/access.ts";
import { IndexedArray } from "../state/indexed-array.ts";
import { inLocale } from "../state/locale.ts";
import type { Conditional } from "../syntax/tree.ts";
import type { Word } from "../syntax/word.ts";
import { findGroups, RegularExpressionError } from "./regular-expression.ts";
import { filesOf, type Process, report } from "./process.ts";
import { hostOf } from "./substitution.ts";
import { isTraced, trace } from "./trace.ts";

/** Evaluates the expression of `[[ ]]`. */
export async function evaluateConditional(
  process: Process,
  expression: Conditional,
  negation = "",
): Promise<boolean> {
  switch (expression.type) {
    case "and":
      for (const operand of expression.operands)
        if (!(await evaluateConditional(process, operand))) return false;
      return true;
    case "or":
      for (const operand of expression.operands.slice(0, -1))
        if (await holds(process, operand)) return true;
      return evaluateConditional(process, expression.operands.at(-1) ?? expression);
    case "not":
      return !(await holds(process, expression.operand, "! "));
    case "unary": {
      const host = hostOf(process);
      const expand = (word: Word): Promise<string> => expandText(word, host);
      const text =
        expression.operator === "-v"
          ? await expandExpression(expression.operand, expand, { hasQuotes: true })
          : await expand(expression.operand);
      await traceTest(process, `${negation}${expression.operator}`, text);
      return evaluateUnary(process, expression.operator, text);
    }
    case "binary":
      return evaluateBinary(process, expression, negation);
  }
}

/** Traces a test: a negation or a first operand, and the operator with what follows. */
async function traceTest(process: Process, start: string, ...words: string[]): Promise<void> {
  if (!isTraced(process)) return;
  await trace(process, `[[ ${[start, ...words].map((word) => word || "''").join(" ")} ]]`);
}

/** Reports whether a part holds; one that is no regular expression does not. */
async function holds(
  process: Process,
  expression: Conditional,
  negation?: string,
): Promise<boolean> {
  try {
    return await evaluateConditional(process, expression, negation);
  } catch (error) {
    if (error instanceof RegularExpressionError) return false;
    throw error;
  }
}

async function evaluateBinary(
  process: Process,
  { operator, left, right }: Extract<Conditional, { type: "binary" }>,
  negation: string,
): Promise<boolean> {
  const host = hostOf(process);
  const text = await expandText(left, host);
  const ignoresCase = process.state.options.has("nocasematch");
  const shownLeft = negation + (text || "''");
  if (operator === "=~") {
    const source = await expandRegularExpression(right, host);
    await traceTest(process, shownLeft, operator, source);
    return matchRegularExpression(process, text, source, ignoresCase);
  }
  if (operator === "==" || operator === "=" || operator === "!=") {
    const source = await expandPattern(right, host);
    await traceTest(process, shownLeft, operator, source);
    const { state } = process;
    const pattern = parsePattern(inLocale(state, source), { hasExtendedPatterns: true });
    return matches(pattern, inLocale(state, text), { ignoresCase }) === (operator !== "!=");
  }
  const other = await expandText(right, host);
  await traceTest(process, shownLeft, operator, other);
  if (operator.startsWith("-") && !/^-(?:nt|ot|ef)$/.test(operator)) {
    return compareExpressions(process, operator, [text, other]);
  }
  return evaluateTextOrFiles(process, { operator, left: text, right: other });
}

/** Compares the values of expressions; wrong ones don't compare. */
async function compareExpressions(
  process: Process,
  operator: string,
  [left, right]: readonly [string, string],
): Promise<boolean> {
  const variables = arithmeticVariables(process.state);
  try {
    const value = evaluateArithmetic(left, variables);
    return compareNumbers(operator, value, evaluateArithmetic(right, variables));
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    await report(process, `[[: ${error.message}`);
    return false;
  }
}

/** `<` and `>` of texts, `-nt`, `-ot` and `-ef` of files. */
export async function evaluateTextOrFiles(
  process: Process,
  { operator, left, right }: { operator: string; left: string; right: string },
): Promise<boolean> {
  if (operator === "<") return left < right;
  if (operator === ">") return left > right;
  const [one, other] = [await statOf(process, left), await statOf(process, right)];
  if (operator === "-nt") return one !== undefined && (!other || one.mtimeMs > other.mtimeMs);
  if (operator === "-ot") return other !== undefined && (!one || one.mtimeMs < other.mtimeMs);
  if (!one || !other) return false;
  const { state } = process;
  const files = filesOf(process);
  const paths = [left, right].map((path) => files.realpath(resolvePath(state.cwd, path)));
  const [first, second] = await Promise.all(paths);
  return first === second;
}

export function compareNumbers(operator: string, left: bigint, right: bigint): boolean {
  switch (operator) {
    case "-eq":
      return left === right;
    case "-ne":
      return left !== right;
    case "-lt":
      return left < right;
    case "-le":
      return left <= right;
    case "-gt":
      return left > right;
    default:
      return left >= right;
  }
}

async function matchRegularExpression(
  process: Process,
  text: string,
  source: string,
  ignoresCase: boolean,
): Promise<boolean> {
  const { variables } = process.state;
  try {
    const match = await findGroups(source, text, { ignoresCase });
    variables.set("BASH_REMATCH", new IndexedArray(match?.map((group) => group ?? "")));
    return match !== undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new RegularExpressionError(source);
  }
}

/** `-f`, `-n`, `-v` and all the others of one operand. */
export async function evaluateUnary(
  process: Process,
  operator: string,
  operand: string,
): Promise<boolean> {
  const { state, descriptors } = process;
  if (operator === "-n") return operand !== "";
  if (operator === "-z") return operand === "";
  if (operator === "-v") return isSet(process, operand);
  if (operator === "-o") return state.options.has(operand);
  if (operator === "-R") return state.variables.get(operand)?.attributes.has("reference") ?? false;
  if (operator === "-t") return false;
  if (operator === "-h" || operator === "-L") {
    const path = resolvePath(state.cwd, operand);
    const stat = await filesOf(process)
      .lstat(path)
      .catch(() => undefined);
    return operand !== "" && stat?.type === "symlink";
  }
  const number = /^\/dev\/fd\/(\d+)$/.exec(operand)?.[1];
  if (number !== undefined && descriptors.get(Number(number))) return "-e-r-p".includes(operator);
  const stat = await statOf(process, operand);
  return stat !== undefined && (FILE_TESTS[operator]?.(stat, operand) ?? false);
}

const FILE_TESTS: Readonly<Record<string, (stat: FileStat, path: string) => boolean>> = {
  "-a": () => true,
  "-e": () => true,
  "-f": ({ type }, path) => type === "file" && !isDevice(path),
  "-d": ({ type }) => type === "directory",
  "-s": ({ size, type }) => size > 0 || type === "directory",
  "-r": ({ mode }) => (mode & 0o444) !== 0,
  "-w": ({ mode }) => (mode & 0o222) !== 0,
  "-x": ({ mode, type }) => type === "directory" || (mode & 0o111) !== 0,
  "-c": (_stat, path) => isDevice(path),
  "-k": ({ mode }) => (mode & 0o1000) !== 0,
  "-O": () => true,
  "-G": () => true,
  "-N": () => true,
};

function isDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|tty|random|urandom|stdin|stdout|stderr)$/.test(path);
}

function isSet(process: Process, given: string): boolean {
  const { state } = process;
  if (/^\d+$/.test(given))
    return given === "0" || state.positional[Number(given) - 1] !== undefined;
  const { name, subscript } = expandName(state, given);
  if (subscript === "@" || subscript === "*") return listValues(state, name).length > 0;
  const value = variableOf(state, resolveName(state, name))?.value;
  if (value instanceof Map && subscript !== undefined) return value.has(subscript);
  return readVariable(state, name, subscript) !== undefined;
}

async function statOf(process: Process, path: string): Promise<FileStat | undefined> {
  if (path === "") return undefined;
  try {
    return await filesOf(process).stat(resolvePath(process.state.cwd, path));
  } catch (error) {
    if (error instanceof FileSystemError) return undefined;
    throw error;
  }
}
