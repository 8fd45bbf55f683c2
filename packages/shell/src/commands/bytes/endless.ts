const RANDOM_BYTES = 65_536;
const MAX_BYTES = 256 * 1024 * 1024;

/** Reads the first bytes of an endless device, of which `readFile` returns only a part; `undefined` for other files. */
export function readEndless(path: string, count: number | undefined): Uint8Array | undefined {
  const isRandom = path === "/dev/urandom" || path === "/dev/random";
  if (!isRandom && path !== "/dev/zero") return undefined;
  if (count === undefined) throw new Error(`${path} is endless: specify a count`);
  if (count > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes of ${path}`);
  const bytes = new Uint8Array(count);
  if (!isRandom) return bytes;
  for (let at = 0; at < count; at += RANDOM_BYTES) {
    crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES));
  }
  return bytes;
}
