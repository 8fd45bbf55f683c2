/** The form of a `.wasm` file in bundles for Cloudflare's workers. */
declare const quickjs: WebAssembly.Module;
export default quickjs;
