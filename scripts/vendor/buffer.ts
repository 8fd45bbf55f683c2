/** Replaces Node's global in code bundled with it. */
export { Buffer } from "../../packages/shell/node_modules/buffer/index.js";
