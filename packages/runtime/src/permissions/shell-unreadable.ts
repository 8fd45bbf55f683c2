import { commandName } from "./shell-launchers.ts";
import type { Variables } from "./shell-rewrite.ts";

const SHELL = /^(?:ba|z|da|k|a|fi|c|tc|rba)?sh$/;
const INTERPRETER = /^(?:python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua|osascript)[\d.]*$/;

/**
 * Whether a command runs something that its words do not show. A line with such a part can't be told to keep to rules
 * that forbid commands.
 */
export function isUnreadable(words: readonly string[], variables: Variables): boolean {
  const [path = "", ...args] = words;
  if (/\$\{!|@[PQEAaKkUuL]\}/.test(words.join(" "))) return true;
  if (/[`]|\$\(/.test(path)) return true;
  const [, variable] = /\$\{?(\w+)/.exec(path) ?? [];
  if (variable !== undefined && !variables.has(variable) && variable !== "IFS") return true;
  const name = commandName(path);
  if (SHELL.test(name)) return args.every((arg) => arg.startsWith("-")) || hasExpansion(args);
  if (name === "eval") return hasExpansion(args);
  if (name === "." || name === "source") return true;
  if (INTERPRETER.test(name))
    return args.length === 0 || args.some((arg) => /^(?:-|-\w*[ceEr]|--eval|--print)$/.test(arg));
  return /^(?:[gmn]?awk|original-awk)$/.test(name) && args.some((arg) => /system|\||@/.test(arg));
}

function hasExpansion(args: readonly string[]): boolean {
  return args.some((arg) => /[$`]/.test(arg));
}
