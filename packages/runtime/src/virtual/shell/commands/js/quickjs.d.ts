import type { QuickJSSyncVariant } from "quickjs-emscripten-core";

/** QuickJS with its WebAssembly, or without it for hosts that are handed it compiled (see `scripts/vendor/quickjs.ts`). */
declare const variant: QuickJSSyncVariant;
export default variant;
