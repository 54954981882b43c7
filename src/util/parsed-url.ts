/**
 * A text as a URL; null if it is none. Not by URL.canParse: once Node.js 20 has compiled a call of it, it refuses every text
 * with a letter such as ä.
 */
export function parsedUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
