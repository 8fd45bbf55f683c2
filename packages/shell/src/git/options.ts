import type { PinnedFetch } from "@robota/runtime/ports";

/** Network access and identity of the shell's `git`. */
export interface GitOptions {
  /**
   * Network access of clone, fetch, pull and push, which fail without it. The shell's `policy` and the rules of a run
   * decide which servers may be contacted.
   */
  fetch?: typeof globalThis.fetch | undefined;
  /** Replaces `fetch` on hosts that resolve names themselves, as in the shell's own options. */
  pinnedFetch?: PinnedFetch | undefined;
  /**
   * A proxy that takes `https://proxy/host/path`, such as `@isomorphic-git/cors-proxy`: most servers don't allow
   * cross-origin requests. Its own address may be private; the address behind it is judged like a direct request.
   */
  corsProxy?: string | undefined;
  /** Author of commits when neither `GIT_AUTHOR_NAME` nor `user.name` is set. */
  author?: { name: string; email: string } | undefined;
}
