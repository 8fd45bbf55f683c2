import type { ChatDialect } from "./dialect.ts";

/** A server that speaks Chat Completions: where it is, and in what it differs from the others. */
export interface CompatiblePreset {
  /** For people. */
  title: string;
  /** With its version. */
  baseURL: string;
  /** The environment variable that usually holds its key; none for servers on one's own machine, which want none. */
  keyVariable?: string;
  dialect: Partial<ChatDialect>;
}

/** Addresses and differences as the servers' own documentation gives them, November 2026. */
export const compatiblePresets = {
  ollama: {
    title: "Ollama",
    baseURL: "http://localhost:11434/v1",
    dialect: { reasoningField: "reasoning" },
  },
  lmStudio: {
    title: "LM Studio",
    baseURL: "http://localhost:1234/v1",
    dialect: {},
  },
  llamaCpp: {
    title: "llama.cpp",
    baseURL: "http://localhost:8080/v1",
    dialect: {},
  },
  vllm: {
    title: "vLLM",
    baseURL: "http://localhost:8000/v1",
    dialect: { reasoningField: "reasoning" },
  },
  openRouter: {
    title: "OpenRouter",
    baseURL: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    dialect: {
      reasoningField: "reasoning",
      thinking: "reasoning",
      webSearch: { plugins: [{ id: "web" }] },
    },
  },
  gemini: {
    title: "Gemini",
    baseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    dialect: {},
  },
  ark: {
    title: "ByteDance Ark",
    baseURL: "https://ark.cn-beijing.volces.com/api/v3",
    keyVariable: "ARK_API_KEY",
    dialect: { thinking: "type" },
  },
} as const satisfies Record<string, CompatiblePreset>;

export type CompatibleName = keyof typeof compatiblePresets;
