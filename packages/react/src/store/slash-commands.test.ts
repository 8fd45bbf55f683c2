import { expect, it } from "vitest";
import { matchCommands, parseCommand } from "./slash-commands.ts";

const commands = [
  { name: "mode", description: "" },
  { name: "help", description: "" },
];

it("takes only known names for commands, so that a path can be sent as a message", () => {
  expect(parseCommand("/mode plan", commands)).toEqual({ name: "mode", args: "plan" });
  expect(parseCommand("/help\n", commands)).toEqual({ name: "help", args: "" });
  expect(parseCommand("/etc/passwd is a file", commands)).toBeUndefined();
  expect(parseCommand("say /help", commands)).toBeUndefined();
});

it("offers commands while their name is typed", () => {
  expect(matchCommands("/", commands)).toHaveLength(2);
  expect(matchCommands("/mo", commands).map(({ name }) => name)).toEqual(["mode"]);
  expect(matchCommands("/mode ", commands)).toEqual([]);
  expect(matchCommands("", commands)).toEqual([]);
});
