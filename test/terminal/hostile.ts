/** Three hundred texts that try to make a terminal do something: titles, clipboards, modes, answers, colours that stay. */
const INTRODUCERS = ["\u001b]", "\u009d", "\u001bP", "\u0090", "\u001b_", "\u009f", "\u001b^", "\u001bX"];
const ENDINGS = ["\u0007", "\u001b\\", "\u009c", ""];
const STRINGS = [
  "0;owned",
  "2;owned",
  "52;c;b3duZWQ=",
  "8;;http://evil/",
  "1337;File=:AAAA",
  "+q544e",
  "7;file:///x",
];
const CONTROLS = [
  ...[
    "?1049h",
    "?25l",
    "?1000h",
    "?1003h",
    "?2004h",
    "?2004l",
    "?7l",
    "?1h",
    "4h",
    "20h",
    "2J",
    "3J",
    "H",
    "6n",
    "c",
  ],
  ...[
    ">c",
    "=c",
    "5n",
    "?6n",
    "21t",
    "8;1;1t",
    "1;1r",
    "!p",
    "31m",
    "7m",
    "8m",
    "100A",
    "999C",
    "s",
    "u",
    "2 q",
    '"q',
  ],
];
const BARE = [
  ..."\u0007\b\u000b\f\u000e\u000f\u0005\u0018\u001a\u007f\u0084\u0085\u008d\u008e\u009a",
  ...[
    "\u001bc",
    "\u001b7",
    "\u001b8",
    "\u001bM",
    "\u001bD",
    "\u001b=",
    "\u001b>",
    "\u001b#8",
    "\u001b(0",
    "\u001b%G",
    "\u001bn",
  ],
  ...[
    "\u202e",
    "\u2066",
    "\u{e0041}",
    "\ud83d",
    "&#27;]0;owned&#7;",
    "&#x9b;2J&#8238;",
    "\\u001b]0;owned",
    "\u001b",
    "\u001b\u001b[2J",
  ],
];

export const HOSTILE: readonly string[] = [
  ...INTRODUCERS.flatMap((start) => STRINGS.flatMap((text) => ENDINGS.map((end) => `${start}${text}${end}`))),
  ...CONTROLS.flatMap((text) => [`\u001b[${text}`, `\u009b${text}`]),
  ...BARE,
].map((sequence, index) => `a${index}${sequence}b`);
