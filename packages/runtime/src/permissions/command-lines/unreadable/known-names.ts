import type { Variables } from "../shell-rewrite.ts";

/** Commands that give values to names in ways that are not followed, or run a text that may. */
const SETTERS: ReadonlySet<string> = new Set(
  (
    "read declare typeset local export readonly mapfile readarray getopts let unset eval source . select wait coproc " +
    "trap set shopt enable"
  ).split(" "),
);
/** A value without shell expansions. */
const PLAIN_VALUE = /^[\w@%+=:,./ -]*$/;
const MAX_NAMES = 32;

/**
 * The names whose values a line says for certain: each place that speaks of one is a plain assignment or a plain `$name`,
 * and nothing in the line could change it in another way.
 */
export function knownNames(
  line: string,
  commands: readonly (readonly string[])[],
  variables: Variables,
): ReadonlySet<string> {
  const known = new Set<string>();
  if (variables.size === 0 || variables.size > MAX_NAMES || !line.includes("$")) return known;
  if (/\bIFS\b/.test(line)) return known;
  if (commands.some((words) => words.some((word) => word === "-v" || SETTERS.has(word))))
    return known;
  for (const [name, values] of variables) {
    if (!values.every((value) => PLAIN_VALUE.test(value))) continue;
    const mentions = line
      .replaceAll(new RegExp(String.raw`\$${name}\b|\$\{${name}\}`, "g"), " ")
      .replaceAll(new RegExp(String.raw`(?<![\w$])${name}=(?!\()`, "g"), " ");
    if (!new RegExp(String.raw`\b${name}\b`).test(mentions)) known.add(name);
  }
  return known;
}
