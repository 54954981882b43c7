/** What the host keeps as unsent, and the check of what is typed after it, belong together. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { dangerOfTyped } from "../../agent/tools/danger.js";
import { NOTHING_TYPED, typedAfter } from "../../process/unsent.js";

const place = { folders: ["/work"] };

it("a dangerous command is asked about before it is complete, however it is cut into parts", () => {
  const commands = [
    "rm -rf ~",
    'rm -rf "./a\n" ~',
    "rm -rf './a' './b\n\n' ~",
    "rm -rf ./a \\\n ~",
    "rm -rf ./a\r ~",
    "G!rm -rf ~",
    "\u001b[200~rm -rf ~\u001b[201~",
    "true\u000frm -rf ~",
    'read x\n"\nrm -rf "./a\n" ~',
    "while true\ndo rm -rf ~; done",
    "case x in\nx) rm -rf ~;; esac",
  ];
  const parts = fc.array(fc.nat(40), { maxLength: 6 });
  fc.assert(
    fc.property(fc.constantFrom(...commands), parts, fc.boolean(), (command, cuts, hasTerminal) => {
      fc.pre(hasTerminal ? !command.includes("./a\r") : true);
      const at = [...cuts].sort((a, b) => a - b);
      let typed = NOTHING_TYPED;
      const asked = [0, ...at].some((from, index) => {
        const part = command.slice(from, at[index] ?? command.length);
        const reason = dangerOfTyped(part, place, typed.unsent);
        typed = typedAfter(typed, part, hasTerminal);
        return reason !== null;
      });
      expect(asked).toBe(true);
    }),
  );
});

it("nothing is asked about if people chat", () => {
  const words = "don't it's (see 1) :( hello! what? \"yes\" he said; ok & fine | no {a} # 3 then do if".split(
    " ",
  );
  const line = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.boolean(), (lines, hasTerminal) => {
      let typed = NOTHING_TYPED;
      for (const each of lines) {
        expect(dangerOfTyped(each.join(" "), place, typed.unsent)).toBeNull();
        typed = typedAfter(typed, `${each.join(" ")}${hasTerminal ? "\r" : "\n"}`, hasTerminal);
      }
    }),
  );
});
