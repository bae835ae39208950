// Hears at once that somebody recorded something, where the server and everything on the way let it; sync.js then asks what.
const AGAIN = 60_000; // ms until a stream that was refused is tried again

/** Follow the stream at `url` ("" for none): `onNews(count, version)`. Returns `isOpen()`, `close()`. */
export function follow(url, onNews) {
  let source = null;
  let timer;
  function open() {
    source = new EventSource(url);
    source.addEventListener("message", ({ data }) => onNews(...data.split(" ").map(Number)));
    source.addEventListener("error", () => {
      // The browser itself tries again but for an answer that is no stream.
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN);
    });
  }
  if (url && window.EventSource) open();
  return {
    isOpen: () => source?.readyState === EventSource.OPEN,
    close() {
      clearTimeout(timer);
      source?.close();
    },
  };
}
