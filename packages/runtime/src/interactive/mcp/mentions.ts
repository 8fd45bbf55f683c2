import type { HooksConfig } from "../../hooks/definition.ts";
import { resultOf, visible } from "../../mcp/server-tool.ts";
import type { Platform } from "../../ports/platform.ts";
import { markUntrusted } from "../../tools/web/untrusted.ts";
import { errorMessage } from "../../errors.ts";
import { splitName, wordsOf } from "./resource-tools.ts";
import type { ServerSlot } from "./server-slot.ts";

/** `@server:uri` at the start of a word. */
const MENTION = /(?<=^|\s)@([A-Za-z0-9_-]{1,32}:[^\s]+)/g;
const MAX_MENTIONS = 10;
const MAX_CHARACTERS = 30_000;

/** The hook that adds the resources which a prompt mentions. */
export function mentionHooks(slots: () => readonly ServerSlot[], platform: Platform): HooksConfig {
  return {
    UserPromptSubmit: [
      {
        hooks: [
          {
            type: "function",
            name: "mcp resources",
            run: async (input, { signal }) => {
              const additionalContext = await mentioned(input.prompt, slots(), {
                platform,
                signal,
              });
              if (additionalContext === "") return undefined;
              return {
                hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext },
              };
            },
          },
        ],
      },
    ],
  };
}

async function mentioned(
  prompt: string,
  slots: readonly ServerSlot[],
  { platform, signal }: { platform: Platform; signal: AbortSignal },
): Promise<string> {
  const names = [...prompt.matchAll(MENTION)].map(([, name = ""]) =>
    name.replace(/(?<![.,;:!?)])[.,;:!?)]+$/, ""),
  );
  const texts = [...new Set(names)].slice(0, MAX_MENTIONS).map(async (name) => {
    const named = splitName(name);
    const slot = named && slots.find((one) => one.name === named.server);
    if (!slot) return "";
    try {
      const read = await slot.during({ signal }, (connection, time) =>
        connection.readResource(named.uri, time),
      );
      const words = wordsOf(resultOf(read)).slice(0, MAX_CHARACTERS);
      return `The resource ${visible(name)}:\n${markUntrusted(words, platform)}`;
    } catch (error) {
      return `The resource ${visible(name)} can't be read: ${visible(errorMessage(error))}`;
    }
  });
  return (await Promise.all(texts)).filter((text) => text !== "").join("\n\n");
}
