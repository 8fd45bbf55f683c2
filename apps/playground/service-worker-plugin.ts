import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Files of the host and of the worker itself, which a page never requests. */
const NOT_KEPT = /^(?:_headers|sw\.js|precache\.js|\.vite\/.*|.*\.map)$/;

/** Writes `precache.js`: what `public/sw.js` keeps, and the version of all of it. */
export function serviceWorkerFiles(publicDir: string): Plugin {
  return {
    name: "service-worker-files",
    apply: "build",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const built = Object.values(bundle).map((file) => ({
          name: file.fileName,
          content: file.type === "chunk" ? file.code : file.source,
        }));
        const copied = readdirSync(publicDir).map((name) => ({
          name,
          content: readFileSync(join(publicDir, name)),
        }));
        const files = [...built, ...copied]
          .filter(({ name }) => !NOT_KEPT.test(name))
          .toSorted((one, other) => (one.name < other.name ? -1 : 1));
        const hash = createHash("sha256");
        for (const { name, content } of files) hash.update(name).update(content);
        const version = hash.digest("hex").slice(0, 16);
        const list = JSON.stringify({ version, files: files.map(({ name }) => name) });
        this.emitFile({
          type: "asset",
          fileName: "precache.js",
          source: `self.PRECACHE = ${list};\n`,
        });
      },
    },
  };
}
