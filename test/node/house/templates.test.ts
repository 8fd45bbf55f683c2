import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./sources.ts";

const { catalog }: { catalog: Record<string, string> } = parse(
  readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"),
);

it.each(globSync("packages/create/templates/*/package.json", { cwd: root }))(
  "%s names the versions that are tested here",
  (file) => {
    const manifest: Record<"dependencies" | "devDependencies", Record<string, string>> = JSON.parse(
      readFileSync(join(root, file), "utf8"),
    );
    for (const [name, range] of Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
    })) {
      // `create-robota` writes its own version there.
      const tested = name.startsWith("@robota/") ? "*" : catalog[name]?.replace(/^(?=\d)/, "^");
      expect(range, name).toBe(tested);
    }
  },
);
