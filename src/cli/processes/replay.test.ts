import { expect, test } from "vitest";
import { withoutQuestions } from "./replay.js";

const QUESTIONS = {
  "where the cursor is": "\u001b[6n",
  "where the cursor is, in private": "\u001b[?6n",
  "what the terminal is": "\u001b[c",
  "what it is, again": "\u001b[>0c",
  "which version": "\u001b[>0q",
  "a mode": "\u001b[?2026$p",
  "the keyboard": "\u001b[?u",
  "the size": "\u001b[18t",
  parameters: "\u001b[x",
  "a colour": "\u001b]11;?\u0007",
  "a colour of the palette": "\u001b]4;12;?\u001b\\",
  "the clipboard": "\u001b]52;c;?\u0007",
  "a capability": "\u001bP+q544e\u001b\\",
  "a setting": "\u001bP$qm\u001b\\",
  "a picture": "\u001b_Gi=31,s=1,v=1,a=q;AAAA\u001b\\",
  "what it is, in the old way": "\u001bZ",
  "its answer-back": "\u0005",
};

test.each(Object.entries(QUESTIONS))("%s is not asked again", (_, question) => {
  expect(withoutQuestions(`a${question}b`)).toBe("ab");
});

test.each([
  "plain\r\n",
  "\u001b[31mred\u001b[0m",
  "\u001b[?1049h\u001b[2J\u001b[1;1H\u001b[?25l",
  "\u001b]0;a title?\u0007",
  "\u001b]8;;http://a/?b\u0007link\u001b]8;;\u0007",
  "\u001b(B\u001b7\u001b8\u001bM",
  "\u001b[2 q",
  "an end without its end \u001b[3",
])("%j stays", (text) => {
  expect(withoutQuestions(text)).toBe(text);
});
