import { existsSync, readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { manifestsOf, requireReleasable, setVersion } from "../../../scripts/packaging/release.ts";
import { root } from "./sources.ts";

interface Manifest {
  name: string;
  version: string;
  private?: boolean;
  description: string;
  keywords: string[];
  license: string;
  files: string[];
  engines?: { node?: string };
  publishConfig: { access?: string; provenance?: boolean };
  scripts?: { prepack?: string };
}

const manifests = [...manifestsOf(root)];

describe.each(manifests)("%s", (path, { name }) => {
  const manifest: Manifest = JSON.parse(readFileSync(path, "utf8"));

  it("says what a registry shows, and is published in public with provenance", () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.description.length).toBeGreaterThan(20);
    expect(manifest.keywords.length).toBeGreaterThanOrEqual(5);
    expect(manifest.keywords).toEqual(manifest.keywords.toSorted());
    expect(manifest.license).toBe("MIT");
    expect(manifest.files.some((path) => path === "dist" || path.startsWith("dist/"))).toBe(true);
    expect(manifest.publishConfig).toMatchObject({ access: "public", provenance: true });
    expect(existsSync(join(dirname(path), "README.md")), name).toBe(true);
  });

  it("is built when it is packed, from a fresh clone, too", () => {
    const published = JSON.stringify([manifest.files, manifest.publishConfig]);
    // Bundles for Node, the generated parts of the shell and a site, none of which `tsc` writes.
    const needsMore = /\bdist\/(?:node|site)\b|\bvendor\b/.test(published);
    expect(manifest.scripts?.prepack).toBe(
      needsMore ? `node ../../scripts/packaging/prepack.ts ${basename(dirname(path))}` : "tsc -b",
    );
  });
});

it("releases one version of all packages, which the changelog explains", async () => {
  const [, { version = "" } = {}] = manifests[0] ?? [];
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  requireReleasable(version, new Map(manifests), changelog);
  expect(() => requireReleasable("9.9.9", new Map(manifests), changelog)).toThrow(
    `@robota/runtime is ${version}`,
  );
  expect(() => requireReleasable(version, new Map(manifests), "")).toThrow("CHANGELOG.md");
  expect(() => requireReleasable("next", new Map(manifests), changelog)).toThrow("v0.2.0");

  const copy = await mkdtemp(join(tmpdir(), "robota-release-"));
  try {
    for (const [path] of manifests) await cp(path, join(copy, relative(root, path)));
    setVersion("1.2.3", copy);
    const set = [...manifestsOf(copy).values()];
    expect(new Set(set.map((manifest) => manifest.version))).toEqual(new Set(["1.2.3"]));
    expect(set[0]).toEqual({ ...manifests[0]?.[1], version: "1.2.3" });
  } finally {
    await rm(copy, { recursive: true });
  }
});

it("tells people how to report problems, and how to behave", () => {
  for (const file of [
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    ".github/ISSUE_TEMPLATE/bug.yml",
    ".github/ISSUE_TEMPLATE/feature.yml",
  ])
    expect(existsSync(join(root, file)), file).toBe(true);
});
