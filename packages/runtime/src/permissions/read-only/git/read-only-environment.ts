import type { PermissionContext } from "../../call.ts";
import { unwrapped } from "../../command-lines/shell-launchers.ts";
import { plainCommands } from "../../command-lines/shell-words.ts";

/**
 * Settings that Git gets from its environment before those of any file. A repository that was looked at has none of these
 * that start something; a person's own may have, such as a directory of hooks that every repository fills by itself.
 */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["log.showSignature", "false"],
  ["protocol.ext.allow", "never"],
];
/** Fetch nothing that is missing, write no index, ask for no password. */
const VARIABLES = { GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" };

/**
 * What a line is started with on a native shell when all of its commands only look and Git is one of them; nothing for any
 * other. Settings that `env` hands to Git in the same way stay.
 */
export function lookingEnvironment(
  line: string,
  env: Readonly<Record<string, string>>,
  isReadOnly: PermissionContext["isReadOnly"],
): Readonly<Record<string, string>> {
  const commands = isReadOnly ? plainCommands(line) : undefined;
  if (!isReadOnly || !commands?.some(({ words }) => unwrapped(words)[0] === "git")) return {};
  if (!commands.every(({ words, hasGlob }) => isReadOnly(unwrapped(words), hasGlob))) return {};
  const before = Number(env["GIT_CONFIG_COUNT"] ?? "0");
  const first = Number.isSafeInteger(before) && before > 0 ? before : 0;
  const settings = SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...VARIABLES,
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(first + SETTINGS.length),
  };
}
