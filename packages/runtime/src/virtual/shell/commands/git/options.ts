/** What the shell's `git` may reach, and who it is. */
export interface GitOptions {
  /**
   * The network of clone, fetch, pull and push; without it they say that there is none. It decides which servers can be
   * reached: nothing else asks.
   */
  fetch?: typeof globalThis.fetch;
  /**
   * A proxy that takes `https://proxy/host/path`, as `@isomorphic-git/cors-proxy` does: most servers let no page read
   * them directly.
   */
  corsProxy?: string;
  /** Of commits where neither `GIT_AUTHOR_NAME` nor `user.name` says another. */
  author?: { name: string; email: string };
}
