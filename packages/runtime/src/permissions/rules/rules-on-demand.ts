import type { AccessRules } from "../../ports/access.ts";

/** Rules that are read with the first question: most tools ask none. */
export function rulesOnDemand(read: () => AccessRules): AccessRules {
  let rules: AccessRules | undefined;
  const known = (): AccessRules => (rules ??= read());
  return {
    refusesFile: (path, kind) => known().refusesFile(path, kind),
    refusesGitFile(path, kind) {
      const rules = known();
      return rules.refusesGitFile
        ? rules.refusesGitFile(path, kind)
        : rules.refusesFile(path, kind);
    },
    refusesWorktreeFile(path, write) {
      const rules = known();
      return rules.refusesWorktreeFile
        ? rules.refusesWorktreeFile(path, write)
        : rules.refusesFile(path, "write");
    },
    refusesCommand: (words, cwd) => known().refusesCommand(words, cwd),
    refusesAddress: (url) => known().refusesAddress?.(url),
    mayFetch: (line) => known().mayFetch?.(line) ?? true,
    environmentFor: (line, env) => known().environmentFor?.(line, env) ?? {},
  };
}
