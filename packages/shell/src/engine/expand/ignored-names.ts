import { matches, type MatchOptions } from "../patterns/match.ts";
import { parsePattern } from "../patterns/pattern.ts";

const BRACKETED = /\[[!^]?\]?(?:\[[:.=][^\]]*\]|\\[^]|[^\]])*\]/y;
const GROUP = /[?*+@!]\((?:\\[^]|[^)])*\)/y;

/** Reports whether a path is one that the patterns of `GLOBIGNORE` leave out, as they do `.` and `..`. */
export function ignoredBy(source: string, options: ReadonlySet<string>): (path: string) => boolean {
  if (source === "") return () => false;
  const match: MatchOptions = { ignoresCase: options.has("nocaseglob") };
  const hasExtendedPatterns = options.has("extglob");
  const patterns = splitPatterns(source, hasExtendedPatterns).map((pattern) =>
    pattern.split("/").map((segment) => parsePattern(segment, { hasExtendedPatterns })),
  );
  return (path) => {
    if (/(?:^|\/)\.\.?$/.test(path)) return true;
    const segments = path.split("/");
    // No pattern matches a slash but by one of its own.
    return patterns.some(
      (pattern) =>
        pattern.length === segments.length &&
        pattern.every((segment, at) => matches(segment, segments[at] ?? "", match)),
    );
  };
}

/** Splits at the colons that are outside of brackets and groups. */
function splitPatterns(source: string, hasGroups: boolean): string[] {
  const patterns = [""];
  for (let at = 0; at < source.length;) {
    const piece = pieceAt(source, at, hasGroups ? [BRACKETED, GROUP] : [BRACKETED]);
    at += piece.length;
    if (piece === ":") patterns.push("");
    else patterns.push((patterns.pop() ?? "") + piece);
  }
  return patterns.filter((pattern) => pattern !== "");
}

function pieceAt(source: string, at: number, wholes: readonly RegExp[]): string {
  if (source[at] === "\\") return source.slice(at, at + 2);
  for (const whole of wholes) {
    whole.lastIndex = at;
    const [found] = whole.exec(source) ?? [];
    if (found !== undefined) return found;
  }
  return source.charAt(at);
}
