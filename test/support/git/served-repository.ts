const HEAD = "f70150f32faf1e9b77f8275477e4d3cb1769d03e";
/** One commit with `README.md` and three files that are protected, as `git pack-objects` wrote it. */
const PACK =
  "UEFDSwAAAAIAAAAKlAl4nI3LQQoCMQxA0X1Pkb0gSTtpLYjoxnu0mYgDtjPUCB7fOYJ/+eDbUAVhVInB0ynQYyLJydcph4Czap4rIxNXVnHlY891wK13OJfer/otbXvpUdZ2AUoxec8REQ6453Zti5n+Pbj7Mt7mfq87KuOrCHicMzEAAgW99MySjNIkBgX2awuO3T/3eskF1mvV2hrX3v68NsUEoqIoPym/JJFB88lds27RQLfe08J3z7juTD69clkfVEVZcXJ+SioD81vue7N1D0RGNTn4Zm7qcozRehRkaGBgZmKiEOTq6OLrqpebwnCtIGWridkMkSxZpQPJP7iZJygYegEAiSk2OKQCeJwzMQAChfL8ouy0nPzyYoYktksh/hMPL9Kt4Q7ifvQgSO/c0j0A5KoOWKICeJwzNDAwMzFRSM7Uq8zNYdhhYfa2pyG018/hldfRa/NdWI3dZwIAyAgM9Tl4nMvPs1IoKC3O4AIAD+0DAqkCeJwzNDAwMzFRKE4tKcnMSy/WyyrOz2NIuvXl/PYjy5q9jl5RvMedsqiigWMmAEvgEdizB3icPYpBCoAgFAX3nSLe2hO47Aouw8XHBKX0ixoR4t2ToJjNwExDsjn4UjzHAtlAx8EX5IqFioPuAo55f5Oy76Yq5TqO9pVh9U4WEoZDoLhB/CZR+TRuzhTR9aBPDy75KDimAnicMzQwMDMxUShJLM4u1ssqzs9jYOeZILOkIkpeJNC107UmVPlpfLQhANiNC+49eJyrVipJLM4uVrKKjq3lAgAgpwRfOHicC0pNTFHITeUCAAwwAnnISe7v04J3Cuwb1/BCs/v3vv6qRw==";

const encoder = new TextEncoder();

/** A `fetch` of a server that has this repository at every URL. */
export const servesRepository: typeof globalThis.fetch = async (input, init) => {
  const { url } = new Request(input, init);
  if (url.includes("/info/refs")) {
    const capabilities = "\0side-band-64k ofs-delta symref=HEAD:refs/heads/main";
    return answer("advertisement", [
      line("# service=git-upload-pack\n"),
      encoder.encode("0000"),
      line(`${HEAD} HEAD${capabilities}\n`),
      line(`${HEAD} refs/heads/main\n`),
      encoder.encode("0000"),
    ]);
  }
  const pack = Uint8Array.from(atob(PACK), (letter) => letter.charCodeAt(0));
  const part = new Uint8Array(pack.length + 1);
  part[0] = 1;
  part.set(pack, 1);
  return answer("result", [line("NAK\n"), line(part), encoder.encode("0000")]);
};

function answer(kind: string, parts: readonly Uint8Array<ArrayBuffer>[]): Response {
  const headers = { "content-type": `application/x-git-upload-pack-${kind}` };
  return new Response(new Blob([...parts]), { headers });
}

/** A packet line of Git's protocol. */
function line(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const length = (bytes.length + 4).toString(16).padStart(4, "0");
  const all = new Uint8Array(bytes.length + 4);
  all.set(encoder.encode(length));
  all.set(bytes, 4);
  return all;
}
