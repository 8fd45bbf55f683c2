import { expect, it } from "vitest";
import { contentText } from "../../../messages/message.ts";
import { requireNotebook, showNotebook } from "./notebook.ts";

const cell = (source: string | string[], outputs: unknown[] = []) => ({
  cell_type: "code",
  execution_count: 3,
  source,
  outputs,
});

function show(...cells: unknown[]) {
  const parts = showNotebook("/code/a.ipynb", JSON.stringify({ cells, nbformat: 4 }));
  return { text: contentText(parts ?? []), images: parts?.filter(({ type }) => type === "image") };
}

it("shows cells with their outputs", () => {
  const { text } = show(
    { cell_type: "markdown", source: ["# Title\n", "words"] },
    cell("print(1)", [
      { output_type: "stream", name: "stdout", text: ["1\n", "2\n"] },
      { output_type: "execute_result", data: { "text/plain": "42", "text/html": "<b>42</b>" } },
      { output_type: "error", ename: "E", evalue: "v", traceback: ["\u001b[31mE\u001b[0m: v"] },
      { output_type: "display_data", data: { "application/x-widget": {} } },
    ]),
  );
  expect(text).toBe(
    [
      "/code/a.ipynb: a notebook of 2 cells.",
      "[Cell 1: markdown]\n# Title\nwords",
      "[Cell 2: code, run 3]\nprint(1)\n[Output: stdout]\n1\n2\n[Output]\n42\n[Output: error]\nE: v\n[Output: application/x-widget, not shown]",
      "(Edit works on the notebook's JSON: Read shows it with offset and limit.)",
    ].join("\n\n"),
  );
});

it("shows pictures, up to a number and a size", () => {
  const picture = (data: string) => ({ output_type: "display_data", data: { "image/png": data } });
  const { text, images } = show(
    cell("plot()", [picture("AAAA\nAAAA\n"), picture("A".repeat(6_000_000))]),
    cell(
      "plots()",
      Array.from({ length: 20 }, () => picture("AAAA")),
    ),
  );
  expect(images?.[0]).toEqual({ type: "image", mediaType: "image/png", data: "AAAAAAAA" });
  expect(images).toHaveLength(8);
  expect(text).toContain("[Output: image/png, 6 bytes, image 1 below]");
  expect(text).toContain("[Output: image/png, 4,500,000 bytes, not shown]");
});

it("is bounded, for any content", () => {
  const long = cell("x".repeat(50_000), [
    { output_type: "stream", name: "stdout", text: "y".repeat(1_000_000) },
  ]);
  const { text } = show(...Array.from({ length: 100 }, () => long));
  expect(text.length).toBeLessThan(101_000);
  expect(text).toMatch(/\(\d+ more cells; Grep finds text in them\.\)/);
  expect(show("no cell", { source: 3, outputs: "x" }, null, cell("\ud83d")).text).toContain(
    "\ufffd",
  );
});

it("does not accept other JSON files", () => {
  for (const text of ["", "{", "[]", "null", '{"cells": 1}']) {
    expect(showNotebook("/code/a.ipynb", text)).toBeUndefined();
  }
});

it("keeps a notebook valid", () => {
  requireNotebook("/code/a.ipynb", '{"cells": []}');
  for (const text of ['{"cells": [}', "{}", ""]) {
    expect(() => requireNotebook("/code/a.ipynb", text)).toThrow(
      expect.objectContaining({ code: "invalid_notebook" }),
    );
  }
});
