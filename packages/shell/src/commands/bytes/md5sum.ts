import { md5 } from "@noble/hashes/legacy.js";
import { digestProgram } from "./digest-program.ts";

export const md5sum = digestProgram("md5sum", { tag: "MD5", of: md5 });
