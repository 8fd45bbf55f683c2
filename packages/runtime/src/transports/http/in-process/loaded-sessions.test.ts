import { expect, it, vi } from "vitest";
import { InteractiveSession } from "../../../interactive/interactive-session.ts";
import type { InteractiveSessionOptions } from "../../../interactive/options.ts";
import { memoryPlatform } from "../../../testing/memory-platform.ts";
import { ScriptedProvider } from "../../../testing/scripted-provider.ts";
import { MemoryFileSystem } from "../../../virtual/memory-file-system.ts";
import { LoadedSessions } from "./loaded-sessions.ts";

const platform = () => memoryPlatform({ files: { "/project/": "" } });

/** Loaded sessions of one process, whose provider answers with the process's name. */
function processOf(
  name: string,
  given: Partial<InteractiveSessionOptions> = {},
  { on = platform(), maxOpen = 50 } = {},
): LoadedSessions {
  const provider = new ScriptedProvider(Array.from({ length: 9 }, () => ({ text: name })));
  return new LoadedSessions({
    open: (session) =>
      new InteractiveSession({ platform: on, provider, cwd: "/project", ...session, ...given }),
    maxOpen,
  });
}

it("opens a session again that another process had taken over, and shuts the lost one down", async () => {
  const shared = platform();
  const a = processOf("a", { takeOver: true }, { on: shared });
  const b = processOf("b", { takeOver: true }, { on: shared });
  const lost = await a.load("moving");
  expect(await lost.submit("one")).toMatchObject({ response: "a" });
  expect(await (await b.load("moving")).submit("two")).toMatchObject({ response: "b" });

  const back = await a.load("moving");
  expect(await back.submit("three")).toMatchObject({ state: "complete", response: "a" });
  expect(back.getMessages()).toHaveLength(6);
  await expect(lost.submit("four")).rejects.toMatchObject({ code: "CLOSED" });
  await a.unloadAll("test");
  await b.unloadAll("test");
});

it("keeps no session that was taken over while it was opened", async () => {
  const shared = platform();
  const b = processOf("b", { takeOver: true }, { on: shared });
  const take = async () => {
    await b.load("moving");
    return [];
  };
  let isFirst = true;
  const takenOnce = {
    name: "takes",
    getCommands: () => {
      const commands = isFirst ? take() : [];
      isFirst = false;
      return commands;
    },
  };
  const a = processOf("a", { takeOver: true, commandSources: [takenOnce] }, { on: shared });
  await a.load("moving");
  expect(await (await a.load("moving")).submit("one")).toMatchObject({ response: "a" });
  await a.unloadAll("test");
  await b.unloadAll("test");
});

it("shuts every session down, and then reports those that failed", async () => {
  const sessions = processOf("a");
  const [broken, sound] = [await sessions.load("broken"), await sessions.load("sound")];
  broken.shutdown = () => Promise.reject(new Error("The disk is gone"));
  await expect(sessions.unloadAll("test")).rejects.toMatchObject({
    errors: [{ message: "The disk is gone" }],
  });
  await expect(sound.submit("late")).rejects.toMatchObject({ code: "CLOSED" });
});

it("opens a session though the one that makes room for it fails to shut down", async () => {
  const sessions = processOf("a", {}, { maxOpen: 1 });
  const idle = await sessions.load("idle");
  idle.shutdown = () => Promise.reject(new Error("The disk is gone"));
  expect(await (await sessions.load("next")).submit("one")).toMatchObject({ response: "a" });
  await expect(sessions.unloadAll("test")).rejects.toThrow("The disk is gone");
});

it("leaves nothing open of a session that can't be opened, which can be unloaded meanwhile", async () => {
  const fs = new MemoryFileSystem();
  const mkdir = vi.spyOn(fs, "mkdir").mockRejectedValue(new Error("No directory"));
  const on = { ...memoryPlatform({ fs }), cwd: "/new" };
  const sessions = processOf("a", { cwd: "/new" }, { on });
  const loading = sessions.load("mended");
  const unloading = sessions.unload("mended", "deleted");
  await expect(loading).rejects.toThrow("No directory");
  await unloading;

  mkdir.mockRestore();
  expect(await (await sessions.load("mended")).submit("one")).toMatchObject({ response: "a" });
  await sessions.unloadAll("test");
});
