// The settings panel. Shows the settings in force and sends changes; it stores no settings itself.

import { Filters } from './filters.js';
import { element } from './element.js';

/**
 * Scales of sliders: the range and step of the slider's position, the mappings between position and value, and the
 * format of values.
 */
const linear = (min, max, step, format = (x) => `${x}`) => ({
  min, max, step, format, toSlider: (x) => x, fromSlider: (x) => x,
});
const logarithmic = (min, max, format, zero = null) => ({
  // The position is the decimal logarithm of the value. If `zero` is given, it is the value of the leftmost position,
  // which is 0.1 left of that of `min`.
  min: Math.log10(min) - (zero === null ? 0 : 0.1), max: Math.log10(max), step: 0.01, format,
  toSlider: (x) => (zero !== null && x <= zero ? Math.log10(min) - 0.1 : Math.log10(x)),
  fromSlider: (x) => (zero !== null && x < Math.log10(min) - 0.05 ? zero : Number((10 ** x).toPrecision(3))),
});

/** A linear scale whose rightmost position means never: the value 1e6, the largest that the host accepts. */
const linearWithNever = (min, max, step, format) => ({
  ...linear(min, max, step, format),
  toSlider: (x) => Math.min(x, max), fromSlider: (x) => (x >= max ? 1e6 : x),
});

const SLIDERS = {
  substeps: { name: 'Substeps', scale: linear(1, 16, 1), about: 'number of substeps per step; more substeps reduce stretch more than as many iterations' },
  iterations: { name: 'Iterations', scale: linear(1, 64, 1), about: 'number of times that each pass relaxes all sticks' },
  passes: { name: 'Passes', scale: linear(1, 8, 1), about: 'number of passes per substep: iterations, then ties, then collisions' },
  damping_rate: { name: 'Damping, 1/s', scale: logarithmic(0.01, 100, (x) => (x ? `${Number(x.toPrecision(2))}` : 'none'), 0), about: 'relative rate at which particles lose velocity, independent of substeps: 0.6 is 1 % in 1/60 s' },
  stiffness: { name: 'Stiffness', scale: logarithmic(0.01, 1, (x) => x.toPrecision(2)), about: 'fraction of its error that a stick corrects in each iteration; more iterations or substeps make it stiffer' },
  compliance: { name: 'Compliance', scale: logarithmic(1e-9, 1e-2, (x) => (x ? `${x.toExponential(1)} m/N` : 'none'), 0), about: 'extension per force; exact with 1 iteration per substep, independent of substeps' },
  tear: { name: 'Tears at', scale: linearWithNever(1.05, 6, 0.05, (x) => (x > 100 ? 'never' : `${x.toFixed(2)} ×`)), none: 'never', about: 'length at which a stick tears, in rest lengths' },
  thickness: { name: 'Thickness', scale: logarithmic(0.001, 0.2, (x) => `${(1000 * x).toPrecision(2)} mm`), about: 'distance that the particles of cloth and ropes keep from each other; should be about their spacing, because other cloth can pass through gaps' },
  friction: { name: 'Friction', scale: linear(0, 1.5, 0.05, (x) => x.toFixed(2)), about: 'friction between cloth, ropes, bodies and limbs that collide' },
};

/** The slider for scenes whose size is a number of copies. `Panel.show` sets its maximum, so 2 is not used. */
const COPIES = { name: 'Copies', scale: linear(1, 2, 1), about: 'number of copies of the model; another number restarts the scene', restarts: true };

/** The descriptions of formulas. */
const FORMULAS = {
  exact: 'one division and one root per stick: the exact projection',
  newton: 'one division per stick: the approximation in the articles; leaves sticks slightly short',
  halley: 'one division per stick: third order near the rest length, never overshoots',
  quick: 'no division and no root: an integer estimate of the root, refined by multiplications',
};

/** The descriptions of kernels. */
const KERNELS = {
  scalar: 'one stick at a time: the reference for all other kernels',
  wide: '8 sticks at once, with the instruction set of the build',
  pulp: '4, 8 or 16 sticks at once, with the best instruction set of this processor',
  grid: 'regular sheets: whole rows at once, without indices',
  copies: 'copies of one model, one in each lane',
  colour: 'runs another kernel on several threads',
};

/** Converts a name to an object with that name; returns objects unchanged. */
const named = (choice) => (typeof choice === 'string' ? { name: choice } : choice);

/** A group of buttons of which one is chosen. A button that cannot be chosen shows the reason when it is pressed. */
class Choice {
  constructor(box, choose, showMessage) {
    Object.assign(this, { box, choose, showMessage });
    this.key = '';
  }

  /** Shows a button for each choice (name, description `about`, and the `reason` why it cannot be chosen, if any). */
  show(choices, chosen) {
    const key = JSON.stringify(choices);
    if (key !== this.key) {
      this.key = key;
      this.box.replaceChildren(...choices.map(({ name, about, reason }) => {
        const button = element('button', {
          type: 'button', textContent: name, title: reason ? `${name}: ${reason}` : about ?? '',
          onclick: () => (reason ? this.showMessage(`${name}: ${reason}`) : this.choose(name)),
        });
        button.dataset.name = name;
        if (reason) button.setAttribute('aria-disabled', 'true');
        return button;
      }));
    }
    for (const button of this.box.children) {
      button.setAttribute('aria-pressed', String(button.dataset.name === chosen));
    }
  }
}

export class Panel {
  /**
   * @param {HTMLElement} root the element of the panel
   * @param {(command: string, fields?: object) => void} send sends a command to the host
   * @param {(text: string) => void} showMessage shows a message to the user
   */
  constructor(root, send, showMessage) {
    this.root = root;
    this.send = send;
    const set = (key) => (value) => send('set', { [key]: value });
    const find = (name) => root.querySelector(`[data-setting="${name}"]`);
    this.choices = Object.fromEntries(['kernel', 'instructions', 'formula', 'threads'].map((key) => [
      key,
      new Choice(find(key), (name) => set(key)(key === 'threads' ? Number(name) : name), showMessage),
    ]));
    this.race = new Choice(find('race'), (name) => {
      if (name === 'off') return send('race');
      const [kernel, instructions] = name.split(' ');
      send('race', { kernel, instructions: instructions ?? null });
    }, showMessage);
    this.scene = find('scene');
    this.size = find('size');
    this.copies = this.slider(find('copies'), COPIES, (size) => send('scene', { scene: this.state.scene, size }));
    this.schedule = find('schedule');
    this.onChoice(this.scene, () => send('scene', { scene: this.scene.value }));
    this.onChoice(this.size, () => send('scene', { scene: this.state.scene, size: Number(this.size.value) }));
    this.onChoice(this.schedule, () => send('set', { schedule: this.schedule.value }));
    root.querySelector('[data-action="defaults"]').onclick = () => {
      const keys = ['formula', 'schedule', 'filters', ...Object.keys(SLIDERS)];
      send('set', Object.fromEntries(keys.map((key) => [key, null])));
    };
    this.sliders = Object.fromEntries(Object.entries(SLIDERS).map(([key, description]) => [
      key, this.slider(find(key), description, set(key)),
    ]));
    this.filters = new Filters(find('filters'), set('filters'));
  }

  /**
   * Calls `choose` when another option of a `select` element is chosen. After a choice by mouse or finger the element
   * loses the focus: otherwise the shortcut keys of the page would choose the options that begin with their letters.
   */
  onChoice(select, choose) {
    let isByKey = false;
    select.addEventListener('pointerdown', () => { isByKey = false; });
    select.addEventListener('keydown', () => { isByKey = true; });
    select.onchange = () => {
      if (!isByKey) select.blur();
      choose();
    };
  }

  /**
   * Makes a slider in `row`. The slider calls `set` with its values while it moves; if each change `restarts` the scene,
   * only with the last value. `none` is the text for null. Returns an object with the function `show(x, max)`, which
   * shows the value x; if it is undefined, hides the row.
   */
  slider(row, { name, scale, about, none = 'differs', restarts = false }, set) {
    const input = element('input', {
      type: 'range', min: scale.min, max: scale.max, step: scale.step, 'aria-label': name,
    });
    const value = element('output');
    row.title = about;
    row.append(element('span', { textContent: name }), input, value);
    const format = (x) => {
      value.textContent = x === null ? none : scale.format(x);
      input.style.setProperty('--share', (input.value - input.min) / (input.max - input.min));
    };
    // Calls `set` at most once per drawn frame, even if the slider moves faster.
    let waiting = false;
    let chosen; // the newest value
    input.oninput = () => {
      chosen = scale.fromSlider(Number(input.value));
      format(chosen);
      if (waiting || restarts) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        set(chosen);
      });
    };
    if (restarts) input.onchange = () => set(scale.fromSlider(Number(input.value)));
    return {
      show(x, max = scale.max) {
        row.hidden = x === undefined;
        if (x === undefined || input.matches(':active')) return;
        input.max = max;
        input.value = x === null ? max : scale.toSlider(x);
        format(x);
      },
    };
  }

  /** Shows the settings in force. */
  show(state) {
    this.state = state;
    const { settings } = state;
    this.options(this.scene, state.scenes.map(({ name, about, dimensions }) => ({ value: name, text: name, title: `${about} (${dimensions}-D)` })), state.scene);
    const sizes = state.sizes?.length ? [...new Set([...state.sizes, state.size])].filter(Number.isFinite).sort((a, b) => a - b) : [];
    const hasCopies = Number.isFinite(state.copies_max);
    this.size.closest('label').hidden = sizes.length < 2 || hasCopies;
    this.copies.show(hasCopies ? state.size : undefined, state.copies_max);
    this.options(this.size, sizes.map((size) => ({ value: `${size}`, text: `${size}` })), `${state.size}`);

    const kernels = state.kernels.map(named);
    const current = kernels.find(({ name }) => name === settings.kernel);
    this.choices.kernel.show(kernels.map(({ name, reason }) => ({ name, reason, about: KERNELS[name] })), settings.kernel);
    this.choices.instructions.show((current?.instructions ?? []).map(named), settings.instructions);
    this.choices.formula.show(state.formulas.map(named).map((formula) => ({ ...formula, about: FORMULAS[formula.name] })), settings.formula);
    // At most 8 buttons.
    const threads = Array.from({ length: Math.min(state.threads ?? 1, 8) }, (_, i) => ({ name: `${i + 1}` }));
    this.choices.threads.show(threads, `${settings.threads ?? 1}`);
    this.choices.threads.box.closest('.row').hidden = threads.length < 2;

    // The kernels for a race: each kernel that suits the scene, on each instruction set, except the current one, unless
    // the race was started against it before.
    const candidates = kernels.flatMap(({ name, instructions, reason }) => {
      const instructionSets = (instructions ?? []).map(named).filter((it) => !it.reason);
      if (instructionSets.length < 2) return [{ name, reason }];
      return instructionSets.map((it) => ({ name: `${name} ${it.name}`, reason }));
    }).filter(({ reason }) => !reason);
    const namesOf = ({ kernel, instructions }) => [`${kernel} ${instructions}`, kernel];
    const opponent = state.race && namesOf(state.race).find((name) => candidates.some((it) => it.name === name));
    const own = namesOf(settings);
    const opponents = candidates.filter(({ name }) => name === opponent || !own.includes(name));
    this.race.show([{ name: 'off' }, ...opponents], opponent || 'off');

    this.options(this.schedule, state.schedules.map(named).map(({ name, reason }) => ({
      value: name, text: reason ? `${name} – ${reason}` : name, disabled: Boolean(reason),
    })), settings.schedule);
    for (const [key, slider] of Object.entries(this.sliders)) slider.show(settings[key]);
    this.filters.show(settings.filters ?? []);
  }

  /** Shows the settings in force again, after the host rejected a change; for a slider once it is released. */
  showAgain() {
    this.show(this.state);
    this.root.addEventListener('change', () => setTimeout(() => this.show(this.state)), { once: true });
  }

  /** Fills a `select` element with options, and selects the chosen one. */
  options(select, options, chosen) {
    const key = JSON.stringify(options);
    if (select.dataset.key !== key) {
      select.dataset.key = key;
      select.replaceChildren(...options.map(({ value, text, title, disabled }) => element('option', {
        value, textContent: text, title: title ?? '', disabled: Boolean(disabled),
      })));
    }
    if (!select.matches(':focus') || select.value !== chosen) select.value = chosen;
  }
}
