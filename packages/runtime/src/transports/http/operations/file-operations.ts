import { answer } from "../answer-schema.ts";
import { array, missing, type Operation, type Parameter, string } from "./operation.ts";

const octets = "application/octet-stream";
const ifMatch: Parameter = {
  name: "If-Match",
  in: "header",
  description: "Only if the file still has this ETag; `*` for any.",
  schema: string,
};
const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  description: "Only if the file has another ETag, or for `*`: only if there is none.",
  schema: string,
};
const forbidden = {
  403: { description: "It is a setting or a key, for which the scope admin is needed." },
};
const badPath = {
  400: {
    description: "The path is not a canonical one: it has `..`, a link, or control characters.",
  },
};
const changed = { 412: { description: "The file is another one by now." } };

export const fileOperations = {
  listFiles: {
    method: "GET",
    path: "/v1/sessions/:id/files",
    scope: "read",
    summary:
      "The entries of a directory of the workspace; with Accept: application/zip, all below it",
    parameters: [
      {
        name: "path",
        in: "query",
        description: "Relative to the workspace, which it is when omitted.",
        schema: string,
      },
    ],
    responses: {
      200: {
        description: "At most 5,000 entries, in the order of their names.",
        schema: answer({
          path: string,
          entries: array(
            answer({
              name: string,
              type: { enum: ["file", "directory", "symlink"] },
              size: { type: "integer", minimum: 0 },
              modifiedAt: { ...string, format: "date-time" },
            }),
          ),
          isTruncated: { type: "boolean" },
        }),
      },
      ...badPath,
      ...forbidden,
      404: { description: "There is no such directory, or no such session of yours." },
    },
  },
  readFile: {
    method: "GET",
    path: "/v1/sessions/:id/files/:path{.+}",
    scope: "read",
    summary: "A file of the workspace, or a part of it",
    parameters: [
      ifNoneMatch,
      {
        name: "Range",
        in: "header",
        description: "One range of bytes, such as `bytes=0-99`.",
        schema: string,
      },
    ],
    responses: {
      200: { description: "Its bytes; the type goes by its name.", type: "*/*" },
      206: { description: "The range.", type: "*/*" },
      304: { description: "It still has the ETag." },
      ...badPath,
      ...forbidden,
      404: { description: "There is no such file, or no such session of yours." },
      413: { description: "It is larger than this server sends." },
      416: { description: "The file is shorter." },
    },
  },
  writeFile: {
    method: "PUT",
    path: "/v1/sessions/:id/files/:path{.+}",
    scope: "prompt",
    summary: "Write a file of the workspace, and the directories above it",
    bodyType: octets,
    parameters: [ifMatch, ifNoneMatch],
    responses: {
      201: { description: "Made; its ETag is in the header." },
      204: { description: "Replaced; its ETag is in the header." },
      ...badPath,
      ...forbidden,
      ...missing,
      409: { description: "A directory is there, or a file where a directory is needed." },
      ...changed,
      413: { description: "It is larger than this server accepts." },
    },
  },
  deleteFile: {
    method: "DELETE",
    path: "/v1/sessions/:id/files/:path{.+}",
    scope: "prompt",
    summary: "Remove a file or an empty directory of the workspace",
    parameters: [ifMatch],
    responses: {
      204: { description: "Gone." },
      ...badPath,
      ...forbidden,
      404: { description: "There is no such file, or no such session of yours." },
      409: { description: "The directory has entries." },
      ...changed,
    },
  },
} satisfies Record<string, Operation>;
