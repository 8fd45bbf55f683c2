import {
  compileLoadedGroups,
  forAnyText,
  type GroupPattern,
  type Groups,
} from "../search/pattern.ts";
import { classOf } from "../search/posix.ts";
import { JqError, type JqMachine } from "./machine.ts";

/** A regular expression of a program, with its flags. */
export interface Expression {
  readonly find: GroupPattern["find"];
  /** Names of the groups; null for one without. */
  readonly names: readonly (string | null)[];
  readonly isGlobal: boolean;
  readonly skipsEmpty: boolean;
}

const known = new WeakMap<JqMachine, Map<string, Expression>>();
const MAX_KNOWN = 256;

/** Compiles an expression, once for a program. */
export function expressionOf(machine: JqMachine, source: string, flags: string): Expression {
  const cache = known.get(machine) ?? new Map<string, Expression>();
  known.set(machine, cache);
  const key = `${flags}/${source}`;
  let expression = cache.get(key);
  if (!expression) {
    expression = compile(machine, source, flags);
    if (cache.size >= MAX_KNOWN) cache.clear();
    cache.set(key, expression);
  }
  return expression;
}

function compile({ engine }: JqMachine, source: string, flags: string): Expression {
  if (!engine) throw new Error("the engine of regular expressions is not loaded");
  const { text, names, hasEnd } = translated(source, flags.includes("x"));
  const compiled = (expression: string): GroupPattern =>
    compileLoadedGroups(engine, expression, {
      isCaseIgnored: flags.includes("i"),
      isMultiline: false,
      isDotAll: flags.includes("p"),
    });
  let pattern: GroupPattern;
  try {
    pattern = compiled(text);
    const wide = widened(text);
    if (wide !== text) {
      const { groups } = pattern;
      pattern = { groups, ...forAnyText(pattern, () => compiled(wide)) };
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : "invalid";
    throw new JqError(`${source} (at offset 0) is not a valid regex: ${reason}`);
  }
  return {
    find: (line, from) => (hasEnd ? first(pattern, line, from) : pattern.find(line, from)),
    names,
    isGlobal: flags.includes("g"),
    skipsEmpty: flags.includes("n"),
  };
}

/** Members of a class in Unicode; engines only know those of ASCII. */
function membersOf(part: string): string | undefined {
  if (part === "\\d" || part === "[:digit:]") return "\\p{Nd}";
  if (part === "\\w") return `_${classOf("alnum", true)}`;
  if (part === "\\s") return classOf("space", true);
  return part.startsWith("[:") ? classOf(part.slice(2, -2), true) : undefined;
}

/** The expression with the classes of Unicode. */
function widened(source: string): string {
  let isInClass = false;
  return source.replace(/\\[^]|\[:\w+:\]|[[\]]/g, (part) => {
    if (part === "[" || part === "]") isInClass = part === "[";
    const members = membersOf(part);
    if (members !== undefined) return isInClass ? members : `[${members}]`;
    const opposite = isInClass ? undefined : membersOf(part.toLowerCase());
    return opposite === undefined ? part : `[^${opposite}]`;
  });
}

/** `$` matches before a newline at the end of the text, too. */
function first(pattern: GroupPattern, text: string, from: number): Groups | undefined {
  const match = pattern.find(text, from);
  if (!text.endsWith("\n") || from >= text.length) return match;
  const before = pattern.find(text.slice(0, -1), from);
  if (!before || !match) return before ?? match;
  return (before[0]?.[0] ?? 0) <= (match[0]?.[0] ?? 0) ? before : match;
}

/** The expression without what the engines do not know, and the names of its groups. */
function translated(
  source: string,
  isExtended: boolean,
): { text: string; names: (string | null)[]; hasEnd: boolean } {
  let text = "";
  let isInClass = false;
  let hasEnd = false;
  const names: (string | null)[] = [];
  const parts = source.matchAll(
    isExtended
      ? /\\[^]|\(\?<([A-Za-z_]\w*)>|\(\?|#[^\n]*|[^]/g
      : /\\[^]|\(\?<([A-Za-z_]\w*)>|\(\?|[^]/g,
  );
  for (const [part, name] of parts) {
    if (!isInClass && isExtended && /^(?:\s$|#)/.test(part)) continue;
    if (part === "[") isInClass = true;
    if (part === "]") isInClass = false;
    if (!isInClass && name !== undefined) names.push(name);
    if (!isInClass && part === "(") names.push(null);
    if (!isInClass && part === "$") hasEnd = true;
    if (part === "\\h") text += isInClass ? "0-9a-fA-F" : "[0-9a-fA-F]";
    else if (part === "\\Z") text += "$";
    else text += part;
  }
  return { text, names, hasEnd };
}
