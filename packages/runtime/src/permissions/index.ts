// What programs judge calls with, without a session. A session loads the same functions with `engine.ts` when it opens. They
// have names of their own here because a bundler puts what is exported from where it is defined into every first load.
import { accessRules as readAccessRules } from "./rules/access-rules.ts";
import { checkRules as checkAllRules } from "./rules/check-rules.ts";
import { DEFAULT_ALLOW_PATTERNS as NOTES_FOR_AGENTS } from "./rules/default-rules.ts";
import {
  evaluatePermission as evaluate,
  explainPermission as explain,
  MODE_POLICY as POLICY_BY_MODE,
  UNKNOWN_TOOL_FALLBACK as POLICY_FOR_UNKNOWN,
} from "./evaluate.ts";
import { explainOnFiles as explainWithFiles } from "./paths/explain-on-files.ts";
import { PERMISSION_MODES as MODES, TRUST_TO_MODE as MODE_BY_TRUST } from "./permission.ts";
import { resolvePaths as followPaths } from "./paths/real-paths.ts";
import { permissionWarnings as warningsOf } from "./rules/rule-warnings.ts";
import { suggestPattern as narrowestRule } from "./rules/suggest.ts";
import { visibleText as showAll } from "./visible-text.ts";

export type { AccessRulesOptions } from "./rules/access-rules.ts";
export type { PermissionExplanation } from "./evaluate.ts";
export type { ExplainedOnFiles } from "./paths/explain-on-files.ts";
export type { ResolvedPaths } from "./paths/real-paths.ts";
export type { RuleWarning } from "./rules/rule-warnings.ts";

/**
 * The rules of a session for single files and commands, for whoever opens or starts them. What a rule forbids is
 * refused; so is what a rule would ask about, and what has a protected or a secret name.
 */
export const accessRules: typeof readAccessRules = readAccessRules;

/**
 * Fails when one of the lists holds something that is no rule, or when a rule does not do what its examples say.
 * @throws {ValidationError} that names the rule
 */
export const checkRules: typeof checkAllRules = checkAllRules;

/**
 * Whether a call runs at once, needs a person's approval, or does not run: deny rules, ask rules, allow rules, then the
 * mode. Rules for command lines go by the text alone: they save prompts, and do not contain a program that runs.
 * A deny or ask rule that does not parse counts for every call of the tool it begins with. With `context.roots`, what
 * is protected or lies outside of the workspace asks as well, and nothing opens a change in plan mode.
 */
export const evaluatePermission: typeof evaluate = evaluate;

/** The same decision with the step, the rule and the part of a command that made it. */
export const explainPermission: typeof explain = explain;

/**
 * As `explainPermission`, with every path followed to where it really leads. A rule that allows must hold for the path
 * and for where it leads; one that forbids, for either.
 */
export const explainOnFiles: typeof explainWithFiles = explainWithFiles;

/** What each mode decides for the built-in tools when no rule does. */
export const MODE_POLICY: typeof POLICY_BY_MODE = POLICY_BY_MODE;

/** What each mode decides for tools it does not know. */
export const UNKNOWN_TOOL_FALLBACK: typeof POLICY_FOR_UNKNOWN = POLICY_FOR_UNKNOWN;

/** Every absolute path that paths lead to when links are followed; `undefined` where that can't be told. */
export const resolvePaths: typeof followPaths = followPaths;

/** The narrowest rule that lets the same call through again; `undefined` when no rule can say just that. */
export const suggestPattern: typeof narrowestRule = narrowestRule;

/** What every session of a workspace may read without asking: the notes that people keep there for agents. */
export const DEFAULT_ALLOW_PATTERNS: typeof NOTES_FOR_AGENTS = NOTES_FOR_AGENTS;

export const PERMISSION_MODES: typeof MODES = MODES;

export const TRUST_TO_MODE: typeof MODE_BY_TRUST = MODE_BY_TRUST;

/**
 * A text as a person should see it before deciding: what can't be seen or would disturb the view is written as
 * `\u{202e}`. Line breaks and tabs stay, unless `singleLine` says that they are to be seen as `\n` and `\t`.
 */
export const visibleText: typeof showAll = showAll;

/** Rules that match more, or less, than a reader would think, each with what it really does. */
export const permissionWarnings: typeof warningsOf = warningsOf;
