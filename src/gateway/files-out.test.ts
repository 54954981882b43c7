import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Capabilities } from "../adapter/adapter.js";
import type { Attachment } from "../session/transcript.js";
import { lettersOf } from "./files-out.js";

const base: Capabilities = { maxText: 100, unit: "utf16", edit: false, threads: false, maxFile: 1_000 };
const file = (name: string, mediaType: string, size = 1, voice = false): Attachment => ({
  file: name,
  name,
  mediaType,
  size,
  ...(voice ? { voice } : {}),
});
const [cat, dog, film] = [file("cat", "image/png"), file("dog", "image/jpeg"), file("film", "video/mp4")];
const [notes, song] = [file("notes", "text/plain"), file("song", "audio/mpeg")];
const shown = (text: string, files: readonly Attachment[], traits: Partial<Capabilities> = {}) =>
  lettersOf(text, text === "" ? [] : [text], files, { ...base, ...traits }).map((letter) =>
    [letter.text, ...(letter.files ?? []).map(({ name }) => name)].filter(Boolean).join(" "),
  );

describe("files and their text", () => {
  it("are one letter if the platform has captions and the text is short enough", () => {
    expect(shown("look", [cat], { maxCaption: 4 })).toEqual(["look cat"]);
    expect(shown("look!", [cat], { maxCaption: 4 })).toEqual(["look!", "cat"]);
    expect(shown("look", [cat])).toEqual(["look", "cat"]);
  });

  it("are apart if it is a sound, which has no caption anywhere", () => {
    expect(shown("listen", [song], { maxCaption: 100 })).toEqual(["listen", "song"]);
  });

  it("go together as the platform takes them, pictures with pictures", () => {
    const traits = { maxCaption: 100, maxAlbum: 3 };
    expect(shown("look", [cat, dog, film, cat], traits)).toEqual(["look cat dog film", "cat"]);
    expect(shown("", [cat, notes, notes, dog], traits)).toEqual(["cat", "notes notes", "dog"]);
    expect(shown("", [cat, dog])).toEqual(["cat", "dog"]);
  });

  it("are together no larger than one file may be", () => {
    const large = file("large", "image/png", 600);
    expect(shown("", [large, cat, large, cat], { maxAlbum: 10 })).toEqual(["large cat", "large cat"]);
  });

  it("are nothing else than what was given, in its order, within the limits", () => {
    const types = fc.constantFrom("image/png", "video/mp4", "audio/ogg", "text/csv");
    const files = fc.array(
      fc
        .tuple(types, fc.integer({ min: 0, max: 1_000 }), fc.boolean())
        .map(([type, size, voice]) => file(type, type, size, voice && type === "audio/ogg")),
      { minLength: 1, maxLength: 10 },
    );
    const traits = fc.record({
      maxAlbum: fc.integer({ min: 1, max: 10 }),
      maxCaption: fc.integer({ min: 0, max: 8 }),
    });
    fc.assert(
      fc.property(files, traits, fc.string({ maxLength: 10 }), (given, limits, text) => {
        const pieces = text === "" ? [] : [text];
        const letters = lettersOf(text, pieces, given, { ...base, ...limits });
        expect(letters.flatMap((letter) => letter.files ?? [])).toEqual(given);
        expect(letters.map((letter) => letter.text).join("")).toBe(text);
        for (const { files: album, text: said } of letters) {
          if (!album) continue;
          expect(album.length).toBeLessThanOrEqual(limits.maxAlbum);
          expect(said.length).toBeLessThanOrEqual(limits.maxCaption);
          expect(album.reduce((sum, { size = 0 }) => sum + size, 0)).toBeLessThanOrEqual(1_000);
          if (album.some(({ voice }) => voice)) expect(album).toHaveLength(1);
        }
      }),
    );
  });
});
