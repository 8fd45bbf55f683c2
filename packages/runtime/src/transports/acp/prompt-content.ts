import type { ContentBlock } from "@agentclientprotocol/sdk";
import {
  OWN_CLIENT_LIMITS,
  readAttachments,
  refusedFile,
  type SentFile,
} from "../../interactive/attachments.ts";
import type { Attachment } from "../../messages/message.ts";

/** A prompt as a session takes it. */
export interface PromptContent {
  text: string;
  attachments: Attachment[] | undefined;
}

/**
 * The content of a prompt: links become mentions, embedded texts follow under their addresses, images and embedded files
 * are attached.
 * @throws {RobotaError} `ATTACHMENT_REFUSED`, `ATTACHMENT_TOO_LARGE`
 */
export function promptContent(blocks: readonly ContentBlock[]): PromptContent {
  const texts: string[] = [];
  const resources: string[] = [];
  const files: SentFile[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "image":
        files.push({ data: block.data, mediaType: block.mimeType, name: block.uri ?? undefined });
        break;
      case "resource_link":
        texts.push(mention(block.uri, block.name));
        break;
      case "resource": {
        const { resource } = block;
        texts.push(mention(resource.uri));
        if ("text" in resource) {
          resources.push(`<resource uri="${quoted(resource.uri)}">\n${resource.text}\n</resource>`);
        } else {
          const { blob: data, mimeType, uri } = resource;
          files.push({ data, mediaType: mimeType ?? undefined, name: decoded(uri) });
        }
        break;
      }
      case "audio":
        throw refusedFile("A session takes no audio.");
    }
  }
  const attachments = files.length > 0 ? readAttachments(files, OWN_CLIENT_LIMITS) : undefined;
  return { text: [texts.join(""), ...resources].join("\n\n"), attachments };
}

/** A file as a path, which tools can read; anything else as a link. */
function mention(uri: string, name = uri.slice(uri.lastIndexOf("/") + 1)): string {
  const path = URL.canParse(uri) && uri.startsWith("file://") ? new URL(uri).pathname : undefined;
  return path === undefined ? `[${name}](${uri})` : `@${decoded(path)}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function quoted(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
