import {
  type BundlePermissionDiff,
  BundlePluginInstaller,
  DEFAULT_MARKETPLACE_URL,
  MarketplaceClient,
} from "@robota/runtime/plugins";
import { withHost } from "#host";
import { describe, expect, it } from "vitest";
import { withMemory } from "../../hosts/memory.ts";
import {
  installerPlatform,
  membersOf,
  type Served,
  writeFiles,
  zipOf,
} from "../../support/bundles/bundle-files.ts";
import { sha256 } from "../../../packages/runtime/src/digest.ts";

const TEAM = "https://team.example.com/marketplace.json";
const OTHER = "https://other.example.com/index/marketplace.json";
const yes = () => true;

const bundle = (name: string, version = "1.0.0") =>
  zipOf(
    membersOf({
      "plugin.json": { name, version, description: `The ${name}` },
      "commands/run.md": `Run ${name} ${version}`,
    }),
  );

const entry = (name: string, more: object = {}) => ({
  name,
  source: `./${name}.zip`,
  description: `The ${name}`,
  ...more,
});

const index = (name: string, plugins: readonly object[]) =>
  JSON.stringify({ name, owner: { name: "Ada" }, plugins });

/** Two marketplaces at addresses, with what they offer. */
async function served(more: Served = {}): Promise<Served> {
  const formatter = await bundle("formatter");
  return {
    [TEAM]: index("team", [
      entry("formatter", {
        version: "1.0.0",
        category: "Quality",
        keywords: ["style", "prettier"],
        sha256: await sha256(formatter),
      }),
      entry("deployer", { category: "Operations", tags: ["ship"] }),
      entry("shared"),
    ]),
    [OTHER]: index("other", [
      entry("shared"),
      entry("formater"),
      entry("lint", { keywords: ["style"] }),
    ]),
    "https://team.example.com/formatter.zip": formatter,
    "https://team.example.com/deployer.zip": await bundle("deployer"),
    "https://team.example.com/shared.zip": await bundle("shared"),
    "https://other.example.com/index/shared.zip": await bundle("shared", "6.6.6"),
    "https://other.example.com/index/formater.zip": await bundle("formater"),
    "https://other.example.com/index/lint.zip": await bundle("wrong-name"),
    ...more,
  };
}

describe.each([
  ["the host", withHost],
  ["memory", withMemory],
])("S-287 in %s", (_, onHost) => {
  it("adds, lists and removes sources, after a built-in default one", () =>
    onHost(async ({ platform, cwd }) => {
      const host = installerPlatform(platform, await served());
      const client = new MarketplaceClient(host, { cwd });
      const standard = { name: "robota", location: DEFAULT_MARKETPLACE_URL, isDefault: true };
      expect(await client.listSources()).toEqual([standard]);
      expect(await client.addSource(TEAM)).toEqual({
        name: "team",
        location: TEAM,
        isDefault: false,
      });
      await client.addSource(OTHER);
      // Another client of the same host knows them.
      const names = (await new MarketplaceClient(host, { cwd }).listSources()).map(
        ({ name }) => name,
      );
      expect(names).toEqual(["robota", "team", "other"]);
      await client.removeSource("team");
      expect((await client.listSources()).map(({ name }) => name)).toEqual(["robota", "other"]);
      for (const name of ["team", "robota"])
        await expect(client.removeSource(name)).rejects.toMatchObject({ code: "BUNDLE_NOT_FOUND" });
    }));

  it("searches by name, keyword and category, in all sources", () =>
    onHost(async ({ platform, cwd }) => {
      const host = installerPlatform(platform, await served());
      const client = new MarketplaceClient(host, { cwd, defaultSource: false });
      await client.addSource(TEAM);
      await client.addSource(OTHER);
      const found = async (query: Parameters<typeof client.search>[0]) =>
        (await client.search(query)).plugins.map(({ qualifiedName }) => qualifiedName);
      expect(await found({ name: "format" })).toEqual(["formater@other", "formatter@team"]);
      expect(await found({ keyword: "style" })).toEqual(["formatter@team", "lint@other"]);
      expect(await found({ keyword: "ship" })).toEqual(["deployer@team"]);
      expect(await found({ category: "quality" })).toEqual(["formatter@team"]);
      expect(await found({ keyword: "style", category: "Quality" })).toEqual(["formatter@team"]);
      expect(await found("The deploy")).toEqual(["deployer@team"]);
      expect(await found({ marketplace: "other" })).toEqual([
        "formater@other",
        "lint@other",
        "shared@other",
      ]);
      expect(await found({})).toHaveLength(6);
    }));

  it("installs a bundle by its name through the installer", () =>
    onHost(async ({ platform, cwd }) => {
      const host = installerPlatform(platform, await served());
      const installer = new BundlePluginInstaller(host, { cwd });
      const client = new MarketplaceClient(host, { cwd, installer });
      await client.addSource(TEAM);
      expect(await client.install("formatter", { approve: yes })).toMatchObject({
        name: "formatter",
        version: "1.0.0",
        source: "https://team.example.com/formatter.zip",
      });
      expect(await installer.list()).toMatchObject([{ name: "formatter", approved: true }]);
    }));
});

it("reports an unreachable default source, and searches the others", () =>
  withHost(async ({ platform, cwd }) => {
    let asked = 0;
    const host = installerPlatform(platform, {
      ...(await served()),
      [DEFAULT_MARKETPLACE_URL]: () => {
        asked += 1;
        return new Response("", { status: 503 });
      },
    });
    const client = new MarketplaceClient(host, { cwd });
    await client.addSource(TEAM);
    await client.listSources();
    // Nothing is fetched before somebody searches.
    expect(asked).toBe(0);
    const { plugins, problems } = await client.search("formatter");
    expect(plugins).toHaveLength(1);
    expect(problems).toMatchObject([
      { marketplace: "robota", message: expect.stringContaining("may have none yet") },
    ]);
  }));

it("has another default source for a program that names one", () =>
  withHost(async ({ platform, cwd }) => {
    const host = installerPlatform(platform, await served());
    const client = new MarketplaceClient(host, { cwd, defaultSource: TEAM });
    expect(await client.listSources()).toMatchObject([{ location: TEAM, isDefault: true }]);
    expect((await client.search({ name: "deployer" })).plugins).toMatchObject([
      { qualifiedName: "deployer@robota" },
    ]);
  }));

describe("T-21: an ambiguous name", () => {
  const opened = async (platform: Parameters<typeof installerPlatform>[0], cwd: string) => {
    const client = new MarketplaceClient(installerPlatform(platform, await served()), {
      cwd,
      defaultSource: false,
    });
    await client.addSource(TEAM);
    await client.addSource(OTHER);
    return client;
  };

  it("is installed by its qualified name only, when several marketplaces have it", () =>
    withHost(async ({ platform, cwd }) => {
      const client = await opened(platform, cwd);
      await expect(client.install("shared", { approve: yes })).rejects.toMatchObject({
        code: "BUNDLE_AMBIGUOUS",
        hint: expect.stringContaining("shared@team or shared@other"),
      });
      expect(await client.install("shared@team", { approve: yes })).toMatchObject({
        version: "1.0.0",
      });
    }));

  it("is reported when it differs by a letter from another's", () =>
    withHost(async ({ platform, cwd }) => {
      const client = await opened(platform, cwd);
      const shown: BundlePermissionDiff[] = [];
      const approve = (diff: BundlePermissionDiff) => shown.push(diff) < 0;
      await expect(client.install("formater", { approve })).rejects.toMatchObject({
        code: "BUNDLE_REFUSED",
      });
      expect(shown[0]?.warnings.join(" ")).toContain("nearly that of formatter@team");
      expect(shown[0]?.text).toContain("Caution: ");
      // And one without a pinned content.
      expect(shown[0]?.warnings.join(" ")).toContain("pins no content");
    }));

  it("is not given to a bundle that calls itself something else", () =>
    withHost(async ({ platform, cwd }) => {
      const client = await opened(platform, cwd);
      await expect(client.install("lint", { approve: yes })).rejects.toMatchObject({
        code: "BUNDLE_INVALID",
        message: expect.stringContaining("wrong-name"),
      });
    }));

  it("is not given to a second marketplace, nor the project's own to any", () =>
    withHost(async ({ platform, cwd }) => {
      const copy = "https://copy.example.com/marketplace.json";
      const own = "https://own.example.com/marketplace.json";
      const all = await served({ [copy]: index("team", []), [own]: index("robota", []) });
      const client = new MarketplaceClient(installerPlatform(platform, all), { cwd });
      await client.addSource(TEAM);
      await client.addSource(TEAM);
      for (const location of [copy, own])
        await expect(client.addSource(location)).rejects.toMatchObject({ code: "BUNDLE_EXISTS" });
      expect(await client.listSources()).toHaveLength(2);
    }));
});

it("T-21: refuses a bundle that differs from its marketplace's pin", () =>
  withHost(async ({ platform, cwd }) => {
    const all = await served({
      "https://team.example.com/formatter.zip": await bundle("formatter", "6.6.6"),
    });
    const client = new MarketplaceClient(installerPlatform(platform, all), { cwd });
    await client.addSource(TEAM);
    await expect(client.install("formatter", { approve: yes })).rejects.toMatchObject({
      code: "BUNDLE_MISMATCH",
    });
  }));

it("updates when the marketplace has a new version and a person agrees, never by itself", () =>
  withHost(async ({ platform, cwd }) => {
    const all = await served();
    const host = installerPlatform(platform, all);
    const installer = new BundlePluginInstaller(host, { cwd });
    const client = new MarketplaceClient(host, { cwd, installer });
    await client.addSource(TEAM);
    await client.install("deployer", { approve: yes });
    all["https://team.example.com/deployer.zip"] = await bundle("deployer", "2.0.0");
    await client.search("deployer");
    expect(await installer.list()).toMatchObject([{ version: "1.0.0" }]);
    await expect(client.update("deployer", { approve: () => false })).rejects.toMatchObject({
      code: "BUNDLE_REFUSED",
    });
    expect(await client.update("deployer", { approve: yes })).toMatchObject({ version: "2.0.0" });
  }));

it("revalidates by ETag, and uses the stored index when unchanged", () =>
  withHost(async ({ platform, cwd }) => {
    const asked: (string | null)[] = [];
    const all = await served({
      [TEAM]: ({ headers }) => {
        asked.push(headers.get("if-none-match"));
        if (asked.length > 1) return new Response(null, { status: 304 });
        return new Response(index("team", [entry("deployer")]), { headers: { etag: '"one"' } });
      },
    });
    const client = new MarketplaceClient(installerPlatform(platform, all), {
      cwd,
      defaultSource: false,
    });
    await client.addSource(TEAM);
    expect((await client.search()).plugins.map(({ name }) => name)).toEqual(["deployer"]);
    expect(asked).toEqual([null, '"one"']);
  }));

it("reads the index of a folder and of a repository, also in Claude Code's format", () =>
  withHost(async ({ platform, cwd }) => {
    const claude = {
      name: "claude-style",
      owner: { name: "Ada", email: "ada@example.com" },
      metadata: { description: "Plugins", pluginRoot: "./plugins" },
      plugins: [
        {
          name: "one",
          source: "./one",
          description: "One",
          tags: ["first"],
          author: { name: "B" },
        },
        { name: "two", source: { source: "github", repo: "ada/two", ref: "v2" } },
        { name: "three", source: { source: "url", url: "https://github.com/ada/three.git" } },
        { name: "four", source: { source: "npm", package: "four" } },
        { name: "../five", source: "./five" },
      ],
    };
    await writeFiles(platform.fs, `${cwd}/market`, {
      ".claude-plugin/marketplace.json": claude,
      "plugins/one/.claude-plugin/plugin.json": { name: "one" },
      "plugins/one/commands/go.md": "Go",
    });
    const raw = "https://raw.githubusercontent.com/ada/market/v1/.claude-plugin/marketplace.json";
    const repository = { ...claude, name: "on-github" };
    const host = installerPlatform(platform, { [raw]: JSON.stringify(repository) });
    const client = new MarketplaceClient(host, { cwd, defaultSource: false });
    await client.addSource("./market");
    await client.addSource("ada/market@v1");
    const { plugins, problems } = await client.search();
    expect(plugins.map(({ qualifiedName, source }) => [qualifiedName, source])).toEqual([
      ["one@claude-style", { type: "folder", path: `${cwd}/market/plugins/one` }],
      [
        "one@on-github",
        { type: "github", repository: "ada/market", ref: "v1", path: "plugins/one" },
      ],
      ["three@claude-style", { type: "github", repository: "ada/three" }],
      ["three@on-github", { type: "github", repository: "ada/three" }],
      ["two@claude-style", { type: "github", repository: "ada/two", ref: "v2" }],
      ["two@on-github", { type: "github", repository: "ada/two", ref: "v2" }],
    ]);
    expect(plugins[0]).toMatchObject({ keywords: ["first"], author: "B", description: "One" });
    expect(problems.filter(({ marketplace }) => marketplace === "on-github")).toMatchObject([
      { message: expect.stringContaining("no package manager") },
      { message: expect.stringContaining("name") },
    ]);
    expect(await client.install("one@claude-style", { approve: yes })).toMatchObject({
      name: "one",
    });
  }));

it.each([
  ["no JSON", "<!doctype html>"],
  ["no name", JSON.stringify({ plugins: [] })],
  ["no plugins", JSON.stringify({ name: "x" })],
  ["two of a key", '{"name":"a","name":"b","plugins":[]}'],
])("adds no marketplace whose index has %s", (_, text) =>
  withHost(async ({ platform, cwd }) => {
    const client = new MarketplaceClient(installerPlatform(platform, { [TEAM]: text }), { cwd });
    await expect(client.addSource(TEAM)).rejects.toMatchObject({ code: "BUNDLE_INVALID" });
    expect(await client.listSources()).toHaveLength(1);
  }),
);

it("loses no source when two are added concurrently", () =>
  withHost(async ({ platform, cwd }) => {
    const client = new MarketplaceClient(installerPlatform(platform, await served()), { cwd });
    await Promise.all([client.addSource(TEAM), client.addSource(OTHER)]);
    const names = (await client.listSources()).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["other", "robota", "team"]);
  }));
