import { Exact } from "../ui/exact-text.tsx";
import { countsText, type RequestTitle } from "./request-title.ts";

/** The question of a request, with what it is about set as code. */
export function RequestHeading({ title }: { title: RequestTitle }) {
  const { verb, object, counts } = title;
  return (
    <>
      {verb}{" "}
      <code dir="ltr">
        <Exact text={object} />
      </code>
      {counts && <span data-part="title-counts"> ({countsText(counts)})</span>}?
    </>
  );
}
