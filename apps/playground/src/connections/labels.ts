import { findModel } from "@robota/runtime/providers";
import { hostOf } from "./connection.ts";
import { connectionOf } from "./connections.ts";
import { isServiceId, services } from "./services.ts";

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
  const title = isServiceId(provider) ? services[provider].title : provider;
  const name = findModel(model)?.name ?? model;
  return { name: name || title, note: host ?? title };
}

export function bylineOf(provider: string, model: string): string {
  const { name, note } = modelLabel(provider, model);
  return `${name} — ${note}`;
}

/** Prices for a person, from the catalog; words for models without them. */
export function priceLabel(provider: string, model: string): string {
  if (provider === "offline") return "$0 · nothing is sent";
  const service = isServiceId(provider) ? services[provider] : undefined;
  if (provider === "prompt-api" || service?.key === "none") return "$0 · runs on this device";
  const prices = findModel(model)?.prices;
  if (!prices) return "Price unknown";
  return `$${prices.input} in · $${prices.output} out per million tokens`;
}

/** `$0`, `<$0.01`, `$0.12`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? "<$0.01" : `$${dollars.toFixed(2)}`;
}
