import { HOOK_EVENTS as EVENTS } from "./events.ts";
import { hooksOfLayer as markLayer, mergeHooks as merge } from "./merge-hooks.ts";
import { checkHooks as readAndCheck } from "./read-hooks.ts";
import type { hookWarnings as findWarnings } from "./usable-hooks.ts";

/**
 * The configuration with nothing in it but what hooks know, for settings and other input that is not typed. It has a name
 * of its own here so that a bundler keeps it out of the first load of sessions, which load hooks only when they have some.
 * @throws {ValidationError} with everything that is wrong, and where
 */
export const checkHooks: typeof readAndCheck = readAndCheck;

/**
 * What of a configuration does nothing, or blocks all that it guards: matchers that can't be read or fit nothing that there
 * is, and types of hooks that nothing runs. For people, when it is loaded.
 */
export const hookWarnings: typeof findWarnings = async (config, options) => {
  const { hookWarnings: find } = await import("./usable-hooks.ts");
  return find(config, options);
};

/** What a hook can be hung on, in the order in which a session meets them. */
export const HOOK_EVENTS: typeof EVENTS = EVENTS;

/** One configuration out of several, the first one's groups first. Nothing replaces anything. */
export const mergeHooks: typeof merge = merge;

/** The configuration with the name of its layer on every hook, whatever a hook said of that itself. */
export const hooksOfLayer: typeof markLayer = markLayer;
