import { InteractiveSession, type PermissionRequest, type Platform } from "@robota/runtime";
import { memoryPlatform, ScriptedProvider } from "@robota/runtime/testing";
import { sessionRoutes } from "@robota/runtime/transports";
import { expect, it } from "vitest";
import { afterCrash, echo, echoCall } from "../support.ts";

type Step = ConstructorParameters<typeof ScriptedProvider>[0][number];

function sessionOf(platform: Platform, script: Step[]): InteractiveSession {
  return new InteractiveSession({
    platform,
    provider: new ScriptedProvider(script),
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
