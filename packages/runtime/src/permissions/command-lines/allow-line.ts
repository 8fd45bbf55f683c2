import { isWithin } from "../../ports/path.ts";
import { type PermissionCall, shellForms } from "../call.ts";
import { isBroad, parsePattern, type PermissionPattern } from "../rules/parse-pattern.ts";
import { rulesForPlace } from "../rules/pattern.ts";
import { READING, WRITING } from "../rules/tool-names.ts";
import type { PermissionMode } from "../permission.ts";
import { isBeyondProof, unwrapped } from "./shell-launchers.ts";
import { coversWords, wordsOf } from "./shell-match.ts";
import type { PlainCommand } from "./shell-words.ts";
import { wildcard } from "../rules/wildcard.ts";
import { isPlainPlace, strangeRepository } from "../paths/workspace.ts";

interface ShellRule {
  rule: string;
  pattern: PermissionPattern;
}

/** The reason a line runs without approval: rules, or read-only use of the workspace. */
export interface LineAllowance {
  rules: string[];
}

/**
 * Decides whether a shell line is allowed. A rule without `*` allows exactly its line. Otherwise a rule must cover
 * every command, or the command must be read-only; every redirection must go to a permitted file, and every part must
 * be provable.
 */
export function allowLine(
  rules: readonly string[],
  call: PermissionCall,
  mode: PermissionMode,
  mayLookDeep: boolean,
): LineAllowance | undefined {
  const { value } = call;
  const forShell = rules.flatMap((rule): ShellRule[] => {
    const pattern = parsePattern(rule);
    return pattern && wildcard(pattern.tool, call.tool) ? [{ rule, pattern }] : [];
  });
  const whole = forShell.find(({ pattern }) => {
    if (isBroad(pattern)) return true;
    const { argument = "" } = pattern;
    return !argument.includes("*") && argument.trim() === value?.trim();
  });
  if (whole) return { rules: [whole.rule] };
  const commands = call.plain();
  if (!commands) return undefined;
  const patterns = forShell.flatMap(({ rule, pattern: { argument = "" } }) =>
    isSpelledOut(argument) ? [] : [{ rule, words: wordsOf(argument) }],
  );
  const used = new Set<string>();
  for (const command of commands) {
    const covering =
      coveredBy(patterns, command.words) ??
      (onlyLooks(command, call, mayLookDeep) ? [] : undefined);
    const redirecting = covering && redirectRules(rules, command, call, mode);
    if (!covering || !redirecting) return undefined;
    for (const rule of [...covering, ...redirecting]) used.add(rule);
  }
  return { rules: [...used] };
}

function coveredBy(
  patterns: readonly { rule: string; words: readonly string[] }[],
  words: readonly string[],
): string[] | undefined {
  for (const form of [words, unwrapped(words)]) {
    if (isBeyondProof(form)) continue;
    const found = patterns.find(({ words: pattern }) => coversWords(pattern, form));
    if (found) return [found.rule];
  }
  return undefined;
}

/** Reports whether a command can only read files in the workspace that hold no secrets. */
function onlyLooks(
  { words, hasGlob }: PlainCommand,
  call: PermissionCall,
  mayLookDeep: boolean,
): boolean {
  const { roots, isReadOnly } = call.context;
  if (!roots || !isReadOnly) return false;
  const inner = unwrapped(words);
  const look = isReadOnly(inner, hasGlob);
  if (!look || (look.isDeep && !mayLookDeep)) return false;
  const starts = call.directories();
  if (!starts?.every((start) => roots.some((root) => isWithin(root, start)))) return false;
  if (inner[0] === "git" && strangeRepository(call)) return false;
  return look.files.every((file) => {
    const forms = shellForms(file, call);
    if (look.showsHidden && forms?.some((form) => holds(form, [...starts, ...roots]))) return false;
    if (look.isDeep && forms?.some((form) => isHidden(form, roots))) return false;
    return isPlainPlace(forms ? { forms } : {}, call);
  });
}

/** Reports whether a directory is one of these, or above one. */
function holds(directory: string, places: readonly string[]): boolean {
  return places.some((place) => isWithin(directory, place));
}

/** Reports whether a path is in a directory of the workspace where programs keep settings and keys. */
function isHidden(path: string, roots: readonly string[]): boolean {
  return roots.some(
    (root) => isWithin(root, path) && /(?:^|\/)\.(?!github(?:\/|$))/.test(path.slice(root.length)),
  );
}

const HARMLESS_TARGET = /^\/dev\/(?:null|stdout|stderr)$/;

/** The rules that let a command's redirections be; none needed where the mode would let the file tools do the same. */
function redirectRules(
  rules: readonly string[],
  { redirects }: PlainCommand,
  call: PermissionCall,
  mode: PermissionMode,
): string[] | undefined {
  const used: string[] = [];
  for (const { operator, target } of redirects) {
    if (HARMLESS_TARGET.test(target)) continue;
    const forms = shellForms(target, call);
    const place = forms ? { forms } : {};
    const isRead = operator === "<";
    const found = rulesForPlace(rules, isRead ? [READING] : WRITING, place, call);
    if (found) used.push(...found);
    // Protected names were handled before.
    const isOpen =
      isPlainPlace(place, call) &&
      (isRead || mode === "acceptEdits" || mode === "bypassPermissions");
    if (!found && !isOpen) return undefined;
  }
  return used;
}

/** A line with quotes or operators and no `*` stands for itself as a whole; its pieces are not words to match. */
function isSpelledOut(argument: string): boolean {
  return !argument.includes("*") && /[^\w@%+=:,./^~ \t-]/.test(argument);
}
