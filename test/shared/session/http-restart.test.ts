import {
  InteractiveSession,
  type PermissionRequest,
  type Platform,
  type Storage,
} from "@robota/runtime";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { SCOPES, sessionRoutes, withPrincipal } from "@robota/runtime/transports";
import { expect, it, vi } from "vitest";
import { afterCrash, echo, echoCall, logText } from "../../support/support.ts";

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

/** A request as the front passes it on. */
function passedOn(url: string, init: RequestInit = {}): Request {
  return withPrincipal(new Request(url, init), { owner: "ann", scopes: SCOPES });
}

it("shows a stored session's pending approval with the first request", async () => {
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
  expect(await (await routes.request(passedOn(URL_OF_SESSION))).json()).toMatchObject({
    state: "waiting",
    pendingPermissions: [{ id, tool: "echo" }],
  });
  await before.shutdown();
  await session.shutdown();
});

interface Answered {
  status: number;
  turnId?: string | null;
  queued?: boolean;
  code?: string;
}

/** The routes of each session, for as long as it lives. */
const served = new WeakMap<InteractiveSession, ReturnType<typeof sessionRoutes>>();

async function send(session: InteractiveSession, key?: string, text = "hi"): Promise<Answered> {
  const routes = served.get(session) ?? sessionRoutes(async () => session);
  served.set(session, routes);
  const request = passedOn(`${URL_OF_SESSION}/messages`, {
    method: "POST",
    headers: key === undefined ? {} : { "idempotency-key": key },
    body: JSON.stringify({ text }),
  });
  const response = await routes.request(request);
  return { status: response.status, ...((await response.json()) as object) };
}

it("answers a message repeated after a restart with its turn, for a day", async () => {
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

async function turnsOf(
  session: InteractiveSession,
  input: string,
): Promise<(string | undefined)[]> {
  const turns: (string | undefined)[] = [];
  const last = session.getFullHistory().at(-1)?.seq ?? 0;
  for await (const event of session.events()) {
    if (event.type === "turn_start" && event.input === input) turns.push(event.turnId);
    if (event.seq >= last) break;
  }
  return turns;
}

/** A session that died with a message in its queue, sent with the key `k`, and is opened again. */
async function diedWithQueue(
  first: Step,
  answers: Step[],
): Promise<{
  session: InteractiveSession;
  provider: ScriptedProvider;
  died: InteractiveSession;
  storage: Storage;
}> {
  const platform = memoryPlatform();
  const died = sessionOf(platform, [first]);
  const asked = new Promise<void>((resolve) => died.on("permission_request", () => resolve()));
  await send(died, undefined, "first");
  if (typeof first === "object" && first.toolCalls) await asked;
  expect(await send(died, "k", "second")).toEqual({ status: 202, turnId: null, queued: true });
  const storage = await afterCrash(platform.storage, "kept");
  const provider = new ScriptedProvider(answers);
  const session = sessionOf({ ...memoryPlatform(), storage }, provider);
  return { session, provider, died, storage };
}

it("runs a message once that was queued when the process died and is repeated with its key", async () => {
  const { session, provider, died } = await diedWithQueue({ text: "never", delayMs: Infinity }, [
    { text: "two" },
    { text: "more" },
  ]);
  await session.ready;
  expect(session.getQueue()).toEqual(["second"]);
  expect(await send(session, "k", "other")).toMatchObject({
    status: 422,
    code: "IDEMPOTENCY_KEY_REUSED",
  });
  const both = await Promise.all([send(session, "k", "second"), send(session, "k", "second")]);
  expect(both[0]).toMatchObject({ status: 202, turnId: expect.any(String), queued: false });
  expect(both[1]).toEqual(both[0]);
  await expect.poll(() => session.isExecuting()).toBe(false);
  expect(await send(session, "k", "second")).toEqual(both[0]);
  expect([provider.requests.length, session.getQueue()]).toEqual([1, []]);
  expect(await turnsOf(session, "second")).toEqual([both[0].turnId]);

  // A message of another key is one of its own, however equal.
  expect((await send(session, "l", "second")).turnId).not.toBe(both[0].turnId);
  await expect.poll(() => session.isExecuting()).toBe(false);
  await session.shutdown();
  await died.shutdown();
});

it("keeps the queue position of a message that is repeated while an approval is pending", async () => {
  const { session, provider, died } = await diedWithQueue({ toolCalls: [echoCall("x")] }, [
    { text: "one" },
    { text: "two" },
  ]);
  const { pendingPermissions }: { pendingPermissions: PermissionRequest[] } = await (
    await sessionRoutes(async () => session).request(passedOn(URL_OF_SESSION))
  ).json();
  const waits = { status: 202, turnId: null, queued: true };
  expect(await send(session, "k", "second")).toEqual(waits);
  expect(await send(session, "k", "second")).toEqual(waits);
  expect(session.getQueue()).toEqual(["second"]);
  await session.resolvePermission(pendingPermissions[0]?.id ?? "", { allow: true });
  await expect.poll(() => provider.requests.length).toBe(2);
  await expect.poll(() => session.isExecuting()).toBe(false);
  expect(await turnsOf(session, "second")).toHaveLength(1);
  await session.shutdown();
  await died.shutdown();
});

it("reports the turn of a queued message that began after a restart", async () => {
  const { session, provider, died, storage } = await diedWithQueue(
    { text: "never", delayMs: Infinity },
    [{ text: "other" }, { text: "two" }],
  );
  await send(session, "first-look", "before it");
  await expect.poll(() => provider.requests.length).toBe(2);
  await expect.poll(() => session.isExecuting()).toBe(false);
  const [turnId] = await turnsOf(session, "second");
  expect(await send(session, "k", "second")).toEqual({ status: 202, turnId, queued: false });
  expect(provider.requests).toHaveLength(2);

  // Also when it is asked only after one more restart.
  const later = await afterCrash(storage, "kept");
  const again = sessionOf({ ...memoryPlatform(), storage: later }, []);
  expect(await send(again, "k", "second")).toEqual({ status: 202, turnId, queued: false });
  await again.shutdown();
  await session.shutdown();
  await died.shutdown();
});

it("keeps a message without a key that was queued while the first turn was beginning", async () => {
  const platform = memoryPlatform();
  const before = sessionOf(platform, [{ text: "never", delayMs: Infinity }]);
  before.submit("first").catch(() => undefined);
  await expect.poll(() => before.isExecuting()).toBe(true);
  before.submit("second").catch(() => undefined);
  await expect.poll(() => logText(platform.storage, "kept")).toContain('"queue":["second"]');
  expect(await logText(platform.storage, "kept")).not.toContain('"requests"');

  const storage = await afterCrash(platform.storage, "kept");
  const session = sessionOf({ ...memoryPlatform(), storage }, [{ text: "one" }, { text: "two" }]);
  await send(session, "k", "next");
  await expect.poll(() => session.isExecuting()).toBe(false);
  expect(await turnsOf(session, "second")).toHaveLength(1);
  await session.shutdown();
  await before.shutdown();
});
