import type { Settings } from "@robota/runtime/settings";
import { createStoredCell, OWN_SETTINGS_KEY, writeStored } from "./preferences.ts";

/**
 * The person's own settings in this browser: the layer `host` of every session that the page opens from now on. Files of a
 * workspace, which an import or a model may have written, can't change them. Missing without any.
 */
export const ownSettings = createStoredCell<Settings | undefined>(
  OWN_SETTINGS_KEY,
  undefined,
  isSettings,
  true,
);

/** Replaces them. A session that is open has them in force when it is opened again. */
export function changeOwnSettings(change: (present: Settings) => Settings): void {
  const next = withoutEmpty(change(ownSettings.get() ?? {}));
  ownSettings.set(Object.keys(next).length > 0 ? next : undefined);
  if (ownSettings.get() === undefined) writeStored(OWN_SETTINGS_KEY, undefined);
}

/** Without values that are `undefined`, and without lists and objects that have nothing in them. */
function withoutEmpty(settings: Settings): Settings {
  const isEmpty = (value: unknown): boolean =>
    value === undefined ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => !isEmpty(value)));
}

function isSettings(value: unknown): value is Settings | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
