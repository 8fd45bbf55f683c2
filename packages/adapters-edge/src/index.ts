export { edgePlatform, type EdgePlatformOptions } from "./platform.ts";
