import type { Platform } from "@robota/runtime";
import { environmentProviders } from "@robota/runtime/providers/environment";
import type { Check } from "./local-checks.ts";

const TIMEOUT_MS = 5000;

/** Addresses of the services' own interfaces, as their documentation has them. A variable names another. */
const ADDRESSES: Readonly<Record<string, string>> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
  openRouter: "https://openrouter.ai/api/v1",
  gemini: "https://generativelanguage.googleapis.com",
  ark: "https://ark.cn-beijing.volces.com",
};

/** Asks the services that this machine has a key or an address for whether they answer at all. No key is sent. */
export async function serviceChecks(platform: Platform): Promise<Check[]> {
  const known = environmentProviders.filter(({ keys, address }) =>
    [...keys, address].some((variable) => (platform.env(variable)?.trim() ?? "") !== ""),
  );
  return Promise.all(
    known.map(({ name, address }) =>
      reach(name, platform.env(address)?.trim() || (ADDRESSES[name] ?? ""), platform),
    ),
  );
}

async function reach(name: string, address: string, { fetch }: Platform): Promise<Check> {
  const what = `service ${name}`;
  if (!URL.canParse(address))
    return { name: what, state: "failed", detail: address, fix: "It is not an address." };
  const { host } = new URL(address);
  try {
    const response = await fetch(address, {
      method: "HEAD",
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    // Any answer: without a key, most say 401 or 404.
    return { name: what, state: "ok", detail: `${host} answers` };
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    const why = cause?.code ?? (error instanceof Error ? error.message : String(error));
    const fix = `Check the network, a proxy (NODE_USE_ENV_PROXY=1) or the address: ${why}`;
    return { name: what, state: "failed", detail: `${host} does not answer`, fix };
  }
}
