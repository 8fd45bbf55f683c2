import { readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import * as main from "@robota/runtime";
import { describe, expect, it } from "vitest";
import { productFiles, root } from "./sources.ts";

/** The names that entries export, by entry, as the snapshot of them says. */
const entries = new Map(
  readFileSync(join(import.meta.dirname, "entries.txt"), "utf8")
    .split(/^(?=@)/m)
    .map((part) => part.trim().split(/\n\s*/))
    .map(([entry = "", ...names]) => [entry, names] as const),
);
const published = new Set([...entries.values()].flat());

interface Import {
  file: string;
  /** A path from the repository, or the name of a package's entry. */
  from: string;
  names: { name: string; isType: boolean }[];
}

/** The imports of the files below a folder of the repository; those at run time without their names. */
function importsBelow(folder: string): Import[] {
  return productFiles()
    .filter((file) => file.startsWith(`${folder}/`))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8");
      const place = (from: string): string =>
        from.startsWith(".") ? normalize(join(dirname(file), from)) : from;
      const late = [...text.matchAll(/\bimport\(\s*"([^"]+)"\s*\)/g)].map(
        ([, from = ""]): Import => ({ file, from: place(from), names: [] }),
      );
      const found = text.matchAll(/(?:import|export) (type )?\{([^}]*)\} from "([^"]+)"/g);
      const named = [...found].map(([, isType, list = "", from = ""]): Import => {
        const names = list.split(",").map((item) => item.trim());
        return {
          file,
          from: place(from),
          names: names
            .filter((name) => name !== "")
            .map((name) => ({
              name: name.replace(/^type /, "").replace(/ as .*$/, ""),
              isType: isType !== undefined || name.startsWith("type "),
            })),
        };
      });
      return [...named, ...late];
    });
}

const SOURCE = "packages/runtime/src";

describe("S-289: each layer imports only what the specification allows it", () => {
  it("the command line: no session, no tool and no engine of its own, and providers only to create one", () => {
    const imports = importsBelow("packages/adapters-node/src/cli").filter(({ from }) =>
      from.startsWith("@robota/"),
    );
    expect(imports.length).toBeGreaterThan(10);
    for (const { file, from, names } of imports) {
      expect(from, file).not.toMatch(/^@robota\/runtime\/(?:tools|toolkit|plugins|compat)$/);
      for (const { name, isType } of names) {
        expect(name, file).not.toMatch(
          /^(?:Robota|Session|SessionStore|ExecutionService|Conversation\w+|createFunctionTool|ToolRegistry|\w+Tool)$/,
        );
        // A format for answers, a list of names and a stored summary are data of a session, and no session.
        const isData =
          isType || /^(?:structuredAnswers|BUILT_IN_TOOL_NAMES|readSessionHeader)$/.test(name);
        if (from === "@robota/runtime/sessions") expect(isData, `${file}: ${name}`).toBe(true);
        if (from.includes("/providers/")) {
          expect(from, file).toBe("@robota/runtime/providers/environment");
        }
      }
    }
  });

  it("S-204: the interactive layer: no provider, only the interface of one", () => {
    const imports = importsBelow(`${SOURCE}/interactive`).filter(({ from }) =>
      from.startsWith(`${SOURCE}/providers/`),
    );
    expect(imports.length).toBeGreaterThan(0);
    // A vendor is a folder; beside the folders is what all of them share.
    for (const { file, from } of imports)
      expect(from, file).toMatch(/^packages\/runtime\/src\/providers\/[^/]+\.ts$/);
    const packages = importsBelow(`${SOURCE}/interactive`).map(({ from }) => from);
    expect(packages.filter((from) => /anthropic|openai|google/i.test(from))).toEqual([]);
  });

  it("transports: the interactive layer, and otherwise only published entries", () => {
    /** The wire's own form of what is published: the codec of a remote provider, the schemas of events, a key, a bound, records without undefined members. */
    const wire = [
      `${SOURCE}/providers/remote/wire.ts`,
      `${SOURCE}/session/transfer/event-schemas.ts`,
      `${SOURCE}/session/store/storage-keys.ts`,
      `${SOURCE}/messages/json-depth.ts`,
      `${SOURCE}/defined.ts`,
    ];
    /** The parts of a session that its client elsewhere has as well: the fold of the log, answers and errors as data. */
    const shared = [
      `${SOURCE}/abort.ts`,
      `${SOURCE}/context/tracker.ts`,
      `${SOURCE}/errors.ts`,
      `${SOURCE}/messages/reported-error.ts`,
      `${SOURCE}/providers/sse.ts`,
      `${SOURCE}/session/approvals/answers.ts`,
      `${SOURCE}/session/state/state.ts`,
    ];
    const imports = importsBelow(`${SOURCE}/transports`).filter(
      ({ from }) => from.startsWith(SOURCE) && !from.startsWith(`${SOURCE}/transports/`),
    );
    expect(imports.some(({ from }) => from.endsWith("/interactive-session.ts"))).toBe(true);
    for (const { file, from, names } of imports) {
      expect(from, file).not.toMatch(
        /\/src\/(?:agent|toolkit|tools|hooks|plugins)\/|\/session\/(?:session|core|turn)/,
      );
      if (wire.includes(from) || from.startsWith(`${SOURCE}/interactive/`)) continue;
      if (file.startsWith(`${SOURCE}/transports/remote/`) && shared.includes(from)) continue;
      for (const { name, isType } of names)
        expect(isType || published.has(name), `${relative(SOURCE, file)}: ${name}`).toBe(true);
    }
  });
});

it("S-226: every package but the one for React is plain TypeScript", () => {
  const framework = /^(?:react|react-dom|preact|ink|vue|svelte|solid-js)(?:\/|$)/;
  const names = ["runtime", "shell", "adapters-node", "adapters-web", "adapters-edge"];
  for (const name of [...names, "storage-postgres", "storage-redis", "files-s3"]) {
    const manifest = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    ) as Record<string, Record<string, string> | undefined>;
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"])
      expect(Object.keys(manifest[kind] ?? {}).filter((one) => framework.test(one))).toEqual([]);
    const files = productFiles().filter((file) => file.startsWith(`packages/${name}/`));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(file).not.toMatch(/\.[jt]sx$/);
      const text = readFileSync(join(root, file), "utf8");
      const from = [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, one = ""]) => one);
      expect(
        from.filter((one) => framework.test(one)),
        file,
      ).toEqual([]);
    }
  }
});

it("S-263: the package exports the helpers of the history, its type and the built-in tools", () => {
  const helpers = [
    "isChatEntry",
    "chatEntryToMessage",
    "messageToHistoryEntry",
    "getMessagesForAPI",
  ];
  for (const name of helpers) expect(Reflect.get(main, name), name).toBeTypeOf("function");
  expect(entries.get("@robota/runtime")).toContain("HistoryEntry");
  expect(entries.get("@robota/runtime/compat")).toContain("IHistoryEntry");
  const { bashTool, readTool, writeTool, editTool, globTool, grepTool } = main;
  const tools = [bashTool, readTool, writeTool, editTool, globTool, grepTool];
  expect(tools.map(({ name }) => name)).toEqual(["Bash", "Read", "Write", "Edit", "Glob", "Grep"]);
});

it("S-233, S-264: the assembly of a session is internal", () => {
  expect(published.size).toBeGreaterThan(300);
  for (const name of [
    "createSession",
    "createDefaultTools",
    "loadConfig",
    "loadContext",
    "SystemCommandExecutor",
    "createSystemCommands",
  ]) {
    expect(published.has(name), name).toBe(false);
  }
});
