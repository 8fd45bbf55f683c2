import { expect, it } from "vitest";
import { crc32 } from "./crc32.ts";

it("computes the checksum of zip and gzip, at every length", () => {
  const bytes = new TextEncoder().encode("123456789");
  expect(crc32(bytes)).toBe(0xcbf43926);
  expect(crc32(new Uint8Array())).toBe(0);
  const long = Uint8Array.from({ length: 100 }, (_, index) => (index * 151) & 0xff);
  for (let length = 0; length <= long.length; length++) {
    let slow = -1;
    for (const value of long.subarray(0, length)) {
      slow ^= value;
      for (let bit = 0; bit < 8; bit++) slow = slow & 1 ? (slow >>> 1) ^ 0xedb88320 : slow >>> 1;
    }
    expect(crc32(long.subarray(0, length))).toBe(~slow >>> 0);
  }
});
