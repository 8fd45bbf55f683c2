import { expect, it } from "vitest";
import { ARCHIVE, DOT_PNG } from "../../../../test/support/protocols/files.ts";
import { fileOfDataUrl, readAttachments } from "./attachments.ts";

function codeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

it("takes a file for what its bytes are, whatever the client says", () => {
  const pdf = btoa("%PDF-1.7");
  const wide = btoa("\u00ff\u00feh\u0000i\u0000");
  expect(
    readAttachments([
      { data: DOT_PNG, mediaType: "application/octet-stream" },
      { data: pdf, mediaType: "text/plain", name: "C:\\papers\\a\nb.pdf" },
      { data: btoa("{}"), mediaType: "application/json", name: "/tmp/a.json" },
      { data: btoa("# a"), mediaType: "text/markdown" },
      { data: wide },
      { data: DOT_PNG, name: "/tmp/dot.png" },
    ]),
  ).toEqual([
    { type: "image", mediaType: "image/png", data: DOT_PNG },
    { type: "file", mediaType: "application/pdf", data: pdf, name: "a b.pdf" },
    { type: "file", mediaType: "text/plain", data: btoa("{}"), name: "a.json" },
    { type: "file", mediaType: "text/markdown", data: btoa("# a") },
    { type: "file", mediaType: "text/plain", data: btoa("hi") },
    { type: "image", mediaType: "image/png", data: DOT_PNG, name: "dot.png" },
  ]);
});

it("adds the padding that clients leave out", () => {
  expect(readAttachments([{ data: "YQ" }])).toMatchObject([{ data: "YQ==" }]);
});

it("refuses archives, Latin-1, nothing, and what is not Base64, with a way out", () => {
  const refused = [ARCHIVE, btoa("caf\u00e9"), "", "not Base64!", "A", "AA=A"];
  for (const data of refused)
    expect(codeOf(() => readAttachments([{ data }]))).toBe("ATTACHMENT_REFUSED");
  expect(() => readAttachments([{ data: ARCHIVE, name: "a.zip" }])).toThrow(
    expect.objectContaining({ hint: expect.stringContaining("workspace") }),
  );
});

it("counts the attachments of a message, and their size together", () => {
  const one = { data: btoa("text") };
  const limits = { count: 2, dataLength: 16 };
  expect(readAttachments([one, one], limits)).toHaveLength(2);
  expect(codeOf(() => readAttachments([one, one, one], limits))).toBe("ATTACHMENT_TOO_LARGE");
  expect(codeOf(() => readAttachments([one, { data: btoa("longer text") }], limits))).toBe(
    "ATTACHMENT_TOO_LARGE",
  );
});

it("reads data: addresses in both encodings", () => {
  expect(fileOfDataUrl("data:text/plain;charset=utf-8;base64,aGk=")).toEqual({
    data: "aGk=",
    mediaType: "text/plain",
  });
  expect(fileOfDataUrl("DATA:,caf%C3%A9")).toEqual({ data: "Y2Fmw6k=", mediaType: "" });
  expect(fileOfDataUrl("https://example.com/a.png")).toBeUndefined();
  expect(codeOf(() => fileOfDataUrl("data:,%ff"))).toBe("ATTACHMENT_REFUSED");
});
