import { expect, it } from "vitest";
import { helpText } from "./help-text.ts";
import { pageCommands } from "./page-commands.ts";

it("lists commands under where they come from, with their arguments and their other names", () => {
  const help = { name: "help", description: "Show commands", source: "builtin" };
  const commands = [
    { ...help, argumentHint: "[command]", aliases: ["?"] },
    { name: "review", description: "Reads the changes", source: "skill" },
    { name: "mode", description: "Show the mode", source: "builtin" },
  ];
  expect(helpText([...commands, ...pageCommands(false)])).toBe(
    [
      "Built-in",
      "/help [command]  Show commands (also /?)",
      "/mode  Show the mode",
      "",
      "Skill",
      "/review  Reads the changes",
      "",
      "This page",
      "/move [address]  Continue this session on a server",
    ].join("\n"),
  );
});

it("leaves out a command that the page answers in its place", () => {
  const skill = { name: "move", description: "Moves house", source: "skill" };
  expect(helpText([skill, ...pageCommands(true)])).toBe(
    "This page\n/move [here]  Bring this session here",
  );
});
