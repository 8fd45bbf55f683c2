import type { PermissionContext } from "../../call.ts";
import { unwrapped } from "../../command-lines/shell-launchers.ts";
import { plainCommands } from "../../command-lines/shell-words.ts";

/**
 * Settings that Git takes from its environment before those of any file. An examined repository has none that start
 * something; a person's own may, such as a directory of hooks that every repository shares.
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
 * Environment for a native shell line whose commands are all read-only and include Git; `undefined` for any other.
 * Settings that `env` passes to Git in the same way are kept.
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
