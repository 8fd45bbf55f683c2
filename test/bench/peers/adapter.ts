import type { Wire } from "./wires.ts";

/** A system under measurement, behind the one interface that all scenarios use. */
export interface Adapter {
  /** Loads what it needs of its packages; what a fresh process pays before its first request. */
  load(wire: Wire): Promise<Connect>;
}

export type Connect = (target: Target) => Client;

export interface Target {
  /** Without `/v1`. */
  baseURL: string;
  /** Offers one tool, `echo({ text: string, n: number })`, that answers `ECHOED_` and the text. */
  tools: boolean;
}

/** State that the conversations of a program share. */
export interface Client {
  /** A new one, with that many questions and answers in its past. */
  conversation(history?: number): Promise<Conversation> | Conversation;
  dispose?(): Promise<void>;
}

export interface Conversation {
  /** Runs the agent to its end; `onDelta` gets each piece of text. */
  turn(prompt: string, onDelta: (delta: string) => void): Promise<TurnResult>;
  dispose?(): Promise<void>;
}

export interface TurnResult {
  /** The text of the last answer. */
  text: string;
  toolCalls: number;
}

export const MODEL = "mock-model";
export const API_KEY = "k";
/** The option that clients require in a page, where anybody who opens it can read the key. */
export const IN_PAGE = "document" in globalThis ? { dangerouslyAllowBrowser: true } : {};

export const ECHO = {
  name: "echo",
  description: "Echo the text back",
  parameters: {
    type: "object",
    properties: { text: { type: "string" }, n: { type: "number" } },
    required: ["text", "n"],
    additionalProperties: false,
  },
};

export function echo({ text }: { text: string }): string {
  return `ECHOED_${text}`;
}

export function pastQuestion(index: number): string {
  return `question ${index} about the weather today?`;
}

export function pastAnswer(index: number): string {
  return `answer ${index}: it is sunny with a light breeze, nothing more.`;
}
