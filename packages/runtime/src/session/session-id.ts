import { ValidationError } from "../errors.ts";

/** The form of ids, which are segments of names in storage and parts of addresses. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws {ValidationError} when `id` can't be the id of a session */
export function requireSessionId(id: string): void {
  if (SESSION_ID.test(id)) return;
  throw new ValidationError(`${JSON.stringify(id)} is not a session id`, {
    hint: "Use 1 to 64 letters, digits, _ or -.",
  });
}
