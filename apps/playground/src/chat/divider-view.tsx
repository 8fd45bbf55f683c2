import { memo } from "react";
import type { Divider } from "@robota/react/store";
import { Markdown } from "../markdown/markdown.tsx";
import { PlainOnFailure } from "../markdown/plain-on-failure.tsx";

export const DividerView = memo(function DividerView({ divider }: { divider: Divider }) {
  return (
    <div data-part="divider">
      {divider.detail ? (
        <details>
          <summary>{divider.label}</summary>
          <div>
            <PlainOnFailure text={divider.detail}>
              <Markdown text={divider.detail} streaming={false} />
            </PlainOnFailure>
          </div>
        </details>
      ) : (
        <span>{divider.label}</span>
      )}
    </div>
  );
});
