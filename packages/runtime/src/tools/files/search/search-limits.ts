/** Files beyond this are not searched. */
export const MAX_SEARCHED_BYTES = 10_000_000;
/** The same where a match may have several lines: then a file is one text, and nothing else runs while it is tried. */
export const MAX_MULTILINE_BYTES = 1_000_000;
