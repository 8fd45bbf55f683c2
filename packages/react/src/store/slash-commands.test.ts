import { expect, it } from "vitest";
import { parseCommand } from "./parse-command.ts";
import { matchCommands } from "./slash-commands.ts";

const commands = [
  { name: "mode", description: "" },
  { name: "help", description: "" },
];

it("treats a path as a message, not as a command", () => {
  expect(parseCommand("/mode plan")).toEqual({ name: "mode", args: "plan" });
  expect(parseCommand("/help\n")).toEqual({ name: "help", args: "" });
  expect(parseCommand("/etc/passwd is a file")).toBeUndefined();
  expect(parseCommand("say /help")).toBeUndefined();
});

it("completes commands while their name is typed", () => {
  expect(matchCommands("/", commands)).toHaveLength(2);
  expect(matchCommands("/mo", commands).map(({ name }) => name)).toEqual(["mode"]);
  expect(matchCommands("/mode ", commands)).toEqual([]);
  expect(matchCommands("", commands)).toEqual([]);
});
