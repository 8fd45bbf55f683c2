/** Default number of lines of Read. */
export const DEFAULT_LINES = 2000;
