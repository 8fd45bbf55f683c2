// Most people never set any of it up, so an empty page does without this module.
import type { BrowserPlatformOptions } from "@robota/adapters-web";
import { createStoredCell } from "./preferences.ts";

const isText = (value: unknown): value is string => typeof value === "string";

/** Proxy through which `git` reaches servers; empty for none. */
export const gitProxy = createStoredCell("robota.git-proxy", "", isText);
/** Origins on private networks that `git` may reach, separated by spaces. */
export const privateGitServers = createStoredCell("robota.git-servers", "", isText);

/** The network of `git` as it is set up when the page starts. */
export function gitNetwork(): Pick<BrowserPlatformOptions, "git" | "shellPolicy"> {
  const corsProxy = gitProxy.get() || undefined;
  const servers = privateGitServers.get().split(" ");
  return {
    git: { fetch: (...request) => fetch(...request), corsProxy },
    // Public servers are reached through a proxy only.
    shellPolicy: { allowPrivateOrigins: servers, allowHosts: corsProxy ? undefined : [] },
  };
}
