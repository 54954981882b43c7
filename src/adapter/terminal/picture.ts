/**
 * A picture as the bytes that make a terminal show it: kitty's protocol, which takes PNG, or iTerm2's. Nothing of the
 * file gets to the terminal but its Base64.
 */

/** How a terminal shows pictures. */
export type PictureProtocol = "kitty" | "iterm2";

const LARGEST = 4 * 1024 * 1024;
/** Kitty takes at most that much at a time. */
const CHUNK = 4_096;
/** About the pixels of a cell. */
const CELL = { width: 10, height: 20 };

/** Null if this terminal cannot show it. */
export function pictureSequence(
  bytes: Buffer,
  mediaType: string,
  protocol: PictureProtocol | undefined,
  room: { readonly columns: number; readonly rows: number },
): string | null {
  if (protocol === undefined || bytes.byteLength > LARGEST) return null;
  const rows = rowsOf(bytes, mediaType, room);
  const base64 = bytes.toString("base64");
  if (protocol === "kitty") return mediaType === "image/png" ? kitty(base64, rows) : null;
  if (!/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return null;
  const settings = `inline=1;size=${bytes.byteLength};height=${rows};preserveAspectRatio=1`;
  return `\u001b]1337;File=${settings}:${base64}\u0007`;
}

/** `q=2`: the terminal does not answer, which would look like typing. */
function kitty(base64: string, rows: number): string {
  const pieces: string[] = [];
  for (let at = 0; at < base64.length; at += CHUNK) {
    const head = at === 0 ? `a=T,f=100,q=2,r=${rows},` : "";
    const more = at + CHUNK < base64.length ? 1 : 0;
    pieces.push(`\u001b_G${head}m=${more};${base64.slice(at, at + CHUNK)}\u001b\\`);
  }
  return pieces.join("");
}

/** As many rows as a PNG has pixels for, within the room; other pictures take all rows. */
function rowsOf(bytes: Buffer, mediaType: string, room: { columns: number; rows: number }): number {
  if (mediaType !== "image/png" || bytes.byteLength < 24) return Math.max(1, room.rows);
  const [width, height] = [bytes.readUInt32BE(16) || 1, bytes.readUInt32BE(20) || 1];
  const own = Math.ceil(height / CELL.height);
  const asWideAsTheScreen = Math.floor((room.columns * CELL.width * height) / width / CELL.height);
  return Math.max(1, Math.min(own, asWideAsTheScreen, room.rows));
}
