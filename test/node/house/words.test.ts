import { createDefaultTools } from "../../../packages/runtime/src/tools/builtin/default-tools.ts";
import { memoryPlatform } from "@robota/runtime/testing";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { productFiles, root } from "./sources.ts";

/** Where a built-in tool's name may stand, and why. */
const NAMING: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^packages\/runtime\/src\/tools\/builtin\/[\w-]+\.ts$/, "the tool's own file"],
  [
    /^packages\/runtime\/src\/providers\/offline\//,
    "stands in for a model, which calls tools by name",
  ],
  [
    /^packages\/runtime\/src\/permissions\/rules\/tool-(?:names|facts)\.ts$/,
    "the names that people write in rules",
  ],
  [
    /^packages\/runtime\/src\/permissions\/rules\/rule-warnings\.ts$/,
    "explains rules that people wrote",
  ],
  [
    /^packages\/runtime\/src\/permissions\/rules\/default-rules\.ts$/,
    "rules, as a person would write them",
  ],
  [
    /^packages\/runtime\/src\/interactive\/agents\/agent-definition\.ts$/,
    "agents, as a person would define them",
  ],
  [
    /^apps\/playground\/src\/inspector\/hooks\/sample-hook\.ts$/,
    "a hook, as a person would write it",
  ],
  [/^packages\/adapters-node\/src\/cli\/arguments\/options\.ts$/, "the help shows a rule"],
  [/^packages\/adapters-node\/src\/cli\/init-project\.ts$/, "rules, as a person would write them"],
  [/^packages\/runtime\/src\/compat\/session-types\.ts$/, "a type that the specification names"],
  [
    /^packages\/runtime\/src\/transports\/http\/body\/schemas\.ts$/,
    "the interface's description shows a rule",
  ],
  [
    /^packages\/runtime\/src\/transports\/mcp\/files\.ts$/,
    "a client reads a file as a resource where the model may read it",
  ],
  [
    /^apps\/playground\/src\/tools\/describe-tool\.ts$/,
    "pictures: an event has the name and nothing else",
  ],
];

const ITEM = /^\s*\* - /;
const CONTINUATION = /^\s*\* {2,}\S/;
const ITEM_OR_TAG = /^\s*\* [-@]/;
const TEXT = /^\s*\* \S/;

/** Lines of the product's sources that fit a pattern, as `file:line: text`. */
function places(pattern: RegExp): string[] {
  return productFiles().flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        pattern.test(line) && !/^\s*(?:\*|\/\*|\/\/)/.test(line)
          ? [`${file}:${index + 1}: ${line.trim()}`]
          : [],
      ),
  );
}

it("compares tool error codes and note kinds only with checked unions", () => {
  expect(places(/errorCode\b(?!\()[^,;&|]*[!=]==\s*["'`]/)).toEqual([]);
  const inSessions = places(/\b(?:note|next|event|second)\??\.kind\s*[!=]==\s*["'`]/).filter(
    (place) => place.includes("/session/"),
  );
  expect(inSessions).toEqual([]);
});

it("judges tools by their declared access: no built-in tool's name outside its own file", () => {
  const platform = memoryPlatform();
  const names = [...createDefaultTools(platform, "/").map(({ name }) => name), "Agent"].join("|");
  // As a text, a rule, a key of a record, or a choice of a pattern.
  const named = new RegExp(
    `["'\`](?:${names})(?:["'\`]|\\()|^\\s*(?:${names}):|[/(|^](?:${names})[|)$]`,
  );
  const found = places(named).filter(
    (place) => !NAMING.some(([path]) => path.test(place.replace(/:\d+:.*$/, ""))),
  );
  expect(found).toEqual([]);
  for (const [path] of NAMING)
    expect(
      places(named).some((place) => path.test(place.replace(/:\d+:.*$/, ""))),
      String(path),
    ).toBe(true);
});

it("has unique names of exported classes, except for the specification's own", () => {
  const types = places(/^export (?:abstract )?(?:class|interface|type) \w+/).filter(
    (place) => /^(?:packages|apps)\//.test(place) && !place.includes("/compat/"),
  );
  const byName = Map.groupBy(types, (place) => /(?:class|interface|type) (\w+)/.exec(place)?.[1]);
  const shared = [...byName.values()].filter(
    (named) => named.length > 1 && named.some((place) => /(?:^|\s)class /.test(place)),
  );
  expect(shared).toEqual([]);
});

/** Lines of comments that a list runs into: neither indented as its item nor set off, as an editor's reflow leaves them. */
function brokenLists(source: string): string[] {
  let isInList = false;
  return source.split("\n").filter((line) => {
    const isBroken = isInList && TEXT.test(line) && !ITEM_OR_TAG.test(line);
    isInList = ITEM.test(line) || (isInList && CONTINUATION.test(line));
    return isBroken;
  });
}

it("indents the items of lists in comments from their first line to their last", () => {
  const sources = execFileSync("git", ["ls-files", "*.ts", "*.tsx", "*.mts", "*.mjs"], {
    cwd: root,
    encoding: "utf8",
  })
    .trim()
    .split("\n");
  expect(sources.length).toBeGreaterThan(1000);
  const broken = sources.flatMap((file) =>
    brokenLists(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line.trim()}`),
  );
  expect(broken).toEqual([]);
});

it("sees a list that was broken", () => {
  const item = " * - Nobody but the person writes there, no\n *   tenants: a";
  expect(brokenLists(`${item}\n * personal machine.\n */`)).toEqual([" * personal machine."]);
  expect(brokenLists(`${item} personal machine.\n * - Absent\n *\n * Unless\n */`)).toEqual([]);
});
