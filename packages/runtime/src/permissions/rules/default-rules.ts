/** Paths that every session of a workspace may read without approval: notes for agents. */
export const DEFAULT_ALLOW_PATTERNS: readonly string[] = [
  "Read(.agents/**)",
  "Read(.claude/**)",
  "Read(.robota/**)",
  "Glob(.agents/**)",
  "Glob(.claude/**)",
  "Glob(.robota/**)",
];
