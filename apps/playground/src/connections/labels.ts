import { findModel } from "@robota/runtime/providers";
import { hostOf } from "./connection.ts";
import { connectionOf } from "./connections.ts";
import { isServiceId, serviceTitles } from "./service-titles.ts";

export interface ModelLabel {
  /** The model's name for people. */
  name: string;
  /** The place where it runs. */
  note: string;
}

/** The truth about who answers, for the chip and for bylines. */
export function modelLabel(provider: string, model: string): ModelLabel {
  if (provider === "offline") return { name: "Offline guide", note: "scripted, not AI" };
  if (provider === "prompt-api") return { name: "Browser's model", note: "on this device" };
  const host = hostOf(connectionOf(provider)?.baseURL ?? "");
  const title = isServiceId(provider) ? serviceTitles[provider] : provider;
  const name = findModel(model)?.name ?? model;
  return { name: name || title, note: host ?? title };
}

export function bylineOf(provider: string, model: string): string {
  const { name, note } = modelLabel(provider, model);
  return `${name} — ${note}`;
}
