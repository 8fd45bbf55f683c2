import { ConfigurationError } from "../../errors.ts";
import type { PromptHook } from "../definition.ts";
import type { HookContext, HookTypeExecutor } from "../executor.ts";
import { context, readVerdict, verdictRequest } from "./verdict.ts";

/** Asks a model one question, without tools and without the conversation. */
export type AskModel = (
  prompt: string,
  options: Pick<HookContext, "signal" | "onUsage">,
) => Promise<string>;

/** Hands a text to the model of the conversation or, for a hook with `judge`, asks a model for a verdict. */
export function promptExecutor(ask?: AskModel): HookTypeExecutor<PromptHook> {
  return {
    type: "prompt",
    async execute({ prompt, judge }, input, { signal, onUsage }) {
      const event = input.hook_event_name;
      if (!judge) return context(event, prompt);
      if (!ask) {
        throw new ConfigurationError("There is no model to ask", {
          hint: "Pass `ask` with hooks that judge.",
        });
      }
      return readVerdict(event, await ask(verdictRequest(prompt, input), { signal, onUsage }));
    },
  };
}
