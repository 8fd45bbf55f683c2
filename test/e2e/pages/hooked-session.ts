import { browserPlatform } from "@robota/adapters-web";
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";

declare global {
  /** Runs one prompt in a session on the playground's files, where a hook blocks every call. */
  var run: (prompt: string) => Promise<void>;
}

globalThis.run = async (prompt) => {
  const platform = browserPlatform({ workspace: "playground" });
  {
    await using session = new InteractiveSession({
      platform,
      provider: new OfflineProvider(),
      cwd: "/workspace",
      hooks: {
        PreToolUse: [
          { hooks: [{ type: "function", run: () => ({ decision: "block", reason: "Frozen." }) }] },
        ],
      },
    });
    await session.submit(prompt);
  }
  await platform.dispose();
};
