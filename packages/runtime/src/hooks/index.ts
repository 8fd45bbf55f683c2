import { checkHooks as readAndCheck } from "./read-hooks.ts";

/**
 * The configuration with nothing in it but what hooks know, for settings and other input that is not typed. It has a name
 * of its own here so that a bundler keeps it out of the first load of sessions, which load hooks only when they have some.
 * @throws {ValidationError} with everything that is wrong, and where
 */
export const checkHooks: typeof readAndCheck = readAndCheck;
