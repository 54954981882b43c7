/** Ids that the page makes: of threads, and of what people say. Nobody can guess one, and no two are the same. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}
