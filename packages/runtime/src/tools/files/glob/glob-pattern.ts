import { ToolFailure } from "../../failure.ts";
import { expandBraces } from "./braces.ts";
import { matchesPath, parseSegments, reach, type Segment } from "./path-segments.ts";

const MAX_PATTERN_LENGTH = 4096;

/** A glob pattern, ready to be asked about paths relative to where it starts. */
export interface GlobPattern {
  readonly matches: (path: string) => boolean;
  /** Reports whether anything below this directory can match, so that a walk can skip the others. */
  readonly mayHold: (directory: string) => boolean;
}

export interface GlobOptions {
  /** Lets wildcards match names that start with a dot. By default only a dot in the pattern does. */
  dot?: boolean | undefined;
}

/**
 * Compiles a pattern of `*`, `?`, `[…]`, `**` and braces, with their meaning in picomatch. Matching takes time
 * proportional to pattern times path, for any pattern: matchers that compile to a regular expression of the host take
 * minutes for `*a*a*a*a*b` on a long name.
 * @throws {ToolFailure} `invalid_pattern`
 */
export function compileGlob(pattern: string, options: GlobOptions = {}): GlobPattern {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new ToolFailure("invalid_pattern", "The glob pattern is too long.", {
      hint: `It may have up to ${MAX_PATTERN_LENGTH} characters.`,
    });
  }
  const extended = /[@?*+!]\([^)]*\|[^)]*\)|!\(/.exec(pattern);
  if (extended) {
    throw new ToolFailure(
      "invalid_pattern",
      `Extended globs are not supported: ${extended[0]} at position ${extended.index + 1}.`,
      { hint: "Use braces for alternatives, such as *.{ts,tsx}." },
    );
  }
  const negated = pattern.startsWith("!");
  const dot = options.dot ?? false;
  const alternatives = expandBraces(negated ? pattern.slice(1) : pattern).map(segmentsOf);
  const found = (path: string) => alternatives.some((segments) => matchesPath(segments, path, dot));
  if (negated) return { matches: (path) => !found(path), mayHold: () => true };
  return {
    matches: found,
    mayHold(directory) {
      const names = directory.split("/");
      return alternatives.some((segments) =>
        reach(segments, names, dot).some((position) => position < segments.length),
      );
    },
  };
}

/** The directory that a pattern names before its first wildcard, and the pattern from there. */
export function splitGlob(pattern: string): { base: string; rest: string } {
  const segments = pattern.split("/");
  const magic = segments.findIndex((segment) => /[*?[\]{}\\!]/.test(segment));
  const length = magic === -1 ? segments.length - 1 : magic;
  const base = segments.slice(0, length).join("/");
  return {
    base: base === "" && pattern.startsWith("/") && length > 0 ? "/" : base,
    rest: segments.slice(length).join("/"),
  };
}

function segmentsOf(pattern: string): Segment[] {
  if (pattern.split("/").includes("..")) {
    throw new ToolFailure("invalid_pattern", `A glob pattern can't have .. after a wildcard.`, {
      hint: "Name the directory to start from in `path`.",
    });
  }
  return parseSegments(pattern);
}
