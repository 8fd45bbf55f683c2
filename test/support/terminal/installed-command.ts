import { copyFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { RUN_FOLDER } from "../../../scripts/packaging/pack.ts";

const PACKAGE = join(import.meta.dirname, "../../../packages/adapters-node");

let built: Promise<string> | undefined;

/** Resolves to the script of `robota` as it is installed. Each process of the tests builds it once. */
export function installedCommand(): Promise<string> {
  return (built ??= install());
}

async function install(): Promise<string> {
  const directory = await mkdtemp(join(process.env[RUN_FOLDER] ?? tmpdir(), "robota-installed-"));
  // The version is read from two directories above the script.
  await copyFile(join(PACKAGE, "package.json"), join(directory, "package.json"));
  await build({
    entryPoints: [
      { in: join(PACKAGE, "src/cli/main.ts"), out: "main" },
      // The program starts it beside its own code: the shell of sessions with files of their own.
      { in: join(PACKAGE, "src/virtual-shell/shell-process.ts"), out: "shell-process" },
    ],
    outdir: join(directory, "dist/cli"),
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    // The oldest one that the package runs on.
    target: "node22",
    conditions: ["@robota/source"],
    external: ["@robota/storage-postgres", "@robota/storage-redis"],
    // Parts of the bundle are CommonJS.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
  return join(directory, "dist/cli/main.js");
}
