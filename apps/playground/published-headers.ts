import { readFileSync } from "node:fs";

/** The headers that `public/_headers` demands of a static host for every file, for the servers here that don't read it. */
export function publishedHeaders(): Record<string, string> {
  const text = readFileSync(new URL("public/_headers", import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line.startsWith("  "));
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.trim().split(": ");
      return [name, value.join(": ")];
    }),
  );
}
