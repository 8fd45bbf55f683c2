import type { HookDefinition, HooksConfig } from "../../hooks/definition.ts";
import { isHookEvent } from "../../hooks/events.ts";
import { checkHooks, readHooks } from "../../hooks/read-hooks.ts";
import { errorMessage } from "../../errors.ts";
import { isObject } from "../settings/settings-object.ts";
import type { BundleWarning } from "./bundle.ts";
import { invalid } from "./bundle-error.ts";
import { type BundleFiles, declaredPart } from "./bundle-files.ts";
import { withRoot } from "./bundle-root.ts";

const CONVENTIONAL = "hooks/hooks.json";

/**
 * The hooks of a bundle as its author wrote them: `hooks/hooks.json`, or the manifest's inline or named replacement.
 * Events of other programs are left out with a warning.
 * @throws {BundleError} `BUNDLE_INVALID`
 */
export function loadHooks(
  files: BundleFiles,
  declared: unknown,
  place: { manifestFile: string; warn: (warning: BundleWarning) => void },
): HooksConfig | undefined {
  const part = declaredPart(files, declared, { ...place, conventional: CONVENTIONAL });
  if (!part) return undefined;
  const { file, value } = part;
  const config = isObject(value) && isObject(value["hooks"]) ? value["hooks"] : value;
  if (!isObject(config)) throw invalid(file, "hooks", "must be an object");
  const known = Object.entries(config).filter(([event]) => {
    const isKnown = isHookEvent(event);
    if (!isKnown && event !== "description")
      place.warn({ file, message: `${event} is not a known event of hooks` });
    return isKnown;
  });
  const { problems } = readHooks(Object.fromEntries(known));
  const [problem] = problems;
  if (problem) throw invalid(file, problem.path, problem.message);
  try {
    return checkHooks(Object.fromEntries(known));
  } catch (cause) {
    throw invalid(file, "", errorMessage(cause), cause);
  }
}

/** The same hooks, whose command lines find the bundle's files. */
export function hooksAt(config: HooksConfig, directory: string): HooksConfig {
  const placed = (hook: HookDefinition): HookDefinition =>
    hook.type === "command" && "command" in hook && String(hook.command).includes("PLUGIN_ROOT")
      ? { ...hook, command: withRoot(String(hook.command), directory) }
      : hook;
  return Object.fromEntries(
    Object.entries(config).map(([event, groups]) => [
      event,
      groups.map((group) => ({ ...group, hooks: group.hooks.map(placed) })),
    ]),
  );
}
