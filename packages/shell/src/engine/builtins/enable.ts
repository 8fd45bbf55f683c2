import { print, type Process, report } from "../run/process.ts";
import { parseOptions, withTexts } from "./builtin.ts";
import { BUILTIN_NAMES } from "./names.ts";

const SPECIAL: ReadonlySet<string> = new Set(
  ". : break continue eval exec exit export readonly return set shift source times trap unset".split(
    " ",
  ),
);

/** `enable`: puts builtins in force or, with `-n`, out of force, where programs run in their place; or lists them. */
export const enable = withTexts(async (process, args, command) => {
  const { options, rest, wrong } = parseOptions(args, { flags: "adnps", valued: "f" });
  if (wrong !== undefined) {
    await report(process, `${command}: ${wrong}: invalid option`);
    return 2;
  }
  if (options.has("f") || options.has("d")) {
    await report(process, `${command}: dynamic loading not available`);
    return 1;
  }
  if (rest.length === 0 || options.has("p")) return list(process, options);
  const { disabled } = process.state;
  let status = 0;
  for (const name of rest) {
    if (!BUILTIN_NAMES.has(name)) {
      await report(process, `${command}: ${name}: not a shell builtin`);
      status = 1;
    } else if (options.has("n")) disabled.add(name);
    else disabled.delete(name);
  }
  return status;
});

async function list(process: Process, options: ReadonlyMap<string, string>): Promise<number> {
  const { disabled } = process.state;
  const shown = [...BUILTIN_NAMES].sort().filter((name) => {
    if (options.has("s") && !SPECIAL.has(name)) return false;
    return options.has("a") || disabled.has(name) === options.has("n");
  });
  const lines = shown.map((name) => `enable ${disabled.has(name) ? "-n " : ""}${name}\n`);
  await print(process, 1, lines.join(""));
  return 0;
}
