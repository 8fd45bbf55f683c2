import { defined } from "../../defined.ts";
import type { FileSystem } from "../../ports/file-system.ts";
import { readFolder } from "./files/read-folder.ts";
import type { BundleWarning, LoadedBundlePlugin } from "./bundle.ts";
import { BundleError } from "./bundle-error.ts";
import { type BundleFiles, type FileHashes, hashFiles } from "./bundle-files.ts";
import { hooksAt, loadHooks } from "./load-hooks.ts";
import { loadServers } from "./load-servers.ts";
import { loadAgents, loadCommands, loadSkills } from "./load-texts.ts";
import { loadTools } from "./load-tools.ts";

/**
 * Loads bundles from directories. Loading runs nothing and connects to nothing, and what it returns is not in force:
 * that takes an installation that a person has approved.
 */
export class BundlePluginLoader {
  readonly #fs: FileSystem;

  constructor({ fs }: { fs: FileSystem }) {
    this.#fs = fs;
  }

  /**
   * Reads the manifest of a bundle, resolves its tools and hooks, and validates the rest.
   *
   * Layouts: `.robota-plugin/plugin.json` or `plugin.json`, and Claude Code's `.claude-plugin/plugin.json`; `commands`,
   * `agents`, `skills`, `hooks/hooks.json` and `.mcp.json` at the top.
   * @param directory absolute
   * @param options.files the hashes that the files must have; with other, missing or additional files the bundle is not
   * loaded
   * @throws {BundleError} `BUNDLE_INVALID` with the file and the field, `BUNDLE_CHANGED`, `BUNDLE_UNSAFE`,
   * `BUNDLE_TOO_LARGE`, `BUNDLE_NOT_FOUND`
   */
  async load(directory: string, options: { files?: FileHashes } = {}): Promise<LoadedBundlePlugin> {
    const { files } = options;
    const found = await (files
      ? readPinned(this.#fs, directory, files)
      : readFolder(this.#fs, directory));
    return loadBundle(found, directory);
  }
}

/** The files of a directory. @throws {BundleError} `BUNDLE_CHANGED` unless they are exactly the pinned ones */
export async function readPinned(
  fs: FileSystem,
  directory: string,
  pinned: FileHashes,
): Promise<BundleFiles> {
  const found = await readFolder(fs, directory, { leavesOut: new Set() });
  await checkFiles(found, pinned);
  return found;
}

async function checkFiles(found: BundleFiles, pinned: FileHashes): Promise<void> {
  const hashes = await hashFiles(found);
  const changed = [...new Set([...Object.keys(hashes), ...Object.keys(pinned)])]
    .filter((path) => !Object.hasOwn(pinned, path) || hashes[path] !== pinned[path])
    .toSorted();
  const [first] = changed;
  if (first === undefined) return;
  const others = changed.length > 1 ? ` and ${changed.length - 1} more` : "";
  const how = !Object.hasOwn(pinned, first)
    ? "was added"
    : Object.hasOwn(hashes, first)
      ? "was changed"
      : "was removed";
  throw new BundleError("BUNDLE_CHANGED", `${first}${others} ${how} since it was installed`, {
    file: first,
  });
}

/** The parts of a bundle with these files at `directory`. @throws {BundleError} `BUNDLE_INVALID` */
export async function loadBundle(
  files: BundleFiles,
  directory: string,
): Promise<LoadedBundlePlugin> {
  const warnings: BundleWarning[] = [];
  const warn = (warning: BundleWarning): void => void warnings.push(warning);
  // Its schemas are loaded by those who load a bundle.
  const { readManifest } = await import("./manifest.ts");
  const { file: manifestFile, manifest, parts } = readManifest(files);
  const place = { files, directory, manifestFile, warn };
  const tools = await loadTools(manifest, parts.tools ?? [], place);
  const hooks = loadHooks(files, parts.hooks, place);
  const servers = loadServers(files, parts.mcpServers, place);
  const [skills, commands, agents] = await Promise.all([
    loadSkills(files, parts.skills, warn),
    loadCommands(files, parts.commands, warn),
    loadAgents(files, parts.agents, warn),
  ]);
  const { allow, ask, deny } = parts.permissions ?? {};
  const permissions = defined({ allow, ask, deny });
  const { systemPrompt } = parts;
  return defined({
    manifest,
    directory,
    tools: tools.length > 0 ? tools : undefined,
    hooks: hooks && Object.keys(hooks).length > 0 ? hooksAt(hooks, directory) : undefined,
    permissions: Object.keys(permissions).length > 0 ? permissions : undefined,
    systemPrompt,
    skills: skills.length > 0 ? skills : undefined,
    commands: commands.length > 0 ? commands : undefined,
    agents: agents.length > 0 ? agents : undefined,
    mcpServers: Object.keys(servers).length > 0 ? servers : undefined,
    warnings,
  });
}
