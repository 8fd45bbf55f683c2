/** Stands in for Node's global in what is bundled with it. */
export { Buffer } from "../../packages/shell/node_modules/buffer/index.js";
