import { expect, it } from "vitest";
import { contextCommand, startCommands, windowIn } from "./local-servers.ts";

it("reads the window where each server reports it, and guesses none", () => {
  const ollama = { models: [{ name: "llama3.2", context_length: 4096 }] };
  expect(windowIn("ollama", ollama, "llama3.2")).toBe(4096);
  expect(windowIn("ollama", ollama, "other")).toBeUndefined();
  const studio = { data: [{ id: "m", max_context_length: 131_072, loaded_context_length: 8192 }] };
  expect(windowIn("lmStudio", studio, "m")).toBe(8192);
  expect(windowIn("lmStudio", { data: [{ id: "m", max_context_length: 9 }] }, "m")).toBe(9);
  const cpp = { default_generation_settings: { n_ctx: 2048 } };
  expect(windowIn("llamaCpp", cpp, "any")).toBe(2048);
  for (const broken of [null, [], "text", { models: {} }, { data: [null] }])
    for (const server of ["ollama", "lmStudio", "llamaCpp"] as const)
      expect(windowIn(server, broken, "m")).toBeUndefined();
});

it("never opens a server to every site", () => {
  for (const server of ["ollama", "lmStudio", "llamaCpp"] as const) {
    const commands = [
      ...startCommands(server, "https://play.example"),
      contextCommand(server, "https://play.example", 32_768),
    ];
    for (const { line } of commands) expect(line).not.toContain("*");
  }
});
