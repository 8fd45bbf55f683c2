// Files in an S3-compatible store, for sessions that move between machines.
export { s3FileSystem } from "./s3-file-system.ts";
export type { S3Credentials, S3FileSystemOptions } from "./options.ts";
