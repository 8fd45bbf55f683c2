import { defined } from "../defined.ts";
import type { JsonObject, JsonValue } from "../messages/message.ts";
import type { HookEvent } from "./events.ts";
import { isSilent, type Verdict } from "./read-result.ts";
import type { HookPermissionDecision, HookResult } from "./result.ts";

/** The combined result of one event's hooks. */
export interface HookOutcome {
  /**
   * True when the action must not happen. At `Stop` and `SubagentStop` the action is the end: the agent continues with
   * `reason`.
   */
  blocked: boolean;
  /** The reasons of every hook that blocks. */
  reason?: string;
  /** Messages for a person: failed hooks, and hooks' own messages. Without keys. */
  warnings: readonly string[];
  /** The results of the hooks that ran, in the order of the configuration. Unredacted, so not for logs. */
  results: readonly HookResult[];
  /** Texts for the model, joined by empty lines. */
  additionalContext?: string;
  /** The tool's input as the last hook that changes it wants it. Rules must be asked again about it. */
  updatedInput?: JsonObject;
  updatedToolOutput?: JsonValue;
  /** `deny` beats `ask` beats `allow`, from any hook. A rule that denies or asks beats a hook's `allow`. */
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  /** A hook ends the turn. */
  stopped: boolean;
  stopReason?: string;
  /** A denied call may be tried again. */
  retry?: boolean;
  suppressOutput?: boolean;
}

/** The contribution of one hook that ran, or failed to. */
export interface HookReport {
  label: string;
  result: HookResult;
  verdict: Verdict;
  onFailure: "block" | "warn";
}

/** The outcome without hooks. */
export const NO_OUTCOME: HookOutcome = Object.freeze({
  blocked: false,
  warnings: Object.freeze([]),
  results: Object.freeze([]),
  stopped: false,
});

const ORDER: readonly HookPermissionDecision[] = ["allow", "ask", "deny"];
const DECIDES_PERMISSION: ReadonlySet<HookEvent> = new Set(["PreToolUse", "PermissionRequest"]);
/** A block there keeps the agent going, so an end that a hook wants must win over it. */
const BLOCK_GOES_ON: ReadonlySet<HookEvent> = new Set(["Stop", "SubagentStop"]);

/** Combines the reports in their order, independent of which hook answered first. */
export function combine(
  event: HookEvent,
  reports: readonly HookReport[],
  warnings: readonly string[] = [],
): HookOutcome {
  // Most hooks only look on.
  if (warnings.length === 0 && reports.every(({ verdict }) => isSilent(verdict)))
    return { blocked: false, warnings: [], results: reports.map(resultOf), stopped: false };
  const blocks = reports.flatMap((report) => blockReason(report) ?? []);
  const stops = reports.flatMap(({ verdict, label }) =>
    verdict.stop ? [verdict.stop.reason || `${label} ended the turn`] : [],
  );
  const stopped = stops.length > 0;
  const blocked = BLOCK_GOES_ON.has(event)
    ? blocks.length > 0 && !stopped
    : blocks.length > 0 || stopped;
  const contexts = reports.flatMap(({ verdict }) => verdict.additionalContext ?? []);
  const updatedInput = last(reports, "updatedInput");
  const updatedToolOutput = last(reports, "updatedToolOutput");
  return {
    blocked,
    ...defined({ reason: blocked ? [...new Set([...blocks, ...stops])].join("\n") : undefined }),
    warnings: [...warnings, ...reports.flatMap(warningsOf)],
    results: reports.map(resultOf),
    ...defined({
      additionalContext: contexts.length > 0 ? contexts.join("\n\n") : undefined,
      updatedInput,
      updatedToolOutput,
    }),
    ...(DECIDES_PERMISSION.has(event) && permission(reports, blocked)),
    stopped,
    ...defined({
      stopReason: stopped ? stops.join("\n") : undefined,
      retry: reports.some(({ verdict }) => verdict.retry) || undefined,
      suppressOutput: reports.some(({ verdict }) => verdict.suppressOutput) || undefined,
    }),
  };
}

function resultOf({ result }: HookReport): HookResult {
  return result;
}

function blockReason({ verdict, label, onFailure }: HookReport): string | undefined {
  if (verdict.block) return verdict.block.reason || `Blocked by ${label}`;
  if (verdict.problem === undefined || onFailure === "warn") return undefined;
  return `${label} ${verdict.problem}, so it blocks what it guards`;
}

function warningsOf({ verdict, label }: HookReport): string[] {
  const { problem, systemMessage } = verdict;
  return [
    ...(problem === undefined ? [] : [`${label} ${problem}`]),
    ...(systemMessage === undefined ? [] : [systemMessage]),
  ];
}

function permission(
  reports: readonly HookReport[],
  blocked: boolean,
): Pick<HookOutcome, "permissionDecision" | "permissionDecisionReason"> {
  if (blocked) return { permissionDecision: "deny" };
  const said = reports.flatMap(({ verdict }) => verdict.permission ?? []);
  const rank = Math.max(...said.map(({ decision }) => ORDER.indexOf(decision)));
  const decision = ORDER[rank];
  if (!decision) return {};
  const reason = said.find((answer) => answer.decision === decision && answer.reason)?.reason;
  return defined({
    permissionDecision: decision,
    permissionDecisionReason: reason,
  });
}

function last<Field extends "updatedInput" | "updatedToolOutput">(
  reports: readonly HookReport[],
  field: Field,
): Verdict[Field] | undefined {
  return reports.findLast(({ verdict }) => verdict[field] !== undefined)?.verdict[field];
}
