import type { ChatDialect } from "./dialect.ts";

/** A server that speaks Chat Completions: its address, and its differences. */
export interface CompatiblePreset {
  /** Name for people. */
  title: string;
  /** Base URL with the version. */
  baseURL: string;
  /** The usual environment variable of its key; absent for local servers, which need none. */
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
