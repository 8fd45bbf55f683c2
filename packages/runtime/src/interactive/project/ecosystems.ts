import type { Ecosystem } from "./ecosystem.ts";

/**
 * In order: the first one found is the project's type, others are named beside it. The reading of a manifest loads with
 * the first one that is there.
 */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  {
    type: "node",
    manifests: [/^package\.json$/],
    load: async () => (await import("./kinds/node.ts")).node,
  },
  {
    type: "python",
    manifests: [/^pyproject\.toml$/, /^Pipfile$/, /^setup\.(?:py|cfg)$/, /^requirements\.txt$/],
    load: async () => (await import("./kinds/python.ts")).python,
  },
  {
    type: "rust",
    manifests: [/^Cargo\.toml$/],
    load: async () => (await import("./kinds/rust.ts")).rust,
  },
  {
    type: "go",
    manifests: [/^go\.mod$/, /^go\.work$/],
    load: async () => (await import("./kinds/go.ts")).go,
  },
  {
    type: "deno",
    manifests: [/^deno\.jsonc?$/],
    load: async () => (await import("./kinds/deno.ts")).deno,
  },
  {
    type: "java",
    manifests: [/^pom\.xml$/, /^(?:build|settings)\.gradle(?:\.kts)?$/],
    load: async () => (await import("./kinds/java.ts")).java,
  },
  {
    type: "dotnet",
    manifests: [/\.slnx?$/i, /\.(?:cs|fs|vb)proj$/i],
    load: async () => (await import("./kinds/dotnet.ts")).dotnet,
  },
  {
    type: "php",
    manifests: [/^composer\.json$/],
    load: async () => (await import("./kinds/php.ts")).php,
  },
  {
    type: "ruby",
    manifests: [/^Gemfile$/, /\.gemspec$/],
    load: async () => (await import("./kinds/ruby.ts")).ruby,
  },
  {
    type: "cpp",
    manifests: [/^CMakeLists\.txt$/, /^meson\.build$/],
    load: async () => (await import("./kinds/cpp.ts")).cpp,
  },
  {
    type: "swift",
    manifests: [/^Package\.swift$/],
    load: async () => (await import("./kinds/swift.ts")).swift,
  },
  {
    type: "elixir",
    manifests: [/^mix\.exs$/],
    load: async () => (await import("./kinds/elixir.ts")).elixir,
  },
  {
    type: "dart",
    manifests: [/^pubspec\.yaml$/],
    load: async () => (await import("./kinds/dart.ts")).dart,
  },
  {
    type: "cpp",
    manifests: [/^(?:GNUmakefile|[Mm]akefile)$/],
    isFallback: true,
    load: async () => (await import("./kinds/cpp.ts")).make,
  },
];
