// Limits that the descriptions of tools name. The tools' code, which calls load, keeps to them.

/** Milliseconds of a command of Bash. */
export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
/** Files beyond this are not searched. */
export const MAX_SEARCHED_BYTES = 10_000_000;
/** The same where a match may have several lines: then a file is one text, and nothing else runs while it is tried. */
export const MAX_MULTILINE_BYTES = 1_000_000;
/** Default number of lines of Read. */
export const DEFAULT_LINES = 2000;
/** The image size that models accept, before Base64 adds a third. */
export const MAX_IMAGE_BYTES = 3_750_000;
/** A document goes to the model again with each request, and all of a request may have about 30 MB. */
export const MAX_DOCUMENT_BYTES = 10_000_000;
