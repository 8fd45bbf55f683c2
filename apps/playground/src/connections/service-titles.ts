// Kept apart from `services.ts`: the first screen needs no more.
import type { CompatibleName } from "@robota/runtime/providers/openai";

/** A kind of service that can answer. */
export type ServiceId =
  | "offline"
  | "prompt-api"
  | "anthropic"
  | "openai"
  | "custom"
  | "remote"
  | CompatibleName;

/** Names for people. */
export const serviceTitles: Readonly<Record<ServiceId, string>> = {
  offline: "Offline guide",
  "prompt-api": "Browser's model",
  ollama: "Ollama",
  lmStudio: "LM Studio",
  llamaCpp: "llama.cpp",
  vllm: "vLLM",
  anthropic: "Anthropic",
  openai: "OpenAI",
  openRouter: "OpenRouter",
  gemini: "Gemini",
  ark: "ByteDance Ark",
  custom: "Another URL",
  remote: "Edge endpoint",
};

export function isServiceId(value: unknown): value is ServiceId {
  return typeof value === "string" && Object.hasOwn(serviceTitles, value);
}
