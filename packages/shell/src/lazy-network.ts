import type { AccessRules } from "@robota/runtime/ports";
import type { NetworkOptions, RunFetch, RunNetwork } from "./network.ts";

/**
 * The network of a run, loaded with its first request. Most runs send none, and a worker of this shell sends none
 * itself: Vite's development server serves the dependencies of a package's worker untransformed, including CommonJS.
 */
export function lazyRunNetwork(options: NetworkOptions, rules?: AccessRules): RunNetwork {
  const through =
    (program: keyof RunNetwork): RunFetch =>
    async (request, signal) => {
      const { createRunNetwork } = await import("./network.ts");
      const fetch = createRunNetwork(options, rules)[program];
      if (!fetch) throw new Error("This shell has no network.");
      return await fetch(request, signal);
    };
  return {
    ...(options.fetch ? { curl: through("curl") } : {}),
    ...(options.gitFetch ? { git: through("git") } : {}),
  };
}
