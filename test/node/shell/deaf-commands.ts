import type { ShellCommand } from "@robota/shell";

function never(): never {
  for (;;);
}

/** Commands that nothing but the end of their process ends: one that never looks up, and some that take all memory. */
export const customCommands: ShellCommand[] = [
  { name: "deaf", run: never },
  {
    name: "growing-map",
    run() {
      const kept = new Map<string, string>();
      for (let at = 0; ; at++) kept.set(`key ${at}`, `value ${at}`);
    },
  },
  {
    name: "pushed-doubles",
    run() {
      const kept: number[] = [];
      for (;;) kept.push(0.5);
    },
  },
  {
    name: "filled-arrays",
    run() {
      const kept: number[][] = [];
      for (;;) {
        const numbers: number[] = [];
        numbers.length = 4_000_000;
        kept.push(numbers.fill(0.5));
      }
    },
  },
  {
    name: "split-texts",
    run() {
      const kept: string[][] = [];
      for (let text = "some text"; ; text += text) kept.push(text.split(""));
    },
  },
  {
    name: "objects",
    run() {
      const kept: object[][] = [];
      for (;;) kept.push(Array.from({ length: 10_000 }, () => ({})));
    },
  },
  {
    name: "buffers",
    run() {
      const kept: Uint8Array[] = [];
      for (;;) kept.push(new Uint8Array(16 * 1024 * 1024).fill(1));
    },
  },
];
