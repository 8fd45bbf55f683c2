/** Beginning of a fragment that holds a session. */
export const PREFIX = "#/import/";
