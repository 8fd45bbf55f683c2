import { expect, it } from "vitest";
import { closestCommands, offlineCommands, parseCommand } from "./command.ts";
import { expectWithin } from "../../../../../test/support/time/own-time.ts";

it.each([
  ["list", { verb: "list", glob: "**/*" }],
  ["List src/*.ts", { verb: "list", glob: "src/*.ts" }],
  ["read a b.md", { verb: "read", path: "a b.md" }],
  ["find to do", { verb: "find", text: "to do" }],
  ["find x in src/**/*.ts", { verb: "find", text: "x", glob: "src/**/*.ts" }],
  ["find fun in the sun", { verb: "find", text: "fun in the sun" }],
  ['find "a in b" in *.md', { verb: "find", text: "a in b", glob: "*.md" }],
  ["write a.md: hello: you", { verb: "write", path: "a.md", text: "hello: you\n" }],
  ['write a.md: "a\\nb"', { verb: "write", path: "a.md", text: "a\nb" }],
  ['write "a: b.md": x', { verb: "write", path: "a: b.md", text: "x\n" }],
  ["write empty.md:", { verb: "write", path: "empty.md", text: "\n" }],
  ["replace a with b in c.md", { verb: "replace", from: "a", to: "b", path: "c.md" }],
  ["replace in with out in in.md", { verb: "replace", from: "in", to: "out", path: "in.md" }],
  [
    `replace "a with b" with 'say "hi" in c' in d.md`,
    { verb: "replace", from: "a with b", to: 'say "hi" in c', path: "d.md" },
  ],
  ['replace a with "" in c.md', { verb: "replace", from: "a", to: "", path: "c.md" }],
  [
    "replace don't with do not in c.md",
    { verb: "replace", from: "don't", to: "do not", path: "c.md" },
  ],
  ["run echo 'a; b' && ls", { verb: "run", command: "echo 'a; b' && ls" }],
  ["fetch https://example.com/a?b", { verb: "fetch", url: "https://example.com/a?b" }],
  ["search web agents in tabs", { verb: "search", query: "agents in tabs" }],
  ["plan list; read a; think", { verb: "plan", items: ["list", "read a", "think"] }],
  ["ask me Which one?: a | b", { verb: "ask", question: "Which one?", choices: ["a", "b"] }],
  ["ask me Why?", { verb: "ask", question: "Why?", choices: [] }],
  ["delegate Explore: read a: b", { verb: "delegate", agent: "Explore", task: "read a: b" }],
  [
    "delegate Explore in background: list",
    { verb: "delegate", agent: "Explore", task: "list", isBackground: true },
  ],
  ["delegate Explore:list", { verb: "delegate", agent: "Explore", task: "list" }],
  [
    "delegate project:reviewer: read a: b",
    { verb: "delegate", agent: "project:reviewer", task: "read a: b" },
  ],
  ["long 500", { verb: "long", tokens: 500 }],
  ["slow 99999999", { verb: "slow", ms: 600_000 }],
  ["fail overloaded", { verb: "fail", with: "overloaded" }],
  ["help", { verb: "help" }],
])("parses %j", (line, command) => {
  expect(parseCommand(line)).toEqual(command);
});

it.each([
  "",
  "please fix the test",
  "read",
  "write a.md",
  "replace a in b",
  "replace a with b",
  "fetch example",
  "search the web",
  "ask you",
  "delegate Explore",
  "long many",
  "fail 404",
  "help me",
])("does not interpret %j", (line) => {
  expect(parseCommand(line)).toBeUndefined();
});

it("parses a line of many quotes and separators in linear time", async () => {
  const line = `replace ${'" with " in '.repeat(5_000)}`;
  await expectWithin(2_000, () => {
    parseCommand(line);
    closestCommands(line);
  });
});

it("suggests commands with similar names", () => {
  expect(closestCommands("raed a.md")[0]?.verb).toBe("read");
  expect(closestCommands("rnu ls", 1).map(({ verb }) => verb)).toEqual(["run"]);
  expect(closestCommands("")).toHaveLength(3);
});

it("describes each command once", () => {
  const verbs = offlineCommands.map(({ verb }) => verb);
  expect(new Set(verbs).size).toBe(verbs.length);
});

it("understands what a prompt mentions: a file, and an agent", () => {
  expect(parseCommand("read @src/a.ts")).toEqual({ verb: "read", path: "src/a.ts" });
  expect(parseCommand('read @"my notes.txt"')).toEqual({ verb: "read", path: "my notes.txt" });
  expect(parseCommand("@agent-explore list src")).toEqual({
    verb: "delegate",
    agent: "explore",
    task: "list src",
  });
});
