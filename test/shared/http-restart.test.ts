import { InteractiveSession, type PermissionRequest, type Platform } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";
import { sessionRoutes } from "@robota/runtime/transports";
import { expect, it, vi } from "vitest";
import { afterCrash, echo, echoCall } from "../support.ts";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

function sessionOf(platform: Platform, script: Step[] | ScriptedProvider): InteractiveSession {
  return new InteractiveSession({
    platform,
    provider: Array.isArray(script) ? new ScriptedProvider(script) : script,
    tools: [echo],
    sessionId: "kept",
  });
}

const URL_OF_SESSION = "http://localhost/v1/sessions/kept";

it("shows what a stored session waits for at the first look, right after it was constructed", async () => {
  const platform = memoryPlatform();
  const before = sessionOf(platform, [{ toolCalls: [echoCall("x")] }]);
  const asked = new Promise<PermissionRequest>((resolve) =>
    before.on("permission_request", resolve),
  );
  before.submit("go").catch(() => undefined);
  const { id } = await asked;

  const storage = await afterCrash(platform.storage, "kept");
  const session = sessionOf({ ...memoryPlatform(), storage }, []);
  const routes = sessionRoutes(async () => session);
  expect(await (await routes.request(URL_OF_SESSION)).json()).toMatchObject({
    state: "waiting",
    pendingPermissions: [{ id, tool: "echo" }],
  });
  await before.shutdown();
  await session.shutdown();
});

it("answers a message that is sent again after a restart with the turn that it had begun, for a day", async () => {
  const send = async (
    session: InteractiveSession,
    key: string,
    text = "hi",
  ): Promise<{ status: number; turnId?: string; code?: string }> => {
    const routes = sessionRoutes(async () => session);
    const response = await routes.request(`${URL_OF_SESSION}/messages`, {
      method: "POST",
      headers: { "idempotency-key": key },
      body: JSON.stringify({ text }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  };
  const platform = memoryPlatform();
  const before = sessionOf(platform, [{ text: "one" }, { text: "two" }]);
  const first = await send(before, "k");
  await expect.poll(() => before.isExecuting()).toBe(false);
  const second = await send(before, "l");
  await expect.poll(() => before.isExecuting()).toBe(false);
  expect(second.turnId).not.toBe(first.turnId);

  const storage = await afterCrash(platform.storage, "kept");
  const provider = new ScriptedProvider([{ text: "three" }]);
  const session = sessionOf({ ...memoryPlatform(), storage }, provider);
  const both = await Promise.all([send(session, "k"), send(session, "l"), send(session, "k")]);
  expect(both).toEqual([first, second, first]);
  expect(await send(session, "k", "other")).toMatchObject({
    status: 422,
    code: "IDEMPOTENCY_KEY_REUSED",
  });
  expect(provider.requests).toHaveLength(0);

  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 24 * 60 * 60 * 1000);
  const later = await send(session, "k");
  clock.mockRestore();
  expect(later.turnId).not.toBe(first.turnId);
  await expect.poll(() => provider.requests.length).toBe(1);
  await session.shutdown();
  await before.shutdown();
});
