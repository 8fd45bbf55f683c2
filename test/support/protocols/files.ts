/** A PNG image of one pixel, in Base64. */
export const DOT_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A file of no kind that models take. */
export const ARCHIVE = btoa("PK\u0003\u0004\u0000\u0000\u0000\u0000");
