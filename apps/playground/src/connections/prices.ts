import { findModel } from "@robota/runtime/providers";
import { type Connection, hostOf } from "./connection.ts";
import { isServiceId } from "./service-titles.ts";
import { services } from "./services.ts";

/** A provider for a list: its service, and the host where that says more. */
export function providerLabel({ service, baseURL }: Connection): string {
  const { title, baseURL: usual } = services[service];
  return baseURL === usual ? title : `${title}, ${hostOf(baseURL)}`;
}

/** Prices for a person, from the catalog; words for models without them. */
export function priceLabel(provider: string, model: string): string {
  if (provider === "offline") return "$0 · nothing is sent";
  if (isFree(provider)) return "$0 · runs on your own machine";
  const prices = findModel(model)?.prices;
  if (!prices) return "Price unknown";
  return `$${prices.input} in · $${prices.output} out per million tokens`;
}

/** True for models that nobody is paid for. */
export function isFree(provider: string): boolean {
  return isServiceId(provider) && services[provider].key === "none";
}

/** `$0`, `<$0.01`, `$0.12`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? "<$0.01" : `$${dollars.toFixed(2)}`;
}
