import { InteractiveSession, type InteractiveSessionOptions } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { ScriptedProvider } from "@robota/runtime/testing";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it, vi } from "vitest";
import { echo, echoCall } from "../../../support/support.ts";

function asking(options: Partial<InteractiveSessionOptions> = {}) {
  const warn = vi.fn<(message: string) => void>();
  const provider = new ScriptedProvider([
    { toolCalls: [echoCall("secret-argument")] },
    { toolCalls: [echoCall("again")] },
    { text: "done" },
  ]);
  const platform = { ...memoryPlatform(), warn };
  return {
    warn,
    session: new InteractiveSession({ platform, provider, tools: [echo], ...options }),
  };
}

describe("an unnoticed request", () => {
  it("is warned of once, with the tool and the remedies", async () => {
    const { warn, session } = asking();
    const turn = session.submit("go");
    await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce());
    const [message] = warn.mock.calls[0]!;
    for (const part of ["echo", "permission_request", "resolvePermission", "permissionHandler"])
      expect(message).toContain(part);
    expect(message).toContain('permissions: { allow: ["echo(…)"] }');
    expect(message).not.toContain("secret-argument");
    session.on("permission_request", ({ id }) => {
      void session.resolvePermission(id, { allow: true });
    });
    await session.resolvePermission(session.pendingPermissions()[0]!.id, { allow: true });
    expect((await turn).state).toBe("complete");
    expect(warn).toHaveBeenCalledOnce();
    await session.shutdown();
  });

  it("is not warned of when somebody listens, polls or answers", async () => {
    const listening = asking();
    const { session } = listening;
    session.on("event", (event) => {
      if (event.type === "permission_request")
        void session.resolvePermission(event.request.id, { allow: true });
    });
    await session.submit("go");

    const handled = asking({ permissionHandler: () => true });
    await handled.session.submit("go");

    const hooked = asking({
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              {
                type: "function",
                run: () => ({
                  hookSpecificOutput: {
                    hookEventName: "PermissionRequest",
                    decision: { behavior: "allow" },
                  },
                }),
              },
            ],
          },
        ],
      },
    });
    await hooked.session.submit("go");

    const polled = asking();
    const turn = polled.session.submit("go");
    await vi.waitFor(() => expect(polled.session.pendingPermissions()).toHaveLength(1));
    polled.session.abort();
    await turn;

    for (const { warn } of [listening, handled, hooked, polled])
      expect(warn).not.toHaveBeenCalled();
  });

  it("does no harm without a reader of warnings, or when reading fails", async () => {
    for (const warn of [
      undefined,
      () => {
        throw new Error("no console");
      },
    ]) {
      const session = new InteractiveSession({
        platform: { ...memoryPlatform(), ...(warn && { warn }) },
        provider: new ScriptedProvider([{ toolCalls: [echoCall("x")] }, { text: "done" }]),
        tools: [echo],
      });
      const turn = session.submit("go");
      for await (const event of session.events()) {
        if (event.type !== "permission_request") continue;
        await session.resolvePermission(event.request.id, { allow: true });
        break;
      }
      expect((await turn).state).toBe("complete");
    }
  });
});

describe("the options of a session", () => {
  it("require a platform and a provider, or a prepared session", () => {
    // @ts-expect-error -- neither is there
    expect(() => new InteractiveSession({})).toThrow("A session needs a platform");
    // @ts-expect-error -- a provider is missing
    expect(() => new InteractiveSession({ platform: memoryPlatform() })).toThrow(
      "needs a provider",
    );
    const provider = new OfflineProvider();
    // @ts-expect-error -- a platform is missing
    expect(() => new InteractiveSession({ provider })).toThrow("needs a platform");
  });
});

describe("the result of a turn", () => {
  const usage = { inputTokens: 1000, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };

  it("has the usage of all its calls, and their cost when prices are known", async () => {
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([
        { toolCalls: [echoCall("x")], usage },
        { text: "done", usage },
      ]),
      tools: [echo],
      permissionHandler: () => true,
    });
    const result = await session.submit("go");
    expect(result.usage).toMatchObject({ inputTokens: 2000, outputTokens: 20 });
    expect("cost" in result).toBe(false);
    await session.shutdown();
  });

  it.each([
    ["claude-sonnet-4-6", "$0.0075", 0.0075],
    ["gpt-nobody-knows", "unknown price", undefined],
  ])("equals the tokens and money of /cost: %s", async (model, price, cost) => {
    const spent = { ...usage, inputTokens: 2000, outputTokens: 100 };
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new ScriptedProvider([{ text: "done", usage: spent }], { model }),
      sessionId: "s",
    });
    await session.submit("go");
    expect(await session.executeCommand("cost")).toMatchObject({
      message: `Session s: 1 turn, 2K tokens in, <1K out, ${price}`,
      data: { messageCount: 1, usage: spent, ...(cost !== undefined && { cost }) },
    });
    await session.shutdown();
  });

  it("names denied calls by their first argument", async () => {
    const session = new InteractiveSession({
      platform: memoryPlatform(),
      provider: new OfflineProvider(),
      permissionHandler: () => false,
    });
    const { toolSummaries } = await session.submit("run touch made");
    expect(toolSummaries).toEqual([{ toolName: "Bash", firstArg: "touch made", result: "denied" }]);
    await session.shutdown();
  });
});

it("the offline provider ignores the text that hooks add for a model", async () => {
  const session = new InteractiveSession({
    platform: memoryPlatform({ files: { "/workspace/a.ts": "export {};\n" } }),
    cwd: "/workspace",
    provider: new OfflineProvider(),
    hooks: {
      UserPromptSubmit: [
        {
          hooks: [
            {
              type: "function",
              run: () => ({ hookSpecificOutput: { additionalContext: "list nothing\nreally" } }),
            },
          ],
        },
      ],
    },
  });
  const { response } = await session.submit("list *.ts");
  expect(response).toContain("a.ts");
  expect(response).not.toContain("can't read");
  await session.shutdown();
});
