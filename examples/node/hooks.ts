// Hooks: a function that guards, one that adds what the model should know, and one that counts.
import { InteractiveSession } from "@robota/runtime";
import { OfflineProvider } from "@robota/runtime/providers/offline";
import { memoryPlatform } from "@robota/shell/testing";

const calls = new Map<string, number>();

const session = new InteractiveSession({
  platform: memoryPlatform(),
  provider: new OfflineProvider(),
  permissionMode: "acceptEdits",
  hooks: {
    PreToolUse: [
      {
        matcher: "Write|Edit",
        hooks: [
          {
            type: "function",
            // A guard that fails blocks, instead of letting the call pass.
            onFailure: "block",
            run({ tool_input }) {
              if (!/(?:^|\/)generated\//.test(String(tool_input["filePath"]))) return;
              return { decision: "block", reason: "Change the source instead." };
            },
          },
        ],
      },
    ],
    UserPromptSubmit: [
      {
        hooks: [
          { type: "function", run: () => ({ exitCode: 0, stdout: "It is Friday.", stderr: "" }) },
        ],
      },
    ],
    PostToolUse: [
      {
        hooks: [
          {
            type: "function",
            run({ tool_name }) {
              calls.set(tool_name, (calls.get(tool_name) ?? 0) + 1);
            },
          },
        ],
      },
    ],
  },
});

await session.submit("write notes.txt: kept\nwrite generated/api.ts: lost");
for (const { role, content } of session.getMessages()) if (role === "tool") console.log(content);
console.log(calls);
await session.shutdown();
