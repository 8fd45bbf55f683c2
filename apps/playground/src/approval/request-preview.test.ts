/// <reference types="vite/client" />
import type { PermissionRequest } from "@robota/runtime";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { DiffView } from "../diff/diff-view.tsx";
import { RequestPreview } from "./request-preview.tsx";

/** The visible text of a request, with the names of its elements that matter here. */
function shown(request: Pick<PermissionRequest, "tool" | "args" | "preview">): string {
  const { command } = request.args;
  const markup = renderToStaticMarkup(
    createElement(RequestPreview, {
      request: { id: "1", toolCallId: "c1", reason: "no rule matches", ...request },
      command: typeof command === "string" ? command : undefined,
      onCommand: () => undefined,
    }),
  );
  return textOf(markup);
}

const textOf = (markup: string): string =>
  markup
    .replace(/<(\/?)(q|pre)\b[^>]*>/g, "[$1$2]")
    .replace(/<[^>]*>/g, "\n")
    .replace(/\n+/g, "\n");

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("the request for a command", () => {
  it("shows the model's description as the model's words, apart from the command", () => {
    const text = shown({
      tool: "Bash",
      args: { command: "rm -r src", description: "Lists files\u202e" },
    });
    expect(text).toMatch(/The model says: \[q\]\s*Lists files\s*\\u\{202e\}\s*\[\/q\]/);
    expect(text).toMatch(/\[pre\]\s*rm -r src\s*\[\/pre\]/);
    expect(text.match(/Lists files/g)).toHaveLength(1);
  });

  it("shows no words of the model when there are none", () => {
    for (const description of [undefined, 1])
      expect(shown({ tool: "Bash", args: { command: "ls", description } })).not.toContain(
        "The model says",
      );
  });
});

describe("the request for a change", () => {
  const changed = (before: string, after: string): string =>
    shown({
      tool: "Edit",
      args: { filePath: "/workspace/a.txt" },
      preview: { changes: [{ path: "/workspace/a.txt", before, after }] },
    });

  it("counts the unchanged lines that it leaves out", () => {
    const before = lines(1_300);
    const after = before
      .replace("line 5\n", "line five\n")
      .replace("line 13\n", "line thirteen\n")
      .replace("line 1250\n", "line last\n");
    // Three lines around each change are shown.
    expect(changed(before, after).match(/[\d,]+ lines? unchanged/g)).toEqual([
      "1 line unchanged",
      "1 line unchanged",
      "1,230 lines unchanged",
    ]);
    expect(changed(lines(9), lines(9).replace("line 5", "line five"))).toContain(
      "1 line unchanged",
    );
    expect(changed(lines(4), lines(3))).not.toContain("unchanged");
  });

  it("leaves out no changed line", () => {
    const text = changed("", lines(450));
    expect(text.match(/line \d+/g)).toHaveLength(450);
    expect(text).not.toContain("Show all");
  });
});

it("a diff elsewhere tells how many lines there are behind the first ones", () => {
  const change = { path: "/workspace/a.txt", before: null, after: lines(1_450) };
  const text = textOf(renderToStaticMarkup(createElement(DiffView, { change })));
  expect(text.match(/line \d+/g)).toHaveLength(300);
  expect(text).toContain("Show all 1,450 lines");
});
