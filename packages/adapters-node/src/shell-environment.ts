import { redact, redactValue } from "@robota/runtime";

/** Variables by which a shell could be made to run something before the command, or to read it differently. */
const UNWANTED = new Set(["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND"]);

/** What no command works without, whatever it looks like. */
const NEEDED = new Set(["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"]);

/** The environment of commands: without what looks like a secret by its name or value, but for the names in `allowed`. */
export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isUnwanted(name)) continue;
    if (NEEDED.has(name) || allowed.includes(name) || !looksSecret(name, value))
      clean[name] = value;
  }
  return clean;
}

/** A variable that changes what a shell runs, whoever sets it. */
export function isUnwanted(name: string): boolean {
  // Functions are exported under names like `BASH_FUNC_ls%%`, and replace programs.
  return UNWANTED.has(name) || name.startsWith("BASH_FUNC_");
}

function looksSecret(name: string, value: string): boolean {
  const assignment = `${name.toUpperCase()}=${value}`;
  if (redact(assignment) !== assignment) return true;
  const kept: unknown = redactValue({ [name]: value });
  return JSON.stringify(kept) !== JSON.stringify({ [name]: value });
}
