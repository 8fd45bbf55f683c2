import { withHost } from "#host";
import { InteractiveSession, type Platform } from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { expect, it } from "vitest";
import { afterCrash, echo, echoCall, logText } from "../../support/support.ts";

function sessionOf(
  platform: Platform,
  script: ConstructorParameters<typeof ScriptedProvider>[0],
): InteractiveSession {
  const provider = new ScriptedProvider(script);
  return new InteractiveSession({
    platform,
    provider,
    tools: [echo],
    sessionId: "kept",
    queueLimit: 3,
  });
}

const shownBy = (session: InteractiveSession): unknown[] =>
  session.getMessages().flatMap(({ role, content }) => (role === "user" ? [content] : []));

it("a queued prompt is shown after a restart as it would have been", () =>
  withHost(async ({ platform }) => {
    const died = sessionOf(platform, [{ toolCalls: [echoCall("x")] }]);
    const asked = new Promise<void>((resolve) => died.on("permission_request", () => resolve()));
    died.submit("first").catch(() => undefined);
    await asked;
    for (const [input, shown] of [["The whole of a.md", "@a.md"], ["plain"], ["", "/empty"]])
      died.submit(input ?? "", shown).catch(() => undefined);
    await expect.poll(() => logText(platform.storage, "kept")).toMatch(/"queue":\[[^\]]+plain",""/);
    const storage = await afterCrash(platform.storage, "kept");
    await died.shutdown();

    const session = sessionOf({ ...platform, storage }, [
      { text: "one" },
      { text: "two" },
      { text: "three" },
      { text: "four" },
    ]);
    await session.ready;
    const [request] = session.pendingPermissions();
    await session.resolvePermission(request?.id ?? "", { allow: true });
    await expect.poll(() => shownBy(session).length).toBe(4);
    expect(shownBy(session)).toEqual(["first", "@a.md", "plain", "/empty"]);
    await session.shutdown();
  }));
