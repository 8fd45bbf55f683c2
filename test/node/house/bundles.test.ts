import { describe, expect, it } from "vitest";
import { bundleEntry } from "../../../scripts/packaging/bundle-entry.ts";
import { entriesOf } from "../../../scripts/packaging/entries.ts";

/** The bundler's own helpers, and what workerd gives. */
const isGiven = (path: string): boolean => path === "<runtime>" || path.startsWith("cloudflare:");

/** Words of advice in an error message of both official SDKs; nothing imports it. */
const SDK_ADVICE = "import('node:buffer";

/** The bundler fails on anything unresolved, so a bundle that is there reaches no Node built-in by an import. */
describe.each(["browser", "workerd"] as const)(
  "bundled for %s without Node compatibility",
  (target) => {
    const adapter = target === "browser" ? "adapters-web" : "adapters-edge";

    it.each([...entriesOf("runtime"), ...entriesOf(adapter)])(
      "%s resolves completely and needs no platform",
      async (entry) => {
        const { metafile, outputs, firstModules } = await bundleEntry(
          `export * from "${entry}";`,
          target,
        );
        const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
        const outside = imported
          .filter(({ external, path }) => external && !isGiven(path))
          .map(({ path }) => path);
        const named = outputs.flatMap(
          ({ text }) => text.match(/(?:require|import|from)\s*\(?["'`]node:[\w/]+/g) ?? [],
        );
        expect([...outside, ...named.filter((text) => text !== SDK_ADVICE)]).toEqual([]);
        expect(firstModules.filter((path) => path.includes("/zod/"))).toEqual([]);
      },
    );
  },
);
