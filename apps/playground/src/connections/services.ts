import { type ServiceId, serviceTitles } from "./service-titles.ts";

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

/** Each service's facts for use before its provider is loaded; addresses as in the runtime's presets. */
export const services: Readonly<Record<ServiceId, Service>> = {
  offline: { title: serviceTitles.offline, baseURL: "", key: "none", model: "script-1" },
  "prompt-api": { title: serviceTitles["prompt-api"], baseURL: "", key: "none", model: "browser" },
  ollama: { title: serviceTitles.ollama, baseURL: "http://localhost:11434/v1", key: "none" },
  lmStudio: { title: serviceTitles.lmStudio, baseURL: "http://localhost:1234/v1", key: "none" },
  llamaCpp: { title: serviceTitles.llamaCpp, baseURL: "http://localhost:8080/v1", key: "none" },
  vllm: { title: serviceTitles.vllm, baseURL: "http://localhost:8000/v1", key: "optional" },
  anthropic: {
    title: serviceTitles.anthropic,
    baseURL: "https://api.anthropic.com",
    key: "required",
    model: "claude-sonnet-5",
  },
  openai: {
    title: serviceTitles.openai,
    baseURL: "https://api.openai.com/v1",
    key: "required",
    model: "gpt-5.4",
  },
  openRouter: {
    title: serviceTitles.openRouter,
    baseURL: "https://openrouter.ai/api/v1",
    key: "required",
    model: "openrouter/auto",
  },
  gemini: {
    title: serviceTitles.gemini,
    baseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
    key: "required",
    model: "gemini-flash-latest",
  },
  ark: {
    title: serviceTitles.ark,
    baseURL: "https://ark.cn-beijing.volces.com/api/v3",
    key: "required",
  },
  custom: { title: serviceTitles.custom, baseURL: "", key: "optional" },
  remote: { title: serviceTitles.remote, baseURL: "", key: "optional" },
};
