/** What bundlers for Cloudflare's workers make of a `.wasm` file. */
declare const quickjs: WebAssembly.Module;
export default quickjs;
