/** Commands that take commands as input, and text that is typed into programs. */
import { describe, expect, it } from "vitest";
import { dangerOf, dangerOfTyped, GOES_ON } from "./danger.js";
import { TAKES_COMMANDS } from "./danger-input.js";
import { TAKES_KEYS } from "./danger-keys.js";

const place = { folders: ["/work"] };
const typed = (command: string) => dangerOf(command, { place, getsInput: true });

describe("a command into which something can be typed", () => {
  it.each([
    ..."bash|sh|bash -i|bash -s x|bash -x|bash -o posix|/bin/bash --norc|zsh -l|fish|env bash|exec bash|busybox sh".split(
      "|",
    ),
    ..."python3|python3 -q|python3 -i app.py|python3 -W ignore|python3 -m pdb app.py|python3 -|python3 -c 'print(1)' -i".split(
      "|",
    ),
    ..."node|node -i|node inspect app.js|perl|ruby|irb|php -a|deno repl|ipython|ghci|lua".split("|"),
    ..."psql|psql -U ann shop|mysql shop|sqlite3|sqlite3 a.db|redis-cli|redis-cli -h x|mongosh".split("|"),
    ..."ssh host|ssh -p 22 ann@host|ssh host bash|ssh -t host|mosh host|script|script out.txt|nohup ssh host".split(
      "|",
    ),
    ..."docker exec -it web bash|docker run -i python:3|podman exec --interactive web sh|docker attach web".split(
      "|",
    ),
    "cat | psql",
    ..."sqlplus|coqtop|maxima|sage|octave-cli|jupyter console|node -r ./x".split("|"),
    ..."cd /work && bash|bash -c python3|bash < /dev/tty|stty -echo; python3|if true; then bash; fi|(bash)".split(
      "|",
    ),
  ])("is asked about if it takes commands: %s", (command) => {
    expect(typed(command)).toBe(TAKES_COMMANDS);
    if (!/ -i$|inspect|pdb/.test(command)) expect(dangerOf(command, { place })).toBeNull(); // In the foreground.
  });

  it.each([
    ..."bash build.sh|bash -x build.sh|sh ./run|bash -c 'npm start'|bash --version|bash < build.sh|bash &".split(
      "|",
    ),
    ..."python3 app.py|python3 -u app.py|python3 -W ignore app.py|python3 -m http.server 8000|python3 -m flask run".split(
      "|",
    ),
    ..."python3 -c 'print(1)'|node server.js|node --watch server.js|node --inspect=9229 server|php -S localhost:80".split(
      "|",
    ),
    ..."php artisan serve|deno run a.ts|bun run dev|npm run dev|make|tail -f log|less log|cat|sleep 9|npm init".split(
      "|",
    ),
    ..."psql -c 'select 1'|mysql -e 'select 1'|sqlite3 a.db 'select 1'|redis-cli ping".split("|"),
    "echo 'select 1' | psql",
    ..."sage a.sage|octave-cli a.m|jupyter nbconvert a|node -r ./x app.js|less log|git log|journalctl|man ls|npx vercel login".split(
      "|",
    ),
    ..."ssh -N -L 1:b:1 host|ssh host uptime|docker run -d web|docker compose up|docker build -t i .|kubectl logs -f a".split(
      "|",
    ),
  ])("is not asked about otherwise: %s", (command) => {
    expect(typed(command)).toBeNull();
  });
});

describe("a command with a terminal into which something can be typed", () => {
  const onTerminal = (command: string) => dangerOf(command, { place, getsInput: true, hasTerminal: true });

  it.each([
    ..."less log|more log|man ls|env less log|nohup man ls|git log|git -C x diff|git --git-dir .git show|git stash list|git branch".split(
      "|",
    ),
    ..."journalctl -u ssh|systemctl|systemctl status ssh|systemctl list-units|git merge x|mc|info ls".split(
      "|",
    ),
    ..."bash -c 'git log'|cd /work && git log".split("|"),
    "ls -l | less",
  ])("is asked about if keys can start other commands in it: %s", (command) => {
    expect(onTerminal(command)).toBe(TAKES_KEYS);
    expect(typed(command)).toBeNull(); // With pipes.
    expect(dangerOf(command, { place, hasTerminal: true })).toBeNull(); // In the foreground.
  });

  it.each(
    "git commit|git commit -a --amend|git rebase -i main|git tag -a v1|git add -p|git config --edit|dc|scheme|login".split(
      "|",
    ),
  )("is asked about with pipes, too, if it takes commands there: %s", (command) => {
    expect(onTerminal(command)).toBe(TAKES_KEYS);
    expect(typed(command)).toBe(TAKES_KEYS);
  });

  it.each([
    ..."git --no-pager log|git log > out|git status|git commit -m less|git commit -am x|git fetch|git add .".split(
      "|",
    ),
    ..."journalctl -f|journalctl --no-pager|less --version|top|npm run login|npx vercel login|echo less|npm test|git log &".split(
      "|",
    ),
    "git log | head",
    ..."dc -e '1 2 + p'|git rebase main|git branch -d x|git tag v1|systemctl is-active x|git merge --no-edit x".split(
      "|",
    ),
  ])("is not asked about otherwise: %s", (command) => {
    expect(onTerminal(command)).toBeNull();
  });
});

it.each(["echo rm -rf x | bash -s y", "echo rm -rf x | sh -o posix"])(
  "a shell that takes what another command prints is asked about: %s",
  (command) => {
    expect(dangerOf(command, { place })).toMatch(/gives the output of another command to a shell/);
  },
);

describe("text that is typed into a program", () => {
  it.each([
    ["rm -rf /home/ann", /deletes/],
    ["!rm -rf ~", /deletes/],
    ["\u0015rm -rf ~", /deletes/],
    ["\\! sudo ls", /another user/],
    [":!sudo reboot", /another user/],
    ["print('it')\nrm -rf /home/ann", /deletes/],
    ["print('it's')\rrm -rf /home/ann", /deletes/],
    ["$x; rm -rf /home/ann", /deletes/],
    ["rm -rf \\\n/home/ann", /deletes/],
    ["echo hi > /etc/hosts", /./],
    ["x".repeat(5_000), /too long/],
    ["x\u007frm -rf ~", /deletes/],
    ["x\brm -rf ~", /deletes/],
    ["echo \u0017rm -rf ~", /deletes/],
    ["ls\nxy\u007f\u007f\u007frm -rf ~", /deletes/],
    ["echo 'a\u0015rm -rf ~", /deletes/],
    ["\u001b[200~rm -rf ~\u001b[201~", /deletes/],
    ["\u001b[Irm -rf ~", /deletes/],
    ["\u001b[9rm -rf ~", /deletes/],
    ["\u001bOPrm -rf ~", /deletes/],
    ["true\u000frm -rf ~", /deletes/],
    ["ihello\u001b:!rm -rf ~", /deletes/],
    ["G!rm -rf ~", /deletes/],
    [":r !rm -rf ~", /deletes/],
    ["~!rm -rf ~", /deletes/],
    ["shell rm -rf ~", /deletes/],
    [".system rm -rf ~", /deletes/],
    ["do rm -rf ~; done", /deletes/],
    ["then rm -rf ~", /deletes/],
    ["&& rm -rf ~", /deletes/],
    ["x) rm -rf ~;;", /deletes/],
    ["rm -rf ./a\r ~", /deletes/],
    ['it\'s\nrm -rf "./a\n" ~', /deletes/],
    ["rm -rf /home/ann/x\u0017\u0017\u0017ls", /deletes/], // A program with pipes does not erase.
  ])("is asked about if it is clearly dangerous as a command: %j", (text, why) => {
    expect(dangerOfTyped(text, place)).toMatch(why);
  });

  it.each([
    ["rm -rf", " ~"],
    ["rm -r", "f ~\r"],
    ["rm -rf \\\n", "~"],
    ["rm -rf", "x\u007f ~"],
    ["curl example.org |\r", "sh\r"],
    [`rm -rf ./a${" ./a".repeat(990)}`, " ./a ~".repeat(10)], // Too long.
    ["rm -rf ./a\r", " ~"], // Without a terminal.
    ['rm -rf "./a\n', '" ~'],
    ["rm -rf './a\r", "' ~"],
    ["it's\nrm -rf \"./a\n", '" ~'],
    ["G!rm", " -rf ~"],
    ["Gg|$rm", " -rf ~"],
    ["\u001b", "[200~rm -rf ~"],
    ['rm -rf "\u007f"./a\r', '" ~'],
    ["python3 <<E\n", "import os\nos.system('x')\nE"],
    ["rm -rf ~", " -v"], // It was approved without that.
  ])("is asked about if it is dangerous after what is unsent: %j, %j", (unsent, text) => {
    expect(dangerOfTyped(text, place)).toBeNull();
    expect(dangerOfTyped(text, place, unsent)).not.toBeNull();
  });

  it.each([
    ["rm -rf ~", "\r"], // It was approved already.
    ["print(", "1)"],
  ])("is not asked about after what is unsent otherwise: %j, %j", (unsent, text) => {
    expect(dangerOfTyped(text, place, unsent)).toBeNull();
  });

  it("is asked about if a program may have taken what is unsent as keys", () => {
    for (const text of ["!rm -rf ~", "rm -rf ~"]) expect(dangerOfTyped(text, place, "G")).toMatch(/deletes/);
  });

  it("is asked about if it can't be read whole", () => {
    expect(dangerOfTyped("y", place, "x".repeat(4_000))).toBe(GOES_ON);
    expect(dangerOfTyped(`rm -rf ~ ${"[".repeat(201)}`, place)).not.toBeNull();
    expect(dangerOfTyped("rm -rf ~ \ue000", place)).not.toBeNull();
    expect(dangerOfTyped(`${"(".repeat(100)} rm -rf ~`, place)).not.toBeNull();
  });

  it.each([
    ..."y|it's|print('a')|Grüße|{\"a\": [1]}|$HOME|*|def f(x):|import os|select 1;|\u0004|\u001b[A|\u0003|q|6 * 7".split(
      "|",
    ),
    "",
    "for x in range(3):\n    print(x)\n\n",
  ])("is not asked about otherwise: %j", (text) => {
    expect(dangerOfTyped(text, place)).toBeNull();
  });
});
