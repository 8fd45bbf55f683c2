import type { ContentBlock } from "@agentclientprotocol/sdk";

/** A block that a session takes none of, in words for a person. */
export type Unusable = { unusable: string };

/** The text of a prompt: links become mentions, and embedded texts follow under their addresses. */
export function promptText(blocks: readonly ContentBlock[]): string | Unusable {
  const texts: string[] = [];
  const resources: string[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text);
        break;
      case "resource_link":
        texts.push(mention(block.uri, block.name));
        break;
      case "resource": {
        const { resource } = block;
        if (!("text" in resource))
          return { unusable: `The resource ${resource.uri} is not a text.` };
        texts.push(mention(resource.uri));
        resources.push(`<resource uri="${quoted(resource.uri)}">\n${resource.text}\n</resource>`);
        break;
      }
      default:
        return { unusable: `This session takes no ${block.type} in a prompt.` };
    }
  }
  return [texts.join(""), ...resources].join("\n\n");
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
