/** The page begins here: who is signed in, and then what they see. */
import { render } from "preact";
import { App } from "./app.js";
import { keepFromLeaving } from "./dropped.js";
import { enter, followPastedLinks } from "./enter.js";
import { keepFocus } from "./keep-focus.js";

const root = document.getElementById("page");
if (root) render(<App />, root);
keepFocus();
keepFromLeaving();
followPastedLinks();
void enter();
