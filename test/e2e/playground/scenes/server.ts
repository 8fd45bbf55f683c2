import type { Locator, Page } from "playwright";
import { startWorkerd, type Workerd } from "../../workerd.ts";

/** The token that the worker knows. */
export const TOKEN = "ann-token-0123456789-abcdef";

/** A worker with sessions, which admits pages of that origin. */
export function startServer(origin: string): Promise<Workerd> {
  return startWorkerd({
    entry: "apps/edge-worker/src/worker.ts",
    objects: { SESSIONS: "SessionObject", DIRECTORIES: "SessionDirectory" },
    variables: {
      API_TOKENS: JSON.stringify({ ann: TOKEN }),
      ALLOWED_ORIGINS: origin,
      NO_REQUEST_LOG: "1",
    },
  });
}

export const dialogOf = (page: Page, name: string): Locator => page.getByRole("dialog", { name });

/** Fills in the form for a server. */
export async function connect(dialog: Locator, url: string, token: string): Promise<void> {
  await dialog.getByLabel("Address").fill(url);
  await dialog.getByLabel(/^Token/).fill(token);
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
}

/** The sessions of the worker, as its own API lists them. */
export async function sessionsOn({
  url,
}: Workerd): Promise<{ id: string; handedOverTo?: object }[]> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const answer = await fetch(`${url}/v1/sessions`, { headers });
  return ((await answer.json()) as { sessions: { id: string; handedOverTo?: object }[] }).sessions;
}
