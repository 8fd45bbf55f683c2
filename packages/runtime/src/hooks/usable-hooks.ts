import { nearNames } from "../messages/near-names.ts";
import { type HookEvent, KNOWN_VALUES } from "./events.ts";
import { isForAll, type LoadedMatcher, prepareMatcher } from "./matcher.ts";
import {
  type CheckHooksOptions,
  type HookProblem,
  type ReadGroup,
  type ReadHooks,
  readHooks,
  refuseHooks,
  requireSyntax,
  unreadableMatcher,
} from "./read-hooks.ts";

export interface HookWarningsOptions extends CheckHooksOptions {
  /** Names of the existing tools. Without them, tool matchers are only checked for syntax. */
  tools?: Iterable<string> | undefined;
}

/**
 * Reads a configuration. Rejects the problems that `checkHooks` finds, and matchers that only the engine can reject.
 * @throws {ValidationError} with every problem and its position
 */
export async function readUsableHooks(
  config: unknown,
  options: CheckHooksOptions = {},
): Promise<ReadHooks> {
  const read = readHooks(config, options);
  requireSyntax(read);
  const problems: HookProblem[] = [];
  for (const groups of read.groups.values())
    for (const group of groups) {
      const matcher = prepareMatcher(group.matcher);
      const { problem } = matcher.loaded ?? (await matcher.load());
      if (problem !== undefined) problems.push(unreadableMatcher(group, problem));
    }
  refuseHooks(problems);
  return read;
}

/**
 * Lists the parts of a configuration without effect, or that block everything they guard: unreadable matchers, matchers
 * that match nothing, and hook types without an executor. Shown to people when it is loaded.
 */
export async function hookWarnings(
  config: unknown,
  { tools, types }: HookWarningsOptions = {},
): Promise<HookProblem[]> {
  const known = types && new Set(types);
  return warningsOfRead(readHooks(config, known && { types: known }), { tools, types: known });
}

/** The same for a configuration that was read with the same types. */
export async function warningsOfRead(
  { groups }: ReadHooks,
  { tools, types }: HookWarningsOptions,
): Promise<HookProblem[]> {
  const known = types && new Set(types);
  const names = tools && [...tools];
  const warnings: HookProblem[] = [];
  for (const [event, list] of groups) {
    const values = KNOWN_VALUES[event] ?? (isOfTools(event) ? names : undefined);
    for (const group of list) {
      const matcher = prepareMatcher(group.matcher);
      const loaded = matcher.loaded ?? (await matcher.load());
      warnings.push(...matcherWarning(group, loaded, values));
    }
    if (known) for (const group of list) warnings.push(...typeWarnings(group, known));
  }
  return warnings;
}

function isOfTools(event: HookEvent): boolean {
  return /Tool|Permission/.test(event);
}

function matcherWarning(
  group: ReadGroup,
  matcher: LoadedMatcher,
  values: readonly string[] | undefined,
): HookProblem[] {
  if (isForAll(group.matcher) || group.hooks.length === 0) return [];
  if (matcher.problem !== undefined) {
    const problem = unreadableMatcher(group, matcher.problem);
    return [{ ...problem, message: `${problem.message}. ${consequence(group)}` }];
  }
  if (!values || values.some((value) => matcher.matches(value))) return [];
  // Servers come and go, and without any of their tools nothing is known of the names.
  const isOfServers = group.matcher.includes("mcp__");
  if (isOfServers && !values.some((value) => value.startsWith("mcp__"))) return [];
  const near = nearNames(group.matcher, values);
  const meant = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  const message = `(${JSON.stringify(group.matcher)}) matches nothing.${meant}`;
  return [{ path: `${group.path}.matcher`, message }];
}

function consequence({ hooks }: ReadGroup): string {
  return hooks.some(({ onFailure }) => onFailure === "block")
    ? "Everything its hooks may guard is blocked"
    : "Its hooks do not run";
}

function typeWarnings({ hooks }: ReadGroup, types: ReadonlySet<string>): HookProblem[] {
  return hooks.flatMap(({ hook, path }) =>
    hook?.type.includes(":") && !types.has(hook.type)
      ? [{ path: `${path}.type`, message: `(${hook.type}) has no executor here` }]
      : [],
  );
}
