import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
const runtime = join(root, "packages/runtime/src");

/** The allowed imports of each room of the runtime. Never upward, and sideways only where it is written here. */
const BASE = [
  "abort.ts",
  "bytes.ts",
  "crc32.ts",
  "defined.ts",
  "digest.ts",
  "errors.ts",
  "fitting-name.ts",
  "html",
  "linear-regexp",
  "load-once.ts",
  "native-regexp.ts",
  "option-forms.ts",
  "parse-yaml.ts",
  "ports",
  "messages",
  "network",
];
const PARTS = ["tools", "providers", "permissions", "hooks", "plugins", "events", "context"];
const ROOMS: Record<string, readonly string[]> = {
  // The entry gives implementers of a port what they need besides.
  ports: ["bytes.ts", "errors.ts", "linear-regexp", "native-regexp.ts", "option-forms.ts"],
  "linear-regexp": ["load-once.ts"],
  messages: ["defined.ts", "errors.ts"],
  providers: BASE,
  tools: [...BASE, "providers", "virtual"],
  permissions: [...BASE, "tools"],
  context: [...BASE, "providers"],
  hooks: [...BASE, "tools"],
  events: [...BASE, "tools"],
  plugins: [...BASE, "events", "tools", "context", "providers"],
  agent: [...BASE, ...PARTS],
  toolkit: [...BASE, ...PARTS, "agent"],
  session: [...BASE, ...PARTS, "agent", "virtual"],
  interactive: [...BASE, ...PARTS, "agent", "session", "virtual", "mcp", "zod.ts"],
  transports: [
    ...BASE,
    "providers",
    "permissions",
    "context",
    "session",
    "interactive",
    "virtual",
    "zod.ts",
  ],
  virtual: ["bytes.ts", "crc32.ts", "defined.ts", "errors.ts", "native-regexp.ts", "ports"],
  "shared-storage": ["errors.ts", "ports"],
  html: [],
  network: ["defined.ts", "errors.ts", "html", "ports"],
  mcp: [...BASE, "tools"],
  telemetry: ["defined.ts", "messages", "events", "session"],
  testing: [...BASE, "providers", "virtual"],
};
const LIBRARY_HOMES: Record<string, string> = {
  hono: "transports/",
  "@opentelemetry/api": "telemetry/",
};

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (name) =>
        /\.tsx?$/.test(name) &&
        // Test support may import the same as tests.
        !/\.test\.tsx?$/.test(name) &&
        !name.includes("node_modules"),
    )
    .map((name) => join(folder, name));
}

function imports(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s*"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|(?:^|\n)import\s+"([^"]+)"/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

describe("a room of the runtime imports only what it may", () => {
  const files = sources(runtime).filter((file) => relative(runtime, file).includes("/"));
  const rooms = Map.groupBy(files, (file) => relative(runtime, file).split("/")[0] ?? "");
  // Nothing in the core imports these; they may import everything.
  rooms.delete("compat");
  rooms.delete("entries");

  for (const [room, members] of rooms) {
    it(room, () => {
      const allowed = ROOMS[room];
      expect(allowed, "every room has a rule").toBeDefined();
      for (const file of members) {
        for (const specifier of imports(file).filter((name) => name.startsWith("."))) {
          const target = relative(runtime, join(dirname(file), specifier)).split("/")[0] ?? "";
          if (target !== room)
            expect(allowed, `${relative(runtime, file)} imports ${specifier}`).toContain(target);
        }
      }
    });
  }
});

it("loads each vendor's SDK only in that vendor's folder", () => {
  for (const file of sources(runtime)) {
    for (const specifier of imports(file)) {
      const home = LIBRARY_HOMES[packageName(specifier)];
      if (home) expect(relative(runtime, file)).toMatch(new RegExp(`^${home}`));
    }
  }
});

it("lets sessions see no concrete tool and no provider, only their interfaces", () => {
  const files = sources(join(runtime, "session"));
  for (const file of files) {
    for (const specifier of imports(file).filter((name) => name.startsWith("."))) {
      const target = relative(runtime, join(dirname(file), specifier));
      expect(target, relative(runtime, file)).not.toMatch(
        /^(?:tools\/(?:builtin|openapi)|providers\/[^/]+)\//,
      );
    }
  }
});

it("lets only a session and its replay hold all parts of a session", () => {
  const holders = sources(runtime).filter((file) =>
    imports(file).some((specifier) => join(dirname(file), specifier).endsWith("/session/core.ts")),
  );
  expect(holders.map((file) => relative(runtime, file)).toSorted()).toEqual([
    "session/create-core.ts",
    "session/replay/create-replay-session.ts",
    "session/session.ts",
  ]);
});

it("takes hashes from the host, and of zod only the tree-shakable part", () => {
  const { dependencies } = JSON.parse(
    readFileSync(join(root, "packages/runtime/package.json"), "utf8"),
  ) as { dependencies: Record<string, string> };
  for (const name of ["jssha", "rxjs"]) {
    expect(Object.keys(dependencies)).not.toContain(name);
    for (const file of sources(runtime))
      expect(imports(file).map(packageName), relative(runtime, file)).not.toContain(name);
  }
  for (const file of sources(runtime)) {
    const parts = imports(file).filter((specifier) => packageName(specifier) === "zod");
    for (const part of parts) expect(part, relative(runtime, file)).toBe("zod/mini");
  }
  const hashing = sources(runtime).filter((file) =>
    readFileSync(file, "utf8").includes("crypto.subtle"),
  );
  expect(hashing.map((file) => relative(runtime, file))).toContain(
    "toolkit/caching/response-cache.ts",
  );
});

it("loads rarely needed parts on demand", () => {
  /** Each in a module of its own, which re-exports what is used of it. */
  const homes = ["mcp/sdk.ts", "tools/openapi/upgrader.ts", "transports/mcp/sdk.ts"];
  const lazy = [
    "@cfworker/json-schema",
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/server",
    "@scalar/openapi-upgrader",
  ];
  for (const file of sources(runtime)) {
    const text = readFileSync(file, "utf8");
    const home = homes.find((one) => relative(runtime, file) === one);
    const modules = homes.map((one) => {
      const path = relative(dirname(file), join(runtime, one));
      return path.startsWith(".") ? path : `./${path}`;
    });
    for (const name of home === undefined ? [...lazy, ...modules] : []) {
      const statically = new RegExp(`^(?:import|export) (?!type\\b)[^;]*from "${name}`, "m");
      expect(statically.test(text), `${relative(runtime, file)} imports ${name}`).toBe(false);
    }
  }
});

it("lets the runtime work without a shell, and the shell import only its ports, files and network", () => {
  for (const file of sources(runtime)) {
    for (const specifier of imports(file)) expect(specifier, file).not.toMatch(/^@robota\//);
  }
  const shell = join(root, "packages/shell/src");
  for (const file of sources(shell).filter((name) => !name.includes("/testing/"))) {
    for (const specifier of imports(file)) {
      if (specifier.startsWith("@robota/"))
        expect(specifier, relative(shell, file)).toMatch(
          /^@robota\/runtime\/(?:ports|network|virtual)$/,
        );
      if (specifier.startsWith("."))
        expect(join(dirname(file), specifier).startsWith(shell), `${file} ${specifier}`).toBe(true);
    }
  }
});

it("keeps folders small enough to read", () => {
  const tracked = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  // A test beside its code is no file more to look through.
  const files = tracked.split("\n").filter((file) => !/\/src\/.*\.test\.tsx?$/.test(file));
  const full = [...Map.groupBy(files, dirname)].filter(([, members]) => members.length > 25);
  expect(full.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
});

it("lets adapters import only the runtime's entries, and never each other", () => {
  const adapters = ["adapters-node", "adapters-web", "adapters-edge"];
  for (const adapter of [...adapters, "storage-postgres", "storage-redis", "files-s3"]) {
    const folder = join(root, "packages", adapter, "src");
    for (const file of sources(folder)) {
      for (const specifier of imports(file)) {
        if (specifier.startsWith(".")) {
          expect(
            join(dirname(file), specifier).startsWith(folder),
            `${file} imports ${specifier}`,
          ).toBe(true);
        }
        expect(specifier).not.toMatch(/^@robota\/(adapters|playground|edge)/);
      }
    }
  }
});

it("lets React's hooks import only the runtime's entries, and their store no framework", () => {
  const folder = join(root, "packages/react/src");
  for (const file of sources(folder).filter((name) => !name.endsWith(".test.tsx"))) {
    const isStore = file.startsWith(join(folder, "store"));
    const outside = imports(file).filter((specifier) => !specifier.startsWith("."));
    for (const specifier of outside)
      expect(specifier, file).toMatch(
        isStore ? /^@robota\/runtime/ : /^(?:@robota\/runtime|react$)/,
      );
  }
});

it("declares each type that an entry exports once", () => {
  const exported = new Set<string>();
  for (const file of sources(runtime).filter(
    (name) => /\/index\.ts$|\/entries\//.test(name) && !name.includes("/compat/"),
  )) {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/\b([A-Z]\w+)\b/g))
      exported.add(name);
  }
  const homes = new Map<string, string[]>();
  // An entry lists names; the declaration is elsewhere.
  const declaring = sources(runtime).filter(
    (name) => !name.includes("/compat/") && !/\/index\.ts$|\/entries\//.test(name),
  );
  for (const file of declaring) {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
      /^export (?:interface|type|class) (\w+)/gm,
    )) {
      if (exported.has(name))
        homes.set(name, [...(homes.get(name) ?? []), relative(runtime, file)]);
    }
  }
  expect([...homes].filter(([, files]) => files.length > 1)).toEqual([]);
});
