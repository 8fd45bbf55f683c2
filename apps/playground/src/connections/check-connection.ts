import { RobotaError } from "@robota/runtime";
import type { Connection } from "./connection.ts";
import { isLoopback } from "./address.ts";
import { type Explanation, explainFailure, type FailureFacts } from "./explain-failure.ts";
import { checkEndpoint } from "./check-endpoint.ts";
import { makeProvider } from "./make-provider.ts";

export type CheckResult =
  | { isOk: true; models: readonly string[] }
  | { isOk: false; explanation: Explanation };

/** Milliseconds in which anything that listens takes a connection. */
const KNOCK_MS = 3000;

/** Checks address and key, free of charge: it asks for the list of models. */
export async function checkConnection(
  connection: Connection,
  key: string | undefined,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    if (connection.service === "remote") {
      await checkEndpoint(connection.baseURL, key, signal);
      return { isOk: true, models: [] };
    }
    const provider = await makeProvider({ ...connection, model: connection.model || "any" }, key);
    const { models } = (await provider.checkKey?.({ signal })) ?? { models: [] };
    return { isOk: true, models };
  } catch (error) {
    signal.throwIfAborted();
    return { isOk: false, explanation: explainFailure(error, await factsOf(connection, error)) };
  }
}

async function factsOf({ service, baseURL }: Connection, error: unknown): Promise<FailureFacts> {
  const isUnanswered = error instanceof RobotaError && error.code === "NETWORK_ERROR";
  return {
    service,
    baseURL,
    origin: location.origin,
    online: navigator.onLine,
    isSafari: /^((?!chrome|android|crios|fxios).)*safari/i.test(navigator.userAgent),
    localAccess: isLoopback(baseURL) ? await localAccess() : undefined,
    isListening: isUnanswered ? await isListening(baseURL) : undefined,
  };
}

/** Knocks without a key, and without reading the answer: a page may do that everywhere. */
async function isListening(baseURL: string): Promise<boolean> {
  try {
    const init = { mode: "no-cors", credentials: "omit", cache: "no-store" } as const;
    await fetch(baseURL, { ...init, signal: AbortSignal.timeout(KNOCK_MS) });
    return true;
  } catch {
    return false;
  }
}

/** The browser's permission to reach this machine; newer names first. */
async function localAccess(): Promise<PermissionState | undefined> {
  for (const name of ["loopback-network", "local-network-access"]) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      return state;
    } catch {
      // The browser does not know this name.
    }
  }
  return undefined;
}
