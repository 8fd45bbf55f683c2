/** How many lines Read shows when it is not told. */
export const DEFAULT_LINES = 2000;
