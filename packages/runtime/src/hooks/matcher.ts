import { errorMessage } from "../errors.ts";
import { compileLinePattern } from "../tools/files/search/line-pattern.ts";

/** Characters that make a matcher an expression, not names joined by `|`. */
const SPECIAL = /[\\^$.?*+()[\]{}]/;
/** A prefix of an MCP tool's name: no tool can have exactly that name. */
const PART_OF_MCP_NAME = /^mcp__(?!.+__.)/;

export interface PreparedMatcher {
  /** Present before `load` where no engine is needed. */
  readonly loaded: LoadedMatcher | undefined;
  /** `undefined`: not known before `load`, nor when the matcher can't be read. */
  known(text: string): boolean | undefined;
  load(): Promise<LoadedMatcher>;
}

export interface LoadedMatcher {
  matches(text: string): boolean;
  /** Set for an unreadable matcher, which matches nothing. */
  problem?: string;
}

/**
 * Prepares a group's matcher. Names joined by `|` match exactly. Anything else is an unanchored regular expression for
 * the linear-time engine that searches use, so that no pattern can block a session; the engine loads with the first of
 * them.
 */
export function prepareMatcher(matcher: string): PreparedMatcher {
  if (isForAll(matcher)) return fixed(() => true);
  if (!SPECIAL.test(matcher)) return fixed(namesMatcher(matcher));
  let loading: Promise<LoadedMatcher> | undefined;
  const prepared: PreparedMatcher & { loaded: LoadedMatcher | undefined } = {
    loaded: undefined,
    known(text) {
      const { loaded } = prepared;
      return loaded?.problem === undefined ? loaded?.matches(text) : undefined;
    },
    load: () => (loading ??= compile(matcher).then((result) => (prepared.loaded = result))),
  };
  return prepared;
}

export function isForAll(matcher: string): boolean {
  return matcher === "" || matcher === "*";
}

/**
 * Returns why a matcher can't be read, as far as that shows without the engine: lookaround, back-references, and errors
 * in every dialect. `PreparedMatcher.load` decides.
 */
export function matcherSyntaxProblem(matcher: string): string | undefined {
  if (isForAll(matcher) || !SPECIAL.test(matcher)) return undefined;
  const bare = matcher.replaceAll(/\\[^]/g, (escaped) => (/\d/.test(escaped) ? escaped : "_"));
  if (/\(\?<?[=!]/.test(bare)) return "lookaround is not available";
  if (/\\[1-9](?![0-7])/.test(bare)) return "back-references are not available";
  // Quoted text and groups with names or flags are written differently in the host's dialect.
  if (/\\Q/.test(matcher)) return undefined;
  const source = matcher.replaceAll(/\(\?[a-zA-Z-]*\)/g, "").replaceAll(/\(\?[^:)]*?[:>]/g, "(?:");
  try {
    return new RegExp(source) instanceof RegExp ? undefined : "it can't be read";
  } catch (error) {
    return errorMessage(error);
  }
}

function fixed(matches: (text: string) => boolean): PreparedMatcher {
  const loaded = { matches };
  return { loaded, known: matches, load: async () => loaded };
}

function namesMatcher(matcher: string): (text: string) => boolean {
  const parts = matcher.split("|").map((part) => part.trim());
  const fragments = parts.filter((part) => PART_OF_MCP_NAME.test(part));
  return (text) => parts.includes(text) || fragments.some((fragment) => text.includes(fragment));
}

async function compile(matcher: string): Promise<LoadedMatcher> {
  try {
    return { matches: (await compileLinePattern(matcher)).matches };
  } catch (error) {
    return { matches: () => false, problem: errorMessage(error) };
  }
}
