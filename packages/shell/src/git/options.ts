import type { PinnedFetch } from "@robota/runtime/ports";

/** What the shell's `git` may reach, and who it is. */
export interface GitOptions {
  /**
   * The network of clone, fetch, pull and push; without it they say that there is none. The shell's `policy` and the rules of
   * a run say which servers it is asked for.
   */
  fetch?: typeof globalThis.fetch | undefined;
  /** In place of `fetch` where the host resolves names, as in the shell's own options. */
  pinnedFetch?: PinnedFetch | undefined;
  /**
   * A proxy that takes `https://proxy/host/path`, as `@isomorphic-git/cors-proxy` does: most servers let no page read
   * them directly. Its own address may be private; the one behind it is judged as if it were asked directly.
   */
  corsProxy?: string | undefined;
  /** Of commits where neither `GIT_AUTHOR_NAME` nor `user.name` says another. */
  author?: { name: string; email: string } | undefined;
}
