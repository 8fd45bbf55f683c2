import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { productFiles, root } from "./sources.ts";

/** Places in the product's sources that fit a pattern, as `file:line: text`. */
function places(pattern: RegExp): string[] {
  return productFiles().flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
}

it("compares no tool's error code and no note's kind with a text that the compiler does not check", () => {
  expect(places(/errorCode\b[^,;&|]*[!=]==\s*["'`]/)).toEqual([]);
  expect(places(/\b(?:note|next|event|second)\??\.kind\s*[!=]==\s*["'`]/)).toEqual([]);
});
