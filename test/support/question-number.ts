/** The number by which a question about something dangerous is answered, as its text tells it; undefined if it is none. */
export function questionNumber(text: string): string | undefined {
  const [, alone, among] =
    /\nAllow\? yes(?: (\d+))? \/ no[^\n]*\n\([^\n]*?(?:this is question (\d+))?\)$/.exec(text) ?? [];
  return alone ?? among;
}
