import { ignore } from "#isomorphic-git";
import { join, readText, type Repository } from "./repository.ts";

interface Rules {
  /** The directory of the rules: empty or ending in `/`. */
  base: string;
  readonly test: (path: string) => { ignored: boolean; unignored: boolean };
}

export interface IgnoreRules {
  /** Reports whether a path is ignored, given that its directory is not; a directory's name ends in `/`. */
  isIgnored(path: string): boolean;
  /** Adds the `.gitignore` of a subdirectory: empty or ending in `/`. */
  inside(directory: string): Promise<IgnoreRules>;
}

/** Reads the rules of `.git/info/exclude`, of the user's `~/.config/git/ignore` and of the root's `.gitignore`. */
export async function ignoreRules(repo: Repository): Promise<IgnoreRules> {
  const home = repo.context.env["HOME"];
  const person =
    home === undefined ? undefined : await readText(repo.fs, join(home, ".config/git/ignore"));
  const own = await readText(repo.fs, join(repo.gitdir, "info/exclude"));
  const start = [person, own].flatMap((text) => (text ? [rulesOf("", text)] : []));
  return over(repo, start).inside("");
}

function rulesOf(base: string, text: string): Rules {
  const rules = ignore().add(text);
  return { base, test: (path) => rules.test(path) };
}

function over(repo: Repository, all: readonly Rules[]): IgnoreRules {
  return {
    isIgnored(path) {
      // The nearest rules that match decide.
      for (const { base, test } of all.toReversed()) {
        const { ignored, unignored } = test(path.slice(base.length));
        if (ignored || unignored) return ignored;
      }
      return false;
    },
    async inside(directory) {
      const text = await readText(repo.fs, join(repo.dir, `${directory}.gitignore`));
      return text === undefined ? over(repo, all) : over(repo, [...all, rulesOf(directory, text)]);
    },
  };
}
