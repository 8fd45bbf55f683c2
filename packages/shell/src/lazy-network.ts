import type { AccessRules } from "@robota/runtime/ports";
import type { NetworkOptions, RunFetch, RunNetwork } from "./network.ts";

/**
 * The network of a run, loaded with its first request. Most runs send none, and a worker of this shell sends none
 * itself: Vite's development server serves the dependencies of a package's worker untransformed, including CommonJS.
 * `onAnswer` is called with each answer.
 */
export function lazyRunNetwork(
  options: NetworkOptions,
  rules: AccessRules | undefined,
  onAnswer: () => void,
): RunNetwork {
  const through =
    (program: keyof RunNetwork): RunFetch =>
    async (request, signal) => {
      const { createRunNetwork } = await import("./network.ts");
      const fetch = createRunNetwork(options, rules)[program];
      if (!fetch) throw new Error("This shell has no network.");
      const answer = await fetch(request, signal);
      onAnswer();
      return answer;
    };
  return {
    curl: options.fetch && through("curl"),
    git: options.gitFetch && through("git"),
  };
}
