// Bundles a worker as the one of apps/edge-worker is uploaded.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  type InputOptions,
  type OutputAsset,
  type OutputChunk,
  rolldown,
  type RolldownOptions,
} from "rolldown";
import { root } from "./bundle-entry.ts";

const APP = join(root, "apps/edge-worker");

/** Its files: one module, and compiled ones beside it. `entry`: another worker's main module, for tests. */
export async function bundleWorker(entry?: string): Promise<(OutputChunk | OutputAsset)[]> {
  const file = pathToFileURL(join(APP, "rolldown.config.mjs")).href;
  const { default: config } = (await import(file)) as { default: RolldownOptions };
  const { output, ...given } = config;
  const options: InputOptions = { ...given, cwd: APP, logLevel: "silent" };
  if (entry !== undefined) options.input = entry;
  const bundle = await rolldown(options);
  const { output: files } = await bundle.generate(Array.isArray(output) ? output[0] : output);
  await bundle.close();
  return files;
}
