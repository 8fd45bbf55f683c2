import type { Command } from "../commands/command.ts";
import type { BundleRecord } from "./bundle-records.ts";
import type { BundleText } from "./bundle.ts";
import type { FoundBundles } from "./find-bundles.ts";

/** The placeholder of a command's arguments. */
const ARGUMENTS = "$ARGUMENTS";

/** The commands of bundles in force, as `bundle:command`. */
export function bundleCommands(records: readonly BundleRecord[]): Command[] {
  return records.flatMap(({ bundle }) =>
    (bundle?.commands ?? []).map((command) => commandOf(bundle?.manifest.name ?? "", command)),
  );
}

function commandOf(bundle: string, { name, description, fields, text }: BundleText): Command {
  const hint = fields["argument-hint"];
  return {
    name: `${bundle}:${name}`,
    description: description.split("\n", 1)[0] ?? "",
    source: "plugin",
    argumentHint: typeof hint === "string" ? hint : undefined,
    // Rules of a bundle are in its manifest, where a person approves them: a command allows nothing.
    prompt: (args) => ({ text: withArguments(text, args) }),
  };
}

/** The text with the arguments as they were typed. Nothing in them is replaced or run. */
function withArguments(text: string, args: string): string {
  if (text.includes(ARGUMENTS)) return text.replaceAll(ARGUMENTS, () => args);
  return args.trim() === "" ? text : `${text}\n\nArguments: ${args}`;
}

/**
 * The bundles whose commands are usable now: one disabled since the turn began is left out, one approved since is
 * included. A project's waits for the next turn, which asks about trust.
 */
export function usableNow(
  found: FoundBundles,
  { bundles, foundBundles }: { bundles: FoundBundles; foundBundles: FoundBundles },
): BundleRecord[] {
  return found.filter(({ name, text, scope, bundle, isEnabled }) => {
    const isThis = (one: BundleRecord): boolean => one.name === name && one.text === text;
    const isNew = scope === "user" && !foundBundles.some((one) => isThis(one) && one.isEnabled);
    return bundle !== undefined && isEnabled && (isNew || bundles.some(isThis));
  });
}
