import { patternToRegExp } from "../shell-pattern.ts";

/** Extracts the patterns of `-x` and `-i`, which take every word up to the next option. */
export function splitPatterns(args: readonly string[]): {
  own: string[];
  patterns: Record<"x" | "i", RegExp[]>;
} {
  const own: string[] = [];
  const patterns: Record<"x" | "i", RegExp[]> = { x: [], i: [] };
  let open: "x" | "i" | undefined;
  for (const arg of args) {
    if (arg === "-x" || arg === "-i") open = arg === "-x" ? "x" : "i";
    else if (arg.startsWith("-")) {
      open = undefined;
      own.push(arg);
    } else if (open) patterns[open].push(patternToRegExp(arg));
    else own.push(arg);
  }
  return { own, patterns };
}
