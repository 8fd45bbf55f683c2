import { ValidationError } from "../errors.ts";
import { nameHint } from "../messages/near-names.ts";
import type { HookGroup, HooksConfig } from "./definition.ts";
import { HOOK_EVENTS, type HookEvent, isHookEvent } from "./events.ts";
import { matcherSyntaxProblem } from "./matcher.ts";
import { Fields, readHook, type ReadHook } from "./read-hook.ts";

/** `path` is its position, such as `PreToolUse[0].hooks[1]`. */
export type LocatedHook = ReadHook & { path: string };

export interface ReadGroup {
  /** Its position, such as `PreToolUse[0]`. */
  path: string;
  matcher: string;
  hooks: LocatedHook[];
}

export interface HookProblem {
  /** The field's position, such as `PreToolUse[0].hooks[1].timeout`. */
  path: string;
  message: string;
}

export interface ReadHooks {
  groups: ReadonlyMap<HookEvent, readonly ReadGroup[]>;
  problems: readonly HookProblem[];
}

export interface CheckHooksOptions {
  /** Hook types with custom executors. */
  types?: Iterable<string> | undefined;
}

/** Reads a configuration as far as possible, and lists the problems. Does not check matchers. Never throws. */
export function readHooks(config: unknown, { types = [] }: CheckHooksOptions = {}): ReadHooks {
  const known = new Set(types);
  const groups = new Map<HookEvent, ReadGroup[]>();
  const problems: HookProblem[] = [];
  const events = new Fields(config);
  if (!events.isObject) problems.push({ path: "hooks", message: "must be an object" });
  for (const [event, value] of Object.entries(events.all())) {
    if (!isHookEvent(event)) {
      problems.push({
        path: event,
        message: `is not a hook event. ${nameHint(event, HOOK_EVENTS)}`,
      });
    } else if (Array.isArray(value)) {
      groups.set(
        event,
        value.map((group: unknown, index) =>
          readGroup(group, { path: `${event}[${index}]`, types: known, problems }),
        ),
      );
    } else if (value !== undefined) {
      problems.push({ path: event, message: "must be a list of groups" });
    }
  }
  return { groups, problems };
}

function readGroup(
  raw: unknown,
  place: { path: string; types: ReadonlySet<string>; problems: HookProblem[] },
): ReadGroup {
  const { path, types, problems } = place;
  const group = new Fields(raw);
  const hooks = group.get("hooks");
  if (!group.isObject) problems.push({ path, message: "must be an object with hooks" });
  else if (!Array.isArray(hooks))
    problems.push({ path: `${path}.hooks`, message: "must be a list" });
  // The scope of an unreadable matcher is unknown, so its hooks run for everything.
  const matcher = group.text("matcher") ?? "";
  group.refuseMisspelt(["matcher", "hooks"]);
  for (const { field, message } of group.problems)
    problems.push({ path: `${path}.${field}`, message });
  const list: readonly unknown[] = Array.isArray(hooks) ? hooks : [];
  const read = list.map((hook, index) => ({
    ...readHook(hook, types),
    path: `${path}.hooks[${index}]`,
  }));
  for (const hook of read) {
    for (const { field, message } of hook.problems) {
      problems.push({ path: field === "" ? hook.path : `${hook.path}.${field}`, message });
    }
  }
  return { path, matcher, hooks: read };
}

/**
 * Validates a configuration from settings or other untyped input, and returns known fields only.
 * @throws {ValidationError} with every problem and its position
 */
export function checkHooks(config: unknown, options: CheckHooksOptions = {}): HooksConfig {
  return usableHooks(readHooks(config, options));
}

function usableHooks(read: ReadHooks): HooksConfig {
  requireSyntax(read);
  return Object.fromEntries(Array.from(read.groups, ([event, list]) => [event, list.map(toGroup)]));
}

/** The check of a configuration that was read. Throws as `checkHooks`. */
export function requireSyntax({ groups, problems }: ReadHooks): void {
  refuseHooks([...problems, ...[...groups.values()].flat().flatMap(matcherProblem)]);
}

/** @throws {ValidationError} when there are problems */
export function refuseHooks(problems: readonly HookProblem[]): void {
  if (problems.length === 0) return;
  const list = problems.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new ValidationError(`The hooks can't be used: ${list}`, {
    hint: 'A group is { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "…" }] }.',
  });
}

function matcherProblem({ path, matcher }: ReadGroup): HookProblem[] {
  const problem = matcherSyntaxProblem(matcher);
  return problem === undefined ? [] : [unreadableMatcher({ path, matcher }, problem)];
}

export function unreadableMatcher(
  { path, matcher }: Pick<ReadGroup, "path" | "matcher">,
  problem: string,
): HookProblem {
  const message = `(${JSON.stringify(matcher)}) can't be read: ${problem}. It is a list of names such as Edit|Write, or a regular expression in the syntax of RE2`;
  return { path: `${path}.matcher`, message };
}

function toGroup({ matcher, hooks }: ReadGroup): HookGroup {
  return { matcher, hooks: hooks.flatMap(({ hook }) => hook ?? []) };
}
