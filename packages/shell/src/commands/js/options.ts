/** Limits of a script of `js`. */
export interface ScriptLimits {
  /**
   * Milliseconds of computing. Default 5,000. Checked between steps of the script, so one long native call, such as
   * sorting a large array, ends late. On hosts that can't suspend WebAssembly (before Node 24, and browsers without
   * JavaScript Promise Integration) it is also the only end of a loop without an `await`, if the shell shares its
   * thread with the caller that would abort.
   */
  timeMs?: number;
  /** Bytes of the script's memory. Default 64 MiB. */
  memoryBytes?: number;
  /** Files below the script's project to load before it starts. Default 2,000. */
  files?: number;
  /** Total bytes of those files. Default 32 MiB. */
  fileBytes?: number;
}

export interface ScriptOptions extends ScriptLimits {
  /**
   * QuickJS compiled (a `WebAssembly.Module`), for hosts that can't compile WebAssembly from bytes, such as
   * Cloudflare's: `import quickjs from "@robota/shell/quickjs.wasm"`. Without it `js` reports there that it can't run.
   */
  wasm?: object;
}
