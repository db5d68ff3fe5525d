// For the classroom: presenter mode, what screen readers say, the language.

import { languageMenu } from "./language.js";
import { Presenter } from "./present.js";
import { speakResults } from "./spoken.js";

export function classroom(app, tools) {
  new Presenter(app, tools);
  speakResults(app);
  languageMenu();
}
