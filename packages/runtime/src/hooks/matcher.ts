import { errorMessage } from "../errors.ts";
import { compileLinePattern } from "../tools/files/line-pattern.ts";

/** What makes a matcher more than names joined by `|`. */
const SPECIAL = /[\\^$.?*+()[\]{}]/;

export interface PreparedMatcher {
  /** `undefined`: not known before `load`. */
  known(text: string): boolean | undefined;
  load(): Promise<LoadedMatcher>;
}

interface LoadedMatcher {
  matches(text: string): boolean;
  /** Why the matcher is compared as a plain text. */
  problem?: string;
}

/**
 * Reads a group's matcher. Names need no engine; a regular expression loads the one with linear time that searches use, so
 * that no pattern can hold a session up. One that is invalid is compared as a plain text.
 */
export function prepareMatcher(matcher: string): PreparedMatcher {
  if (matcher === "" || matcher === "*") return fixed(() => true);
  if (!SPECIAL.test(matcher)) {
    const names = new Set(matcher.split("|").map((name) => name.trim()));
    return fixed((text) => names.has(text));
  }
  let loaded: LoadedMatcher | undefined;
  let loading: Promise<LoadedMatcher> | undefined;
  return {
    known: (text) => loaded?.matches(text),
    load: () => (loading ??= compile(matcher).then((result) => (loaded = result))),
  };
}

function fixed(matches: (text: string) => boolean): PreparedMatcher {
  const loaded = Promise.resolve({ matches });
  return { known: matches, load: () => loaded };
}

async function compile(matcher: string): Promise<LoadedMatcher> {
  try {
    // Alone first: what is wrong on its own could be right between the brackets that are put around it.
    await compileLinePattern(matcher);
    return { matches: (await compileLinePattern(`^(?:${matcher})$`)).matches };
  } catch (error) {
    const problem = `The matcher ${JSON.stringify(matcher)} is compared as a plain text: ${errorMessage(error)}`;
    return { matches: (text) => text === matcher, problem };
  }
}
