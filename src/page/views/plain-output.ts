/**
 * What a program printed, as text to read: its escape sequences are taken out and never followed, and of a line that it wrote
 * over again and again only the last state is shown. Pure.
 */

const SEQUENCES =
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|[ -/]*[0-Z\\^-~])/g;
/** At the end, where the rest of it has not arrived. */
const BEGUN = /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}|[ -/]{0,8}|[\]PX^_][^\u0007\u001b\u009c]{0,1024})$/;
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

export function plainOutput(text: string): string {
  const begun = BEGUN.exec(text.slice(-1_100));
  const whole = begun ? text.slice(0, text.length - begun[0].length) : text;
  const lines = whole.replace(SEQUENCES, "").split("\n");
  return lines.map(lastState).join("\n").replace(CONTROLS, "");
}

function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}
