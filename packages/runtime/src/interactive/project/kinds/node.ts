import type { ProjectKind } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { fieldsOf, type ProjectFiles } from "../project-files.ts";
import { NAME_LENGTH, type PackageManager, type ProjectCommands } from "../project-info.ts";

const LOCK_FILES: readonly (readonly [PackageManager, RegExp])[] = [
  ["pnpm", /^pnpm-(?:lock|workspace)\.yaml$/],
  ["yarn", /^yarn\.lock$/],
  ["bun", /^bun\.lockb?$/],
  ["npm", /^(?:package-lock|npm-shrinkwrap)\.json$/],
  ["deno", /^deno\.lock$/],
];
const FRAMEWORKS: Readonly<Record<string, string>> = {
  next: "Next.js",
  react: "React",
  "react-native": "React Native",
  expo: "Expo",
  vue: "Vue",
  nuxt: "Nuxt",
  svelte: "Svelte",
  "@sveltejs/kit": "SvelteKit",
  "@angular/core": "Angular",
  "solid-js": "Solid",
  astro: "Astro",
  express: "Express",
  fastify: "Fastify",
  "@nestjs/core": "NestJS",
  hono: "Hono",
  koa: "Koa",
  electron: "Electron",
  vite: "Vite",
  webpack: "webpack",
  tailwindcss: "Tailwind CSS",
  prisma: "Prisma",
  vitest: "Vitest",
  jest: "Jest",
  mocha: "Mocha",
  "@playwright/test": "Playwright",
  cypress: "Cypress",
};
/** The placeholder that `npm init` writes as the test script. */
const NO_TEST = /no test specified/;
/** Scripts of other names that do the same. */
const SCRIPTS: Readonly<Record<keyof ProjectCommands, readonly string[]>> = {
  test: ["test"],
  build: ["build"],
  lint: ["lint"],
  typecheck: ["typecheck", "type-check", "check-types", "tsc"],
};

/** JavaScript and TypeScript with a `package.json`. */
export const node: ProjectKind = {
  async describe(files, outer) {
    const manifest = await files.json("package.json");
    const dependencies = new Set(
      ["dependencies", "devDependencies", "peerDependencies"].flatMap((field) => [
        ...fieldsOf(manifest.get(field)).keys(),
      ]),
    );
    const usesTypes = files.find(/^tsconfig(?:\.[\w.-]+)?\.json$/) !== undefined;
    const packageManager = (await nearestPackageManager([files, ...outer])) ?? "npm";
    return {
      name: plainText(manifest.get("name"), NAME_LENGTH),
      language: usesTypes || dependencies.has("typescript") ? "typescript" : "javascript",
      packageManager,
      commands: commandsOf(fieldsOf(manifest.get("scripts")), packageManager),
      frameworks: Object.entries(FRAMEWORKS).flatMap(([name, title]) =>
        dependencies.has(name) ? [title] : [],
      ),
    };
  },
};

/** The package manager that `package.json` names, else that of the lock file. */
function packageManagerOf(
  files: ProjectFiles,
  manifest: ReadonlyMap<string, unknown>,
): PackageManager | undefined {
  const named = manifest.get("packageManager");
  const [name] = typeof named === "string" ? named.split("@") : [];
  const found =
    LOCK_FILES.find(([known]) => known === name) ??
    LOCK_FILES.find(([, lockFile]) => files.find(lockFile) !== undefined);
  return found?.[0];
}

/** The nearest choice, from the project's own directory outwards. */
async function nearestPackageManager(
  directories: readonly ProjectFiles[],
): Promise<PackageManager | undefined> {
  for (const files of directories) {
    const found = packageManagerOf(files, await files.json("package.json"));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The commands of the scripts, for a package manager. */
export function commandsOf(
  scripts: ReadonlyMap<string, unknown>,
  packageManager: PackageManager,
): ProjectCommands {
  const commands: ProjectCommands = {};
  for (const [kind, names] of Object.entries(SCRIPTS) as [keyof ProjectCommands, string[]][]) {
    const name = names.find((script) => {
      const line = scripts.get(script);
      return typeof line === "string" && line.trim() !== "" && !NO_TEST.test(line);
    });
    if (name !== undefined) commands[kind] = runScript(packageManager, name);
  }
  return commands;
}

function runScript(packageManager: PackageManager, name: string): string {
  if (packageManager === "deno") return `deno task ${name}`;
  if (packageManager === "bun") return `bun run ${name}`;
  if (packageManager === "yarn") return `yarn ${name}`;
  return name === "test" ? `${packageManager} test` : `${packageManager} run ${name}`;
}
