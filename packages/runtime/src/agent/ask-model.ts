import { defined } from "../defined.ts";
import { abortError, type RobotaError } from "../errors.ts";
import { type AssistantMessage, contentText, type Message } from "../messages/message.ts";
import { asError } from "../messages/reported-error.ts";
import type { ChatOptions, Provider, ProviderNativeRawPayload } from "../providers/provider.ts";
import type { ModelAnswer, ModelQuestion } from "../tools/tool.ts";
import { type CallBounds, callProvider, ProviderCallFailure } from "./provider-call.ts";

/** A question that is about to be sent. */
export interface QuestionRequest {
  /** The id that the answer will have. */
  messageId: string;
  messages: readonly Message[];
  options: ChatOptions;
}

/** A question, whose answer may be as long as the model allows when `maxTokens` is omitted. */
type AskedQuestion = Omit<ModelQuestion, "maxTokens"> & Partial<Pick<ModelQuestion, "maxTokens">>;

export interface AskOptions extends CallBounds {
  provider: Provider;
  signal: AbortSignal;
  /** Options that let the service search the web, for questions that need it. */
  webTools?: ChatOptions | undefined;
  /** Returns the reason why nothing more may be spent, if any. */
  refuseCall(): RobotaError | undefined;
  onRequest?(request: QuestionRequest): void;
  onNative?: ((payload: ProviderNativeRawPayload) => void) | undefined;
  /** Called with each answer and its message, including interrupted answers. */
  onAnswer(answer: ModelAnswer, message: AssistantMessage): void;
  onFailed?(cause: unknown): void;
  now: () => number;
  randomUUID: () => string;
}

/**
 * Asks a model one question, without a conversation or tools. Nothing of it is shown or kept.
 * @throws {DOMException} `AbortError` @throws {Error} the provider's failure, or a spent budget
 */
export async function askModel(
  { prompt, systemMessage = "", maxTokens, searchesWeb = false }: AskedQuestion,
  options: AskOptions,
): Promise<ModelAnswer> {
  const { signal, now, randomUUID, onNative } = options;
  const refusal = options.refuseCall();
  if (refusal) throw refusal;
  const said = (): { id: string; timestamp: Date } => ({
    id: randomUUID(),
    timestamp: new Date(now()),
  });
  const messages: Message[] = [{ role: "user", ...said(), content: prompt }];
  if (systemMessage !== "") {
    messages.unshift({ role: "system", ...said(), content: systemMessage });
  }
  const messageId = randomUUID();
  const chatOptions: ChatOptions = { ...(searchesWeb && options.webTools), maxTokens };
  options.onRequest?.({ messageId, messages, options: chatOptions });
  let message: AssistantMessage;
  try {
    message = await callProvider({
      ...options,
      messages,
      options: { ...chatOptions, onProviderNativeRawPayload: onNative },
      messageId,
      onEvent: () => undefined,
    });
  } catch (failure) {
    const cause = failure instanceof ProviderCallFailure ? failure.cause : failure;
    options.onFailed?.(cause);
    throw cause;
  }
  const { state, stopReason, usage, error } = message;
  const answer: ModelAnswer = defined({
    text: contentText(message.content),
    isWhole: state === "complete" && stopReason !== "max_tokens",
    usage,
  });
  options.onAnswer(answer, message);
  if (signal.aborted) throw abortError();
  if (!error) return answer;
  throw asError(error, message.provider ?? options.provider.name);
}
