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

export type LocalServiceId = "ollama" | "lmStudio" | "llamaCpp";
export type KeyServiceId = Exclude<
  ServiceId,
  LocalServiceId | "offline" | "prompt-api" | "remote" | "vllm"
>;

export interface Service {
  title: string;
  /** Base URL; empty where a person gives it, or where nothing is called. */
  baseURL: string;
  /** A local server needs no key; an address of one's own may. */
  key: "required" | "optional" | "none";
  /** Chosen first when the service offers it. */
  model?: string;
}

/** What the page knows of each service before a part of its provider is loaded; addresses as in the runtime's presets. */
export const services: Readonly<Record<ServiceId, Service>> = {
  offline: { title: "Offline guide", baseURL: "", key: "none", model: "script-1" },
  "prompt-api": { title: "Browser's model", baseURL: "", key: "none", model: "browser" },
  ollama: { title: "Ollama", baseURL: "http://localhost:11434/v1", key: "none" },
  lmStudio: { title: "LM Studio", baseURL: "http://localhost:1234/v1", key: "none" },
  llamaCpp: { title: "llama.cpp", baseURL: "http://localhost:8080/v1", key: "none" },
  vllm: { title: "vLLM", baseURL: "http://localhost:8000/v1", key: "optional" },
  anthropic: {
    title: "Anthropic",
    baseURL: "https://api.anthropic.com",
    key: "required",
    model: "claude-sonnet-5",
  },
  openai: {
    title: "OpenAI",
    baseURL: "https://api.openai.com/v1",
    key: "required",
    model: "gpt-5.4",
  },
  openRouter: {
    title: "OpenRouter",
    baseURL: "https://openrouter.ai/api/v1",
    key: "required",
    model: "openrouter/auto",
  },
  gemini: {
    title: "Gemini",
    baseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
    key: "required",
    model: "gemini-flash-latest",
  },
  ark: {
    title: "ByteDance Ark",
    baseURL: "https://ark.cn-beijing.volces.com/api/v3",
    key: "required",
  },
  custom: { title: "Another URL", baseURL: "", key: "optional" },
  remote: { title: "Edge endpoint", baseURL: "", key: "optional" },
};

export function isServiceId(value: unknown): value is ServiceId {
  return typeof value === "string" && Object.hasOwn(services, value);
}
