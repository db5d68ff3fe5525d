// Controls for options as the registry describes them: choice, flag, integer, number or text.

import { make } from "./dom.js";

let number = 0;

/** A row with label, control and summary; `onChange(value)` gets a value of the option's own type. */
export function field(option, value, onChange) {
  const id = `field-${++number}`;
  const control = CONTROLS[option.kind]?.(option, value, onChange) ?? CONTROLS.text(option, value, onChange);
  control.id = id;
  control.dataset.option = option.name;
  const title = option.allowed ? `allowed: ${option.allowed}` : "";
  const words = option.name.replaceAll("_", " ") + (option.unit ? ` (${option.unit})` : "");
  const summary = make("small", { id: `${id}-about` }, option.summary ?? "");
  control.setAttribute("aria-describedby", `${id}-about`);
  return make("div", { class: "field", title }, make("label", { for: id }, words), control, summary);
}

const CONTROLS = {
  choice(option, value, onChange) {
    const choices = option.choices;
    const at = choices.findIndex((choice) => JSON.stringify(choice) === JSON.stringify(value));
    const select = make("select", { onchange: () => onChange(choices[select.selectedIndex]) });
    for (const choice of choices) select.append(make("option", {}, choice === null ? "automatic" : String(choice)));
    select.selectedIndex = Math.max(0, at);
    return select;
  },

  flag(option, value, onChange) {
    const box = make("input", { type: "checkbox", checked: Boolean(value), onchange: () => onChange(box.checked) });
    return box;
  },

  integer: (option, value, onChange) => numeric(option, value, onChange, 1),
  number: (option, value, onChange) => numeric(option, value, onChange, "any"),

  text(option, value, onChange) {
    const shown =
      value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
    const input = make("input", { type: "text", value: shown, placeholder: option.allowed ?? "" });
    input.addEventListener("change", () => onChange(parsed(input.value.trim(), option.default)));
    return input;
  },
};

function numeric(option, value, onChange, step) {
  const input = make("input", { type: "number", step, value: value ?? "" });
  if (option.least !== null && option.least !== undefined) input.min = option.least;
  if (option.most !== null && option.most !== undefined) input.max = option.most;
  if (option.default === null) input.placeholder = "automatic";
  input.addEventListener("change", () => {
    if (input.value === "") onChange(option.default);
    else if (input.checkValidity()) onChange(Number(input.value));
    else input.reportValidity();
  });
  return input;
}

/** What someone typed: a number, a list, true, false; anything else is a word; nothing is the default. */
function parsed(text, standard) {
  if (text === "") return standard;
  try {
    return JSON.parse(text);
  } catch {
    const parts = text.split(/[\s,x]+/);
    return parts.length > 1 && parts.every((part) => part !== "" && !Number.isNaN(Number(part)))
      ? parts.map(Number)
      : text;
  }
}

/** Buttons of which one is chosen: [{value, text, reason}]; those with a reason are greyed out and say it. */
export function segments(label, choices, value, onChange) {
  const group = make("div", { class: "segments", role: "radiogroup", "aria-label": label });
  for (const { value: own, text, reason } of choices) {
    const chosen = own === value;
    const button = make(
      "button",
      {
        type: "button",
        role: "radio",
        "aria-checked": String(chosen),
        tabIndex: chosen ? 0 : -1,
        data: { value: own },
      },
      text,
    );
    if (reason) {
      button.setAttribute("aria-disabled", "true");
      button.title = reason;
    }
    button.addEventListener("click", () => !reason && !chosen && onChange(own));
    group.append(button);
  }
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...group.children];
    const at = buttons.indexOf(document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length].focus();
  });
  return group;
}

/** A line that says why some choices are greyed out. */
export const reasons = (choices) => {
  const texts = [...new Set(choices.map(({ reason }) => reason).filter(Boolean))];
  return texts.length ? make("small", { class: "reason" }, texts.join(" ")) : null;
};
