/** Invalid arguments; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError" as const;
}
