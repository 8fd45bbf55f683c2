import { ConfigurationError } from "../errors.ts";
import type { Provider } from "../providers/provider.ts";

/** @throws {ConfigurationError} for options without a provider, which a program that no compiler checked may give */
export function requireProvider(options: { readonly provider?: Provider } | undefined): void {
  if (typeof options?.provider?.chatStream === "function") return;
  throw new ConfigurationError("An agent needs a provider of a model", {
    hint: "Pass { provider }: new OfflineProvider(), or one for a model you have a key for.",
  });
}
