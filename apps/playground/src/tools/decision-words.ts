import type { AutomaticDecision, ToolItem } from "@robota/react/store";
import type { PermissionDecisionRecord } from "@robota/runtime/permissions";

/** One fact about a decision. */
export interface DecisionFact {
  term: string;
  text: string;
  /** The text is a rule or a command. */
  isCode?: boolean;
}

const deciders: Readonly<Record<PermissionDecisionRecord["by"], string>> = {
  person: "You",
  handler: "The program's handler",
  rule: "A rule",
  mode: "The permission mode",
  grant: "An earlier “always”",
  hook: "A hook",
  abort: "Stopping the turn",
  default: "Nobody was there to ask",
};

const scopes: Readonly<Record<NonNullable<PermissionDecisionRecord["scope"]>, string>> = {
  once: "This call",
  turn: "This turn",
  session: "This session",
  workspace: "This workspace",
};

/** The layers that answers of people fill, in words; others are named as they are. */
const layers: Readonly<Record<string, string>> = {
  session: "your answers in this session",
  workspace: "your answers in this workspace",
};

/** Why a call ran, or did not: facts for a person, the outcome first. Empty while nothing is decided or asked. */
export function decisionFacts({ request, decision, automatic }: ToolItem): DecisionFact[] {
  const asked = request ? [{ term: "Why asked", text: request.reason }] : [];
  if (decision) return [...answerFacts(decision), ...asked];
  if (automatic) return automaticFacts(automatic);
  return request ? [{ term: "Decision", text: "Not answered yet" }, ...asked] : [];
}

function answerFacts(decision: PermissionDecisionRecord): DecisionFact[] {
  const { allow, by, scope, pattern, reason, updatedArgs } = decision;
  return [
    { term: "Decision", text: allow ? "Allowed" : "Denied. Nothing was run." },
    { term: "By", text: deciders[by] },
    ...(scope ? [{ term: "For", text: scopes[scope] }] : []),
    ...(pattern ? [{ term: "Stored rule", text: pattern, isCode: true }] : []),
    ...(reason ? [{ term: allow ? "Note" : "Reason", text: reason }] : []),
    ...(updatedArgs ? [{ term: "Changed", text: "You edited it before it ran." }] : []),
  ];
}

function automaticFacts(automatic: AutomaticDecision): DecisionFact[] {
  const { decision, by, rule, layer, command, hook, reason } = automatic;
  const isAllowed = decision === "auto";
  const decider = by === "hook" ? `The hook ${hook ?? ""}`.trim() : deciders[by];
  return [
    {
      term: "Decision",
      text: isAllowed ? "Allowed without asking" : "Denied without asking. Nothing was run.",
    },
    { term: "By", text: decider },
    ...(rule ? [{ term: "Rule", text: rule, isCode: true }] : []),
    ...(layer ? [{ term: "From", text: layers[layer] ?? layer }] : []),
    ...(command ? [{ term: "Part", text: command, isCode: true }] : []),
    ...(reason && !rule ? [{ term: "Reason", text: reason }] : []),
  ];
}
