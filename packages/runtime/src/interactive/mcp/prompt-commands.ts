import type { Prompt } from "@modelcontextprotocol/client";
import { contentText } from "../../messages/message.ts";
import { resultOf, visible } from "../../mcp/server-tool.ts";
import type { Command, CommandPrompt } from "../commands/command.ts";
import type { ServerSlot } from "./server-slot.ts";

const COMMAND_NAME = /^[A-Za-z0-9_.:-]{1,64}$/;

/** The prompts of connected servers as commands. */
export function promptCommands(slots: readonly ServerSlot[], closing: AbortSignal): Command[] {
  return slots.flatMap((slot) =>
    slot.lists.prompts
      .filter(({ name }) => COMMAND_NAME.test(name))
      .map((prompt) => commandOf(slot, prompt, closing)),
  );
}

function hintOf(named: NonNullable<Prompt["arguments"]>): string {
  return named
    .map(({ name, required }) => (required ? `<${name}>` : `[${name}]`))
    .map(visible)
    .join(" ");
}

function commandOf(slot: ServerSlot, prompt: Prompt, signal: AbortSignal): Command {
  const {
    name,
    description = `The prompt ${name} of ${slot.name}`,
    arguments: named = [],
  } = prompt;
  return {
    name: `mcp__${slot.name}__${name}`,
    description: visible(description).replace(/(?<!\s)\s*\n\s*/g, " "),
    source: "mcp",
    argumentHint: named.length > 0 ? hintOf(named) : undefined,
    // A server's words become a person's prompt: no model asks for that by itself.
    callers: ["person", "remote"],
    prompt: async (typed): Promise<CommandPrompt> => {
      const args = argumentsOf(prompt, typed);
      const messages = await slot.during({ signal }, (connection, time) =>
        connection.getPrompt(name, args, time),
      );
      const texts = messages.map(({ role, content }) => {
        const words = contentText(resultOf({ content: [content] }).output);
        return messages.length === 1 ? words : `${role}: ${words}`;
      });
      return { text: texts.join("\n\n") };
    },
  };
}

/** One word for each argument in order, the rest for the last one. Words may be quoted. */
function argumentsOf({ arguments: named = [] }: Prompt, typed: string): Record<string, string> {
  const words = [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((found) => ({
    word: found[1] ?? found[2] ?? found[3] ?? "",
    from: found.index,
  }));
  const args: Record<string, string> = {};
  for (const [at, { name }] of named.entries()) {
    const word = words[at];
    if (!word) break;
    const isLast = at === named.length - 1 && words.length > named.length;
    args[name] = isLast ? typed.slice(word.from).trim() : word.word;
  }
  const missing = named.filter(({ name, required }) => required && args[name] === undefined);
  if (missing.length > 0)
    throw new Error(`It needs: ${missing.map(({ name }) => visible(name)).join(", ")}.`);
  return args;
}
