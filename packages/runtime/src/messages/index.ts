// Names of their own, so that a bundler keeps what loads late out of the first load; see permissions/index.ts.
import { redact as redactText, redactValue as redactAny } from "./redact.ts";
import { Redactor as TextRedactor } from "./redactor.ts";

/** `text` without the given secrets, in whatever form an address or a header carries them, and without anything that looks like a key. */
export const redact: typeof redactText = redactText;

/**
 * A copy of `value` that may be stored or shown: plain data without secrets, which are known by the name that they are
 * kept under (`apiKey`, `Authorization`, `refresh_token`) or as `redact` knows them. Cycles and functions are left out.
 */
export const redactValue: typeof redactAny = redactAny;

/**
 * Takes secrets out of what is stored or shown: those that are registered while they are in use, and whatever looks like
 * one, as `redact` and `redactValue` do.
 */
export const Redactor: typeof TextRedactor = TextRedactor;
export type Redactor = TextRedactor;
