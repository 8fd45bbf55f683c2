import { Session } from "../../session/session.ts";
import { subagentPrompt, type SubagentPromptOptions } from "./subagent-prompt.ts";
import { subagentOptions, type SubagentSessionOptions } from "./subagent-options.ts";

/**
 * The session of an agent that works for another session. It loads nothing: all it has is in `options`, and of that no more
 * than its definition lets it have.
 */
export function createSubagentSession(options: SubagentSessionOptions): Session {
  return new Session(subagentOptions(options));
}

/** The system prompt of a subagent: its definition's text, the project's instructions, and how to report. */
export function assembleSubagentPrompt(options: SubagentPromptOptions): string {
  return subagentPrompt(options);
}
