/** How much a script of `js` may take. */
export interface ScriptLimits {
  /**
   * Milliseconds of computing. Default 5,000. Looked at between steps of the script, so one long native call, such as
   * sorting a large array, ends late. On hosts that suspend no WebAssembly (before Node 24, and browsers without its
   * promises) it is also what ends a loop that waits for nothing, where the shell shares its thread with who would abort.
   */
  timeMs?: number;
  /** Bytes of the script's memory. Default 64 MiB. */
  memoryBytes?: number;
  /** Files below the script's project that are read for it before it starts. Default 2,000. */
  files?: number;
  /** Bytes of them. Default 32 MiB. */
  fileBytes?: number;
}

export interface ScriptOptions extends ScriptLimits {
  /**
   * QuickJS compiled (a `WebAssembly.Module`), for hosts that compile no WebAssembly from bytes, such as Cloudflare's:
   * `import quickjs from "@robota/shell/quickjs.wasm"`. Without it there `js` says that it can't run.
   */
  wasm?: object;
}
