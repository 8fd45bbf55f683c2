import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { memoryPlatform } from "@robota/shell/testing";
import { describe, expect, it } from "vitest";
import { withHost } from "#host";

describe("the working directory of a session", () => {
  it("is checked before a session opens: an unusable one is refused at once", () => {
    const platform = memoryPlatform();
    const provider = new OfflineProvider();
    expect(() => new InteractiveSession({ platform, provider, cwd: "src" })).toThrow(/: src$/);
  });

  it("is created by the first session, when the platform names it", async () => {
    const platform = { ...memoryPlatform(), cwd: "/workspace" };
    await using session = new InteractiveSession({ platform, provider: new OfflineProvider() });
    const { state, response } = await session.submit("list **/*.ts");
    expect({ state, response }).toEqual({
      state: "complete",
      response: expect.not.stringContaining("does not exist"),
    });
    expect((await platform.fs.stat("/workspace")).type).toBe("directory");
  });

  it("is the host's own by default, on a fresh host too", () =>
    withHost(async ({ platform, cwd }) => {
      if (platform.cwd === cwd) await platform.fs.remove(cwd, { recursive: true });
      await using session = new InteractiveSession({
        platform,
        provider: new OfflineProvider(),
        permissionMode: "bypassPermissions",
      });
      const { response } = await session.submit("run pwd");
      expect(platform.cwd).toMatch(/^\/./);
      expect(response).toContain(platform.cwd);
    }));
});
