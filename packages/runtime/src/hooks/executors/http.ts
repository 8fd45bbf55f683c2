import { EgressError } from "../../network/egress-error.ts";
import type { Egress, GuardedResponse } from "../../network/guarded-fetch.ts";
import type { EgressPolicy } from "../../network/policy.ts";
import type { HttpHook } from "../definition.ts";
import { type HookTypeExecutor, SILENT } from "../executor.ts";
import { parseObject } from "../read-result.ts";
import type { HookResult } from "../result.ts";

/** Limit on reading an answer; less of it is kept. */
const MAX_BYTES = 1024 * 1024;
/** The hook's own timeout comes first. */
const NEVER_MS = 2 ** 31 - 1;
const BLOCKS = new Set([403, 422]);

/**
 * Sends the input as JSON to an address of the public internet, or to an origin in `policy`. Redirects are not
 * followed: the input is meant for this address alone.
 */
export function httpExecutor(egress: Egress, policy?: EgressPolicy): HookTypeExecutor<HttpHook> {
  return {
    type: "http",
    async execute({ url, method = "POST", headers }, input, { signal }) {
      // Lazy: only http hooks need the table of public addresses.
      const { guardedFetch } = await import("../../network/guarded-fetch.ts");
      const sent = new Headers(headers);
      if (method !== "GET") sent.set("content-type", "application/json");
      const body = method === "GET" ? undefined : JSON.stringify(input);
      try {
        const response = await guardedFetch(
          url,
          { method, headers: sent, body },
          {
            fetch: egress.fetch,
            pinnedFetch: egress.pinnedFetch,
            policy,
            signal,
            maxBytes: MAX_BYTES,
            maxRedirects: 0,
            timeoutMs: NEVER_MS,
          },
        );
        return await toResult(response);
      } catch (error) {
        if (error instanceof EgressError) return failure(refusalText(error, url));
        throw error;
      }
    },
  };
}

/** Explains what to do about an address of one's own machine or network. */
function refusalText({ message, code }: EgressError, url: string): string {
  if (code !== "EGRESS_REFUSED") return message;
  const origin = JSON.stringify(new URL(url).origin);
  return `${message} When it is your own, allow it with "hookOrigins": [${origin}] in ~/.robota/settings.json, or with hookHost.egress.allowPrivateOrigins.`;
}

async function toResult(response: GuardedResponse): Promise<HookResult> {
  const { status, ok } = response;
  if (BLOCKS.has(status)) {
    // The status has decided already, so a body that breaks changes nothing.
    const text = await response.text().catch(() => "");
    return { exitCode: 2, stdout: "", stderr: reasonIn(text) };
  }
  if (ok) return { ...SILENT, stdout: await response.text() };
  response.cancel();
  return failure(`it answered ${status}`);
}

/** The reason of a refusal: that of its JSON, or its text unless it is a page. */
function reasonIn(body: string): string {
  const text = body.trim();
  const reason = parseObject(text)?.reason;
  if (typeof reason === "string") return reason;
  return /^[{[<]/.test(text) ? "" : text;
}

function failure(stderr: string): HookResult {
  return { exitCode: 1, stdout: "", stderr };
}
