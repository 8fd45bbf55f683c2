import type { AutomaticDecision, ToolItem } from "@robota/react/store";
import type { PermissionRequest } from "@robota/runtime";
import type { PermissionDecisionRecord } from "@robota/runtime/permissions";
import { becauseOf, placeOf, reasonWords } from "./reason-words.ts";

/** One fact about a decision. */
export interface DecisionFact {
  term: string;
  text: string;
  /** The text is a rule or a command. */
  isCode?: boolean;
}

export interface DecisionWords {
  /** Decision and its reason. */
  sentence: string;
  facts: readonly DecisionFact[];
}

type Decider = PermissionDecisionRecord["by"];
type Scope = NonNullable<PermissionDecisionRecord["scope"]>;

/** Answers to a question, by who gave them. */
const answers: Readonly<Record<Decider, { allowed: string; denied: string }>> = {
  person: { allowed: "You allowed it", denied: "You denied it" },
  handler: {
    allowed: "A program answered for you and allowed it",
    denied: "A program answered for you and denied it",
  },
  hook: {
    allowed: "A hook answered for you and allowed it",
    denied: "A hook answered for you and denied it",
  },
  rule: { allowed: "A rule allowed it", denied: "A rule denied it" },
  mode: { allowed: "The permission mode allowed it", denied: "The permission mode denied it" },
  grant: {
    allowed: "You allowed it by an earlier “Always”",
    denied: "An earlier answer of yours denied it",
  },
  abort: { allowed: "It was allowed", denied: "It was stopped before you answered" },
  default: { allowed: "It was allowed without an answer", denied: "Nobody could be asked" },
};

const extents: Readonly<Record<Scope, string>> = {
  once: " this once",
  turn: ", and calls like it until the end of the turn",
  session: ", and calls like it in this session",
  workspace: ", and calls like it in this workspace from now on",
};

/** Reasons that only say what the sentence says. */
const TOLD: ReadonlySet<string> = new Set([
  "Nobody is available to approve it.",
  "The turn was stopped.",
]);

/** Why a call ran, or did not, for a person; `undefined` while nothing is decided or asked. */
export function decisionWords(item: ToolItem): DecisionWords | undefined {
  const { request, decision, automatic, phase } = item;
  const asked = request ? askedFacts(request) : [];
  if (decision)
    return {
      sentence: answerSentence(decision, phase === "denied" || phase === "blocked"),
      facts: [...answerFacts(decision), ...asked],
    };
  if (automatic) return automaticWords(automatic);
  if (!request) return undefined;
  const sentence =
    phase === "waiting"
      ? "It waits for an answer."
      : "Nobody answered before the turn ended. Nothing was run.";
  return { sentence, facts: asked };
}

function answerSentence(
  { allow, by, scope }: PermissionDecisionRecord,
  wasRefused: boolean,
): string {
  const { allowed, denied } = answers[by];
  if (!allow) return `${denied}. Nothing was run.`;
  const extent = scope ? extents[scope] : "";
  const refused = wasRefused ? " It was refused all the same: its output says why." : "";
  return `${allowed}${extent}.${refused}`;
}

function answerFacts(decision: PermissionDecisionRecord): DecisionFact[] {
  const { allow, by, pattern, reason, updatedArgs, interrupt } = decision;
  const isYours = by === "person";
  const note = allow ? "note" : "reason";
  return [
    ...(pattern ? [{ term: "New rule", text: pattern, isCode: true }] : []),
    ...(reason && !TOLD.has(reason)
      ? [{ term: isYours ? `Your ${note}` : "Reason", text: spoken(reason) }]
      : []),
    ...(updatedArgs
      ? [{ term: "Changed", text: `${isYours ? "You edited it" : "It was edited"} before it ran.` }]
      : []),
    ...(interrupt ? [{ term: "Then", text: "The turn ended with it." }] : []),
  ];
}

function askedFacts({ tool, args, rule, layer, command, reason }: PermissionRequest) {
  const text = rule ? "A rule asks before it." : reasonWords(reason, tool);
  return [
    { term: "Why asked", text },
    ...ruleFacts("Asking rule", { rule, layer, command: partOf(command, args["command"]) }),
  ];
}

function automaticWords(automatic: AutomaticDecision): DecisionWords {
  const { decision, by, rule, reason } = automatic;
  const isAllowed = decision === "auto";
  const because = {
    rule: isAllowed ? "a rule allows it" : "a rule forbids it",
    hook: isAllowed ? "a hook allowed it" : "a hook blocked it",
    mode: becauseOf(reason),
  }[by];
  const outcome = isAllowed ? "You were not asked" : "Nothing was run";
  const isTold = rule !== undefined || (by === "mode" && because !== undefined) || reason === "";
  return {
    sentence: because ? `${outcome}, because ${because}.` : `${outcome}.`,
    facts: [
      ...ruleFacts("Rule", automatic),
      ...(isTold ? [] : [{ term: "Reason", text: spoken(reason) }]),
    ],
  };
}

function ruleFacts(
  term: string,
  { rule, layer, command }: Pick<AutomaticDecision, "rule" | "layer" | "command">,
): DecisionFact[] {
  return [
    ...(rule ? [{ term, text: rule, isCode: true }] : []),
    ...(rule && layer ? [{ term: "From", text: placeOf(layer) }] : []),
    ...(command ? [{ term: "About", text: command, isCode: true }] : []),
  ];
}

/** The part of a command line that a rule is about, where that is not the whole line. */
function partOf(command: string | undefined, line: unknown): string | undefined {
  return command === line ? undefined : command;
}

/** Reasons that programs give are theirs; those of the engine are told in the page's words. */
function spoken(reason: string): string {
  return reasonWords(reason, "");
}
