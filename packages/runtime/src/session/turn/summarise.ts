import { type CallBounds, callProvider, ProviderCallFailure } from "../../agent/provider-call.ts";
import { abortError, RobotaError } from "../../errors.ts";
import { contentText, type Message } from "../../messages/message.ts";
import { SUMMARY_REQUEST } from "../../messages/summary-request.ts";
import type { ModelUsage } from "../log/events.ts";
import type { Provider } from "../../providers/provider.ts";
import type { RecordedQuestion } from "../trace/recorded-question.ts";

const REQUEST = [
  SUMMARY_REQUEST,
  "Keep what was asked, what was decided and why, which files were read or changed and how, what failed, and what is still to do.",
  "Answer with the summary only.",
].join(" ");

/** A summary, with its cost in tokens if the provider reports it. */
export interface Summary {
  text: string;
  used: ModelUsage | undefined;
}

export interface SummaryOptions extends CallBounds {
  provider: Provider;
  messages: readonly Message[];
  /** Points that a person wants the summary to keep. */
  instructions: string;
  /** Called with the usage of an answer that is not a summary. */
  onUnused: (used: ModelUsage) => void;
  /** Records the call in the session's trace. */
  recorded?: RecordedQuestion | undefined;
  signal: AbortSignal;
  now: () => number;
  randomUUID: () => string;
}

/**
 * Asks the model for a summary of a conversation. None of it is shown as an answer.
 * @throws {RobotaError} `COMPACTION_FAILED` when the answer is empty or truncated, with the provider's failure as its
 * cause
 * @throws {DOMException} `AbortError`
 */
export async function summarise(options: SummaryOptions): Promise<Summary> {
  const { provider, instructions, recorded, signal, now, randomUUID } = options;
  const { idleTimeoutMs, progressTimeoutMs, callTimeoutMs } = options;
  const content = instructions === "" ? REQUEST : `${REQUEST}\n\n${instructions}`;
  const messages: Message[] = [
    ...options.messages,
    { role: "user", id: randomUUID(), timestamp: new Date(now()), content },
  ];
  const messageId = randomUUID();
  recorded?.request({ messageId, messages, options: {} });
  try {
    const answer = await callProvider({
      provider,
      messages,
      options: {
        onProviderNativeRawPayload: recorded && ((payload) => recorded.native(payload)),
      },
      signal,
      idleTimeoutMs,
      progressTimeoutMs,
      callTimeoutMs,
      messageId,
      now,
      onEvent: () => undefined,
    });
    recorded?.answered(answer);
    const text = contentText(answer.content).trim();
    const { usage, model = provider.model } = answer;
    const used = usage && { model, usage };
    if (answer.state === "complete" && text !== "") return { text, used };
    if (used) options.onUnused(used);
  } catch (failure) {
    const cause = failure instanceof ProviderCallFailure ? failure.cause : failure;
    recorded?.failed(cause);
    throw failed(cause);
  }
  throw signal.aborted ? abortError() : failed();
}

function failed(cause?: unknown): RobotaError {
  return new RobotaError("The conversation could not be summarised; it is unchanged", {
    code: "COMPACTION_FAILED",
    category: "provider",
    recoverable: true,
    cause,
    hint: "Try again, or start a new session.",
  });
}
