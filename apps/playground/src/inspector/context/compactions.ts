import type { SessionEventOf } from "@robota/runtime/sessions";
import type { EventFold } from "../use-event-fold.ts";

export interface Compaction extends Pick<
  SessionEventOf<"compaction">,
  "seq" | "trigger" | "before" | "after" | "summary"
> {
  /** Number of messages that the summary replaced. */
  messages: number;
}

/** Every compaction, oldest first, and the number of messages that the model sees at present. */
export const compactions: EventFold<{ list: Compaction[]; messages: number }> = {
  create: () => ({ list: [], messages: 0 }),
  apply(state, event) {
    switch (event.type) {
      case "user_message":
      case "assistant_message":
      case "tool_end":
        if (event.parentId === undefined) state.messages += 1;
        return false;
      case "history_cleared":
        state.messages = 0;
        return false;
      case "compaction": {
        const { seq, trigger, before, after, summary, kept = [] } = event;
        const messages = Math.max(0, state.messages - kept.length);
        state.list.push({ seq, trigger, before, after, summary, messages });
        state.messages = 1 + kept.length;
        return true;
      }
      default:
        return false;
    }
  },
};
