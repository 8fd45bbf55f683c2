import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

declare module "vitest" {
  interface ProvidedContext {
    galleryFolder: string;
  }
}

export default defineConfig({
  resolve: {
    conditions: ["@robota/source", "module", "node", "development|production"],
  },
  ssr: { resolve: { conditions: ["@robota/source", "module", "node", "development|production"] } },
  test: {
    name: "gallery",
    root: join(import.meta.dirname, "../.."),
    globalSetup: "test/e2e/playground/build-directory.setup.ts",
    include: ["test/gallery/*.test.ts"],
    provide: { galleryFolder: process.env["ROBOTA_GALLERY"] ?? join(tmpdir(), "robota-gallery") },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
