import type { Message } from "@robota/runtime";
import { expect, it } from "vitest";
import { firstPrompt } from "./session-title.ts";

const asked = (content: Message["content"]): Message => ({
  role: "user",
  id: "1",
  timestamp: new Date(0),
  content,
});

it("titles a session by what was asked first, also with files", () => {
  expect(firstPrompt([])).toBeUndefined();
  expect(firstPrompt([asked("What is this?"), asked("And that?")])).toBe("What is this?");
  const file = { type: "text", text: "notes.md: Mine" } as const;
  expect(firstPrompt([asked([{ type: "text", text: "Sum it up" }, file])])).toBe("Sum it up");
  const picture = { type: "image", mediaType: "image/png", data: "", name: "shot.png" } as const;
  expect(firstPrompt([asked([{ type: "text", text: "" }, picture])])).toBe("shot.png");
});
