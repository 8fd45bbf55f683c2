/** An error as it is; anything else that was thrown as the text of one. */
export function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
