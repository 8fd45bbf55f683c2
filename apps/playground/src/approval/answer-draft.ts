import type { PermissionAnswer } from "@robota/runtime/permissions";
import { useKept } from "../state/kept.ts";

/** A person's entries for a request that are not sent yet. */
interface AnswerDraft {
  note: string;
  /** The command as edited. */
  command?: string | undefined;
}

const noDraft: AnswerDraft = { note: "" };

/** The entries for a request, kept over other sessions and reloads until it is answered. */
export function useAnswerDraft(requestId: string, answer: (answer: PermissionAnswer) => void) {
  const [draft = noDraft, onDraft] = useKept(`answer:${requestId}`, isAnswerDraft);
  return {
    draft,
    onDraft,
    onAnswer: (given: PermissionAnswer): void => {
      onDraft(undefined);
      answer(given);
    },
  };
}

function isAnswerDraft(value: unknown): value is AnswerDraft {
  if (typeof value !== "object" || value === null) return false;
  if (!("note" in value) || typeof value.note !== "string") return false;
  return !("command" in value) || typeof value.command === "string";
}
