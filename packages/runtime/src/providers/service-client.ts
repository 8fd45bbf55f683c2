import { ConfigurationError } from "../errors.ts";
import { sameOriginFetch } from "./same-origin-fetch.ts";

/** One service that speaks a model API, as a provider is configured for it. */
export interface Service {
  /** Name in errors. */
  provider: string;
  /** Address without a slash at its end. */
  baseURL: string;
  /** Headers of every request, with the one that holds the key. */
  headers: Readonly<Record<string, string>>;
  fetch?: typeof globalThis.fetch | undefined;
}

export interface ServiceRequest {
  /** JSON to post; the request is a GET without it. */
  body?: string | undefined;
  signal: AbortSignal;
}

/** Characters kept of an error's body: a service needs few, and anything else may send any number. */
const MAX_ERROR_TEXT = 65_536;

/** An answer with an error status. */
export class StatusError extends Error {
  readonly status: number;
  readonly headers: Headers;
  /** Its parsed JSON, or its text. */
  readonly body: unknown;

  constructor({ status, headers }: Response, body: unknown) {
    super(`status ${status}`);
    this.name = "StatusError";
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Sends requests to one service, and to no other origin. Retries, time limits and the reading of answers are its caller's. */
export class ServiceClient {
  readonly #baseURL: string;
  readonly #headers: Headers;
  readonly #fetch: typeof globalThis.fetch;

  /** @throws {ConfigurationError} for headers that HTTP does not allow */
  constructor({ provider, baseURL, headers, fetch }: Service) {
    this.#baseURL = baseURL;
    this.#headers = validHeaders(headers);
    this.#fetch = sameOriginFetch(provider, fetch);
  }

  /**
   * Resolves to a successful answer whose body is still to be read.
   * @throws {StatusError} for one with an error status
   * @throws {ProviderError} `REDIRECTED`
   * @throws the error of `fetch` when there was no answer
   */
  async request(path: string, { body, signal }: ServiceRequest): Promise<Response> {
    const headers = new Headers(this.#headers);
    if (body !== undefined) headers.set("content-type", "application/json");
    const method = body === undefined ? "GET" : "POST";
    const response = await this.#fetch(this.#baseURL + path, {
      method,
      headers,
      body: body ?? null,
      signal,
    });
    if (response.ok) return response;
    throw new StatusError(response, parsed(await readStart(response, signal)));
  }
}

/** The message of the platform's own error would hold the value, which may be a key. */
function validHeaders(given: Readonly<Record<string, string>>): Headers {
  const headers = new Headers({ accept: "application/json" });
  for (const [name, value] of Object.entries(given)) {
    try {
      headers.set(name, value);
    } catch {
      throw new ConfigurationError(`The header ${JSON.stringify(name)} can't be sent`, {
        hint: "Names and values of headers can have printable ASCII characters only.",
      });
    }
  }
  return headers;
}

/** The beginning of a body, as far as it arrives. */
async function readStart({ body }: Response, signal: AbortSignal): Promise<string> {
  if (!body) return "";
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  // Ends a pending read, whether or not the stream observes the request's signal.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  try {
    while (text.length < MAX_ERROR_TEXT) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
    return text.slice(0, MAX_ERROR_TEXT);
  } catch {
    // The status says enough.
    return text;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
