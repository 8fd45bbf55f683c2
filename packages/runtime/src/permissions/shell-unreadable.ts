import { commandName } from "./shell-launchers.ts";
import { MAX_FORMS, type Variables } from "./shell-rewrite.ts";

const SHELL = /^(?:ba|z|da|k|a|fi|c|tc|rba)?sh$/;
const INTERPRETER = /^(?:python|pypy|node|nodejs|bun|deno|tsx|perl|ruby|php|lua|osascript)[\d.]*$/;
/** Over this length an editing script is not looked through. */
const MAX_SCRIPT = 2000;

/**
 * Whether a command runs something that its words do not show. A line with such a part can't be told to keep to rules
 * that forbid commands.
 */
export function isUnreadable(words: readonly string[], variables: Variables): boolean {
  const [path = "", ...args] = words;
  if (/\$\{!|@[PQEAaKkUuL]\}/.test(words.join(" "))) return true;
  if (/[`]|\$\(/.test(path)) return true;
  const used = [...path.matchAll(/\$\{?(\w+)/g)].map(([, variable = ""]) => variable);
  const counts = used.map((name) =>
    name === "IFS" ? 1 : (variables.get(name)?.length ?? Infinity),
  );
  // Not every pair of values is tried.
  if (counts.some((count) => count >= (used.length > 1 ? 2 : MAX_FORMS))) return true;
  const name = commandName(path);
  if (SHELL.test(name)) return args.every((arg) => arg.startsWith("-")) || hasExpansion(args);
  if (name === "eval") return hasExpansion(args);
  if (name === "." || name === "source") return true;
  if (INTERPRETER.test(name))
    return args.length === 0 || args.some((arg) => /^(?:-|-\w*[ceEr]|--eval|--print)$/.test(arg));
  if (/^g?sed$/.test(name)) return args.some(runsWhatItReads);
  return /^(?:[gmn]?awk|original-awk)$/.test(name) && args.some((arg) => /system|\||@/.test(arg));
}

/** Whether an editing script has an `e` with nothing behind it: it runs what was read or put together. */
function runsWhatItReads(script: string): boolean {
  return (
    /(?:^|[;{}\d$/\n!\s])e\s*(?:[;}\n]|$)/.test(script.replace(/^-.*/s, "")) ||
    script.length > MAX_SCRIPT ||
    /(?:^|[^A-Za-z]|[IM])s([^\w\s])(?:(?:\\.|(?!\1)[^\\])*\1){2}[gpiImM\d]*e/s.test(script)
  );
}

function hasExpansion(args: readonly string[]): boolean {
  return args.some((arg) => /[$`]/.test(arg));
}
