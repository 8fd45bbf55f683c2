import { ConfigurationError, ValidationError } from "../errors.ts";
import type { Content } from "../messages/message.ts";
import { isContent } from "../messages/is-content.ts";

/** @throws {ValidationError} for a prompt that is neither text nor parts, such as a missing argument of the command line */
export function requirePrompt(prompt: Content): void {
  if (isContent(prompt)) return;
  throw new ValidationError(`A prompt is text or parts, not ${typeof prompt}`, {
    hint: 'A part is { type: "text", text: "…" }, or an image or a file.',
  });
}

/**
 * Fails for limits that nothing ever reaches, such as NaN for a variable that is not set.
 * @throws {ConfigurationError} that names the option
 */
export function requireLimits(limits: Readonly<Record<string, number | undefined>>): void {
  for (const name of Object.keys(limits)) {
    const limit = limits[name];
    if (limit === undefined || (typeof limit === "number" && limit >= 0)) continue;
    throw new ConfigurationError(`The option ${name} is ${String(limit)}`, {
      hint: "Give a number that is not negative, or leave it out.",
    });
  }
}
