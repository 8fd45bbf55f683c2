import { type ProjectKind, knownIn } from "../ecosystem.ts";
import { plainText } from "../plain-text.ts";
import { NAME_LENGTH } from "../project-info.ts";

/** Frameworks, by their modules. */
const FRAMEWORKS: Readonly<Record<string, RegExp>> = {
  Gin: /github\.com\/gin-gonic\/gin\b/,
  Echo: /github\.com\/labstack\/echo\b/,
  Fiber: /github\.com\/gofiber\/fiber\b/,
  chi: /github\.com\/go-chi\/chi\b/,
  Cobra: /github\.com\/spf13\/cobra\b/,
  gRPC: /google\.golang\.org\/grpc\b/,
  Testify: /github\.com\/stretchr\/testify\b/,
};

/** Go, by its modules. */
export const go: ProjectKind = {
  async describe(files) {
    const text = await files.text("go.mod");
    const [, name] = /^module\s+"?([^\s"]+)/m.exec(text) ?? [];
    const hasLinter = files.find(/^\.golangci\.(?:ya?ml|toml|json)$/) !== undefined;
    return {
      name: plainText(name, NAME_LENGTH),
      language: "go",
      packageManager: "go",
      commands: {
        test: "go test ./...",
        build: "go build ./...",
        lint: hasLinter ? "golangci-lint run" : "go vet ./...",
      },
      frameworks: knownIn(FRAMEWORKS, text),
    };
  },
};
