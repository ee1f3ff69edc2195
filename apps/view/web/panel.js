// The settings panel. Shows the settings in force and sends changes; it stores no settings.

/** Scales of sliders: range, mapping and format. */
const linear = (least, most, step, write = (x) => `${x}`) => ({
  least, most, step, write, toSlider: (x) => x, fromSlider: (x) => x,
});
const powers = (least, most, write, zero = null) => ({
  // The leftmost position is `zero`, if given.
  least: Math.log10(least) - (zero === null ? 0 : 0.1), most: Math.log10(most), step: 0.01, write,
  toSlider: (x) => (zero !== null && x <= zero ? Math.log10(least) - 0.1 : Math.log10(x)),
  fromSlider: (x) => (zero !== null && x < Math.log10(least) - 0.05 ? zero : Number((10 ** x).toPrecision(3))),
});

/** The rightmost position means never. */
const untilNever = (least, most, step, write) => ({
  ...linear(least, most, step, write),
  toSlider: (x) => Math.min(x, most), fromSlider: (x) => (x >= most ? 1e6 : x),
});

const NUMBERS = {
  substeps: { name: 'Substeps', scale: linear(1, 16, 1), about: 'parts a step is divided into; small steps stretch less than many iterations' },
  iterations: { name: 'Iterations', scale: linear(1, 64, 1), about: 'how often all sticks are relaxed in each substep' },
  passes: { name: 'Passes', scale: linear(1, 8, 1), about: 'how often each substep runs iterations, then collisions' },
  damping_rate: { name: 'Damping, 1/s', scale: powers(0.01, 100, (x) => (x ? `${Number(x.toPrecision(2))}` : 'none'), 0), about: 'rate at which particles lose velocity, whatever the number of substeps: 0.6 is 1 % in 1/60 s' },
  stiffness: { name: 'Stiffness', scale: powers(0.01, 1, (x) => x.toPrecision(2)), about: 'the share of its error that a stick corrects in each iteration: more iterations or substeps make it stiffer' },
  compliance: { name: 'Compliance', scale: powers(1e-9, 1e-2, (x) => (x ? `${x.toExponential(1)} m/N` : 'none'), 0), about: 'length by force; exact with 1 iteration a substep, whatever the number of substeps' },
  tear: { name: 'Tears at', scale: untilNever(1.05, 6, 0.05, (x) => (x > 100 ? 'never' : `${x.toFixed(2)} ×`)), none: 'never', about: 'the length at which a stick tears, in rest lengths' },
};

const FORMULAS = {
  exact: 'one division and one root per stick: the exact projection',
  newton: 'one division: the approximation of the articles; leaves sticks slightly short',
  halley: 'one division: third order near the rest length, never overshoots',
  quick: 'no division, no root; the same bits on every machine',
};

const KERNELS = {
  scalar: 'one stick at a time: the reference of all other kernels',
  wide: '8 sticks at once, with the instruction set of the build',
  pulp: '8 or 16 sticks at once, with the best instruction set of this processor',
  grid: 'regular sheets: whole rows at once, without indices',
  copies: 'copies of one model, each in a lane of its own',
  colour: 'runs another kernel on several threads',
};

const element = (name, attributes = {}, ...children) => {
  const it = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in it) it[key] = value;
    else it.setAttribute(key, value);
  }
  it.append(...children);
  return it;
};

/** Converts a plain name to a choice object. */
const named = (choice) => (typeof choice === 'string' ? { name: choice } : choice);

/** A group of buttons, one of them chosen. A disabled one shows its reason when pressed. */
class Choice {
  constructor(box, choose, complain) {
    Object.assign(this, { box, choose, complain });
    this.key = '';
  }

  show(choices, chosen) {
    const key = JSON.stringify(choices);
    if (key !== this.key) {
      this.key = key;
      this.box.replaceChildren(...choices.map(({ name, about, reason }) => {
        const button = element('button', {
          type: 'button', textContent: name, title: reason ? `${name}: ${reason}` : about ?? '',
          onclick: () => (reason ? this.complain(`${name}: ${reason}`) : this.choose(name)),
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
   * @param {HTMLElement} root
   * @param {(what: string, rest?: object) => void} send
   * @param {(text: string) => void} complain
   */
  constructor(root, send, complain) {
    this.root = root;
    this.send = send;
    const set = (key) => (value) => send('set', { [key]: value });
    const at = (name) => root.querySelector(`[data-setting="${name}"]`);
    this.choices = Object.fromEntries(['kernel', 'instructions', 'formula', 'threads'].map((key) => [
      key,
      new Choice(at(key), (name) => set(key)(key === 'threads' ? Number(name) : name), complain),
    ]));
    this.race = new Choice(at('race'), (name) => {
      if (name === 'off') return send('race');
      const [kernel, instructions] = name.split(' ');
      send('race', { kernel, instructions: instructions ?? null });
    }, complain);
    this.scene = at('scene');
    this.size = at('size');
    this.schedule = at('schedule');
    this.scene.onchange = () => send('scene', { scene: this.scene.value });
    this.size.onchange = () => send('scene', { scene: this.state.scene, size: Number(this.size.value) });
    this.schedule.onchange = () => send('set', { schedule: this.schedule.value });
    root.querySelector('[data-action="own"]').onclick = () => {
      const keys = ['formula', 'schedule', ...Object.keys(NUMBERS)];
      send('set', Object.fromEntries(keys.map((key) => [key, null])));
    };
    this.sliders = Object.fromEntries(Object.entries(NUMBERS).map(([key, number]) => [
      key, this.slider(at(key), number, set(key)),
    ]));
  }

  slider(row, { name, scale, about, none = 'differs' }, set) {
    const input = element('input', {
      type: 'range', min: scale.least, max: scale.most, step: scale.step, 'aria-label': name,
    });
    const value = element('output');
    row.title = about;
    row.append(element('span', { textContent: name }), input, value);
    const write = (x) => {
      value.textContent = x === null ? none : scale.write(x);
      input.style.setProperty('--share', (input.value - scale.least) / (scale.most - scale.least));
    };
    // At most one message for each picture, however fast the slider moves.
    let waiting = false;
    input.oninput = () => {
      write(scale.fromSlider(Number(input.value)));
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        set(scale.fromSlider(Number(input.value)));
      });
    };
    return {
      show(x) {
        row.hidden = x === undefined;
        if (x === undefined || input.matches(':active')) return;
        input.value = x === null ? scale.most : scale.toSlider(x);
        write(x);
      },
    };
  }

  /** Shows the settings in force. */
  show(state) {
    this.state = state;
    const { settings } = state;
    this.options(this.scene, state.scenes.map(({ name, about, dimensions }) => ({ value: name, text: name, title: `${about} (${dimensions}-D)` })), state.scene);
    const sizes = state.sizes?.length ? [...new Set([...state.sizes, state.size])].filter(Number.isFinite).sort((a, b) => a - b) : [];
    this.size.closest('label').hidden = sizes.length < 2;
    this.options(this.size, sizes.map((size) => ({ value: `${size}`, text: `${size}` })), `${state.size}`);

    const kernels = state.kernels.map(named);
    const current = kernels.find(({ name }) => name === settings.kernel);
    this.choices.kernel.show(kernels.map(({ name, reason }) => ({ name, reason, about: KERNELS[name] })), settings.kernel);
    this.choices.instructions.show((current?.instructions ?? []).map(named), settings.instructions);
    this.choices.formula.show(state.formulas.map(named).map((it) => ({ ...it, about: FORMULAS[it.name] })), settings.formula);
    const threads = Array.from({ length: Math.min(state.threads ?? 1, 8) }, (_, i) => ({ name: `${i + 1}` }));
    this.choices.threads.show(threads, `${settings.threads ?? 1}`);
    this.choices.threads.box.closest('.row').hidden = threads.length < 2;

    const opponents = kernels.flatMap(({ name, instructions, reason }) => {
      const few = (instructions ?? []).map(named).filter((it) => !it.reason);
      if (few.length < 2) return [{ name, reason }];
      return few.map((it) => ({ name: `${name} ${it.name}`, reason }));
    }).filter(({ name, reason }) => !reason && name !== settings.kernel && name !== `${settings.kernel} ${settings.instructions}`);
    const raced = state.race && [`${state.race.kernel} ${state.race.instructions}`, state.race.kernel]
      .find((name) => opponents.some((it) => it.name === name));
    this.race.show([{ name: 'off' }, ...opponents], raced || 'off');

    this.options(this.schedule, state.schedules.map(named).map(({ name, reason }) => ({
      value: name, text: reason ? `${name} – ${reason}` : name, disabled: Boolean(reason),
    })), settings.schedule);
    for (const [key, slider] of Object.entries(this.sliders)) slider.show(settings[key]);
  }

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
