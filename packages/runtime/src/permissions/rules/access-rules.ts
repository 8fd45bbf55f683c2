import type { AccessRules } from "../../ports/access.ts";
import { isWithin, normalizePath } from "../../ports/path.ts";
import { describeCall, type PermissionContext } from "../call.ts";
import { lookingEnvironment } from "../read-only/git/read-only-environment.ts";
import { isGitData, isSecretName, protectedName } from "../paths/file-names.ts";
import { isBroad, parsePattern, type PermissionPattern } from "./parse-pattern.ts";
import { concerns, foldSegments, forbiddenPaths, namesPath } from "./pattern.ts";
import { type PermissionLists, rulesOf } from "../permission.ts";
import { mayFetch } from "../command-lines/network-use.ts";
import { forbiddenWords, mayCoverWords } from "../command-lines/shell-match.ts";
import { launchesOf } from "../command-lines/shell-wrappers.ts";
import { isAboutAddresses, isAboutCommands, isAboutReading, isAboutWriting } from "./tool-facts.ts";
import { ADDRESSES } from "./tool-names.ts";
import { type Seen, worktreeRefusal } from "./worktree-refusal.ts";

export interface AccessRulesOptions extends Seen {
  lists: PermissionLists;
  cwd: string;
  /** The directories of the workspace; `cwd` alone when omitted. */
  roots?: readonly string[] | undefined;
  home?: string | undefined;
  /** Paths that the running call names itself, with links followed: they were judged with it. */
  named?: readonly string[] | undefined;
  /** True when a person has approved the running call, which answers ask rules. Deny rules stay. */
  isApproved?: boolean | undefined;
  /** Aliases as in `PermissionContext`. */
  aliases?: PermissionContext["aliases"] | undefined;
  /** The proof as in `PermissionContext`. */
  isReadOnly?: PermissionContext["isReadOnly"] | undefined;
}

interface Refusing {
  rule: string;
  pattern: PermissionPattern;
  /** Reports whether a path rule concerns this path. */
  isAbout(path: string, folded: string): boolean;
}

/** Maximum number of cached answers. */
const MAX_KEPT = 4096;

/**
 * The rules of a session for single files and commands, for code that opens or starts them. Denies what a rule denies;
 * also what a rule would ask about, since nobody can be asked in the middle of a command, and protected and secret
 * names.
 */
export function accessRules(options: AccessRulesOptions): AccessRules {
  const { lists, cwd, home, named = [], isApproved = false } = options;
  const { aliases, roots = [cwd] } = options;
  const context: PermissionContext = { cwd, roots, aliases, home };
  const anchor = { context };
  const refusing = (rule: string): Refusing[] => {
    const pattern = parsePattern(rule);
    if (!pattern) return [];
    const isAbout = isBroad(pattern) ? () => true : forbiddenPaths(pattern.argument ?? "", anchor);
    return [{ rule, pattern, isAbout }];
  };
  const forbidding = [...rulesOf(lists, "deny"), ...(isApproved ? [] : rulesOf(lists, "ask"))];
  const rules = forbidding.flatMap(({ rule }) => refusing(rule));
  const reading = rules.filter(({ pattern }) => isAboutReading(pattern));
  const writing = rules.filter(({ pattern }) => isAboutWriting(pattern));
  const running = rules.filter(({ pattern }) => isAboutCommands(pattern));
  const fetching = rules.filter(({ pattern }) => isAboutAddresses(pattern));
  const naming = rulesOf(lists, "allow")
    .flatMap(({ rule }) => refusing(rule))
    .filter(({ pattern }) => isAboutReading(pattern) && !(pattern.argument ?? "*").includes("*"));
  const kept = new Map<string, string | undefined>();

  const refusal = (path: string, kind: "read" | "write"): string | undefined => {
    const folded = foldSegments(path);
    const found = (kind === "read" ? reading : writing).find((rule) => rule.isAbout(path, folded));
    if (found) return refusedBy(found, kind, path);
    if (named.some((name) => speaksOf(name, path))) return undefined;
    if (kind === "write") {
      const name = protectedName(path);
      return name === undefined ? undefined : `${path} is protected: it is ${name}.`;
    }
    const isNamed = naming.some(({ pattern }) => namesPath(pattern, path, anchor));
    return isSecretName(path) && !isNamed
      ? `${path} is of a kind that holds keys or passwords; a rule that names it, or a person, can allow it.`
      : undefined;
  };

  const refusesFile: AccessRules["refusesFile"] = (path, kind) => {
    const plain = normalizePath(path);
    const key = `${kind} ${plain}`;
    if (!kept.has(key)) {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(key, refusal(plain, kind));
    }
    return kept.get(key);
  };

  return {
    refusesFile,
    refusesGitFile(path, kind) {
      const plain = normalizePath(path);
      if (kind === "read" || !isGitData(plain)) return refusesFile(plain, kind);
      const folded = foldSegments(plain);
      const found = writing.find((rule) => rule.isAbout(plain, folded));
      return found && refusedBy(found, kind, plain);
    },
    refusesWorktreeFile: worktreeRules(writing, refusesFile, options),
    refusesCommand(words) {
      if (words.length === 0 || running.length === 0) return undefined;
      const forms = [words];
      for (const launch of launchesOf(words)) if ("words" in launch) forms.push(launch.words);
      const found = running.find(
        ({ pattern }) =>
          isBroad(pattern) ||
          forbiddenWords(pattern.argument ?? "").some((wanted) =>
            forms.some((form) => mayCoverWords(wanted, form)),
          ),
      );
      return found && `The rule ${found.rule} forbids ${words.join(" ")}.`;
    },
    refusesAddress(url) {
      if (fetching.length === 0) return undefined;
      const call = describeCall(ADDRESSES, { url }, context);
      const found = fetching.find(({ rule }) => concerns(rule, call));
      return found && `The rule ${found.rule} forbids ${new URL(url).host}.`;
    },
    mayFetch,
    environmentFor: (line, env) => lookingEnvironment(line, env, options.isReadOnly),
  };
}

function worktreeRules(
  writing: readonly Refusing[],
  refusesFile: AccessRules["refusesFile"],
  seen: Seen,
): NonNullable<AccessRules["refusesWorktreeFile"]> {
  return (path, write) => {
    const plain = normalizePath(path);
    const byRule = (): string | undefined => {
      const found = writing.find((rule) => rule.isAbout(plain, foldSegments(plain)));
      return found && refusedBy(found, "write", plain);
    };
    const refused = refusesFile(plain, "write");
    return refused && worktreeRefusal(plain, refused, byRule, { ...seen, ...write });
  };
}

function refusedBy({ rule }: Refusing, kind: "read" | "write", path: string): string {
  return `The rule ${rule} forbids to ${kind} ${path}.`;
}

/** Reports whether a judged name covers a path: it is that path, or a directory that is itself protected or secret. */
function speaksOf(name: string, path: string): boolean {
  if (name === path) return true;
  return isWithin(name, path) && (protectedName(name) !== undefined || isSecretName(name));
}
