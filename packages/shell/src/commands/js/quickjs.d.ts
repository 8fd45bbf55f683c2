import type { QuickJSSyncVariant } from "quickjs-emscripten-core";

/** QuickJS without its WebAssembly, and able to pause (see `scripts/vendor/quickjs.ts`). */
declare const variant: QuickJSSyncVariant;
export default variant;

/** Its WebAssembly, gzipped, in base64. Missing on hosts that get it compiled. */
export declare const packed: string | undefined;
