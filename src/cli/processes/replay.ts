/**
 * What a program said before somebody came, made fit to be shown again: without the questions to the terminal. They were
 * answered or not at their time; an answer now would be typed into the program.
 */

/** Escape sequences as whole words: CSI, those with a text (ended by BEL or ST), and short ones. */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]|\u0005/g;

/**
 * Status, attributes, version, modes, keyboard, size, and colours with `?`; all device control and application strings, which
 * ask or draw pictures; the answer-back character.
 */
const QUESTION =
  /^\u001b\[[0-?]*(?:[cnx]|\$p|t)$|^\u001b\[>[0-9;]*q$|^\u001b\[\?[0-9;]*u$|^\u001b\].*;\?(?:\u0007|\u001b\\|\u009c)$|^\u001b[PX^_]|^\u001bZ$|^\u0005$/s;

export function withoutQuestions(text: string): string {
  return text.replace(SEQUENCES, (sequence) => (QUESTION.test(sequence) ? "" : sequence));
}
