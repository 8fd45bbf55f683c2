import { parseSubscript } from "../parse/parser.ts";
import { ShellSyntaxError } from "../parse/syntax-error.ts";
import type { Parameter, Word, WordPart } from "../syntax/word.ts";

/** The values that a subscript may name. */
export interface SubscriptValues {
  /** A parameter, or an element at a subscript that is expanded. */
  value(name: string, subscript: string | undefined): string | undefined;
  /** All values of an array, or the positional parameters. */
  values(name: string): readonly string[];
  calculate(expression: string): string;
}

/** Thrown for what a subscript from data does not have: commands, and all but the plain forms of parameters. */
class Unexpandable extends Error {
  override readonly name = "Unexpandable" as const;
}

/**
 * Expands the subscript in a text such as `map[$key]`, which may come from data: so it runs no command. One that would
 * stands for itself.
 */
export function expandSubscript(source: string, values: SubscriptValues): string {
  if (!/[\\'"`$]/.test(source)) return source;
  try {
    return textOf(parseSubscript(source), values);
  } catch (error) {
    if (error instanceof Unexpandable || error instanceof ShellSyntaxError) return source;
    throw error;
  }
}

function textOf({ parts }: Pick<Word, "parts">, values: SubscriptValues): string {
  return parts.map((part) => textOfPart(part, values)).join("");
}

function textOfPart(part: WordPart, values: SubscriptValues): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "double-quoted":
      return textOf(part, values);
    case "arithmetic":
      return values.calculate(textOf(part.expression, values));
    case "parameter":
      return textOfParameter(part, values);
    default:
      throw new Unexpandable();
  }
}

function textOfParameter(
  { name, subscript, isIndirect, operation }: Parameter,
  values: SubscriptValues,
): string {
  if (isIndirect) throw new Unexpandable();
  const isList = subscript === "@" || subscript === "*" || name === "@" || name === "*";
  const key = typeof subscript === "object" ? textOf(subscript, values) : undefined;
  const list = isList ? values.values(name) : undefined;
  const value = list ? list.join(" ") : values.value(name, key);
  if (!operation) return value ?? "";
  if (operation.type === "length") return String(list?.length ?? Array.from(value ?? "").length);
  if (operation.type !== "default") throw new Unexpandable();
  const isMissing = value === undefined || (operation.hasColon && value === "");
  return isMissing ? textOf(operation.word, values) : value;
}
