import { AuthenticationError, NetworkError, ProviderError } from "@robota/runtime";

const TIMEOUT_MS = 15_000;
const provider = "remote";

/**
 * Checks an executor's address and token without running a model: an empty request is refused as malformed once the
 * token was accepted.
 * @throws {ProviderError} for any other answer @throws {NetworkError} for none
 */
export async function checkEndpoint(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const headers = new Headers({ "content-type": "application/json" });
  if (token) headers.set("authorization", `Bearer ${token}`);
  let response: Response;
  try {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const init = { method: "POST", headers, body: "{}", redirect: "error" } as const;
    response = await fetch(url, { ...init, signal: stop });
  } catch (cause) {
    throw new NetworkError("The endpoint could not be reached", { provider, cause });
  }
  const { status } = response;
  const problem = await problemOf(response);
  if (status === 401 || status === 403)
    throw new AuthenticationError(`The endpoint answered ${status}`, {
      provider,
      status,
      hint: "Check the token, and that this origin may call the endpoint.",
    });
  if ((status === 400 || status === 422) && problem) return;
  const code = status === 404 || status === 405 ? "NOT_FOUND" : "INVALID_RESPONSE";
  const isServerError = status >= 500;
  throw new ProviderError(`The endpoint answered ${status}, not as an executor would`, {
    provider,
    status,
    code: isServerError ? "SERVER_ERROR" : code,
    hint: "The address usually ends with /v1/executor.",
  });
}

async function problemOf(response: Response): Promise<boolean> {
  if (!/json/.test(response.headers.get("content-type") ?? "")) return false;
  const body: unknown = await response.json().catch(() => undefined);
  return typeof body === "object" && body !== null && "code" in body;
}
