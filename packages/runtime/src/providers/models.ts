import { abortError } from "../errors.ts";
import { sendFailure } from "./call.ts";
import { type ErrorContext, invalidResponse } from "./errors.ts";
import { list, object, text } from "./json.ts";
import { silenceError } from "./network.ts";

/** The result for a valid key. */
export interface KeyCheck {
  /** Ids of the models that the key may use, as the service lists them. */
  models: string[];
}

/** A list of names takes no model's time. */
const LIST_TIMEOUT_MS = 15_000;

/**
 * Lists the models that a service offers to a key: the cheapest call there is, so it also checks the key and the
 * address. Not retried, since a person waits for it.
 * @throws {ProviderError} and an `AbortError`
 */
export async function listModels(
  where: ErrorContext & { url: string; signal?: AbortSignal | undefined },
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<KeyCheck> {
  const { signal } = where;
  const timeout = AbortSignal.timeout(LIST_TIMEOUT_MS);
  try {
    const response = await send(signal ? AbortSignal.any([signal, timeout]) : timeout);
    return { models: modelsOf(await response.text(), where) };
  } catch (error) {
    if (signal?.aborted) throw abortError();
    if (timeout.aborted) throw silenceError(where.provider, LIST_TIMEOUT_MS);
    throw (await sendFailure(where, error)).error;
  }
}

function modelsOf(body: string, context: ErrorContext): string[] {
  const models = parsed(body);
  if (!models) throw invalidResponse(body, context);
  return models.map((model) => text(object(model)["id"])).filter((id) => id !== "");
}

/** The list; `undefined` for other JSON. */
function parsed(body: string): unknown[] | undefined {
  try {
    const { data } = object(JSON.parse(body));
    return Array.isArray(data) ? list(data) : undefined;
  } catch {
    return undefined;
  }
}
