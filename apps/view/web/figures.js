// The figures (live numbers), their graphs, and the bars of a race of two kernels.

import { Graph } from './graph.js';
import { milliseconds, percent, quantity, short, whole } from './numbers.js';

export class Figures {
  /**
   * `root` contains the graphs and most fields of the figures (`main.js` adds those in the panel), `raceElement` the
   * bars of a race.
   */
  constructor(root, raceElement) {
    this.root = root;
    this.raceElement = raceElement;
    this.fields = Object.fromEntries([...root.querySelectorAll('[data-figure]')].map((field) => [field.dataset.figure, field]));
    const graph = (name, colours) => new Graph(root.querySelector(`[data-graph="${name}"]`), colours);
    this.graphs = {
      time: graph('time', ['--first', '--second']),
      stretch: graph('stretch', ['--third']),
      energy: graph('energy', ['--fourth']),
    };
  }

  /** Clears the graphs. */
  clear() {
    for (const graph of Object.values(this.graphs)) graph.clear();
  }

  /** Sets the text of a field. */
  set(name, text) {
    const field = this.fields[name];
    if (field && field.textContent !== text) field.textContent = text;
  }

  /** Shows the counts and the machine of a state of the host, and adjusts the bars of a race to that state. */
  showState(state) {
    this.state = state;
    this.fields.asleep.hidden = !state.sleep;
    this.set('counts', `${whole(state.counts.particles)} particles · ${whole(state.counts.sticks)} sticks`);
    this.set('machine', state.machine ?? '');
    this.showRace(state.race ? this.last?.race : null);
  }

  /** Shows the figures of the host, and adds them to the graphs. */
  show(figures) {
    this.last = figures;
    this.set('milliseconds', milliseconds(figures.milliseconds));
    const fraction = figures.milliseconds / (1000 * (this.state?.step ?? 1 / 60));
    this.set('budget', fraction > 1 ? `${percent(1 / fraction)} of real time` : `${percent(fraction)} of a core`);
    this.fields.budget.classList.toggle('bad', fraction > 1);
    this.set('nanoseconds', short(figures.nanoseconds));
    this.set('rate', short(figures.sticks_per_second));
    this.set('divisions', short(figures.divisions));
    this.set('roots', short(figures.roots));
    this.set('rms', percent(figures.rms));
    this.set('max', percent(figures.max));
    this.set('compression', percent(figures.compression_rms));
    this.set('compression-max', percent(figures.compression_max));
    const [kinetic, unit] = quantity(figures.kinetic, 'J');
    this.set('kinetic', kinetic);
    this.set('joule', unit);
    this.set('potential', quantity(figures.potential, 'J').join(' '));
    this.set('torn', whole(figures.torn));
    this.set('asleep', `${whole(figures.asleep)} of ${whole(figures.models)} models asleep`);
    this.graphs.time.push([figures.milliseconds, figures.race?.milliseconds ?? NaN]);
    this.graphs.stretch.push([figures.rms]);
    this.graphs.energy.push([figures.kinetic]);
    this.showRace(figures.race);
  }

  /** Shows the bars of a race. `race`: the figures of the second kernel; if null, or without a race, hides the bars. */
  showRace(race) {
    this.raceElement.hidden = !race || !this.state?.race;
    if (this.raceElement.hidden) return;
    const { settings, race: opponent } = this.state;
    const name = ({ kernel, instructions }) => [...new Set([kernel, instructions])].filter(Boolean).join(' ');
    const rows = [
      { name: name(settings), time: this.last.milliseconds },
      { name: name(opponent), time: race.milliseconds },
    ];
    const longest = Math.max(...rows.map(({ time }) => time || 0)) || 1;
    this.raceElement.querySelectorAll('.bar').forEach((bar, i) => {
      bar.querySelector('.name').textContent = rows[i].name;
      bar.querySelector('.length').style.transform = `scaleX(${Math.max(0.004, rows[i].time / longest || 0)})`;
      bar.querySelector('.time').textContent = `${milliseconds(rows[i].time)} ms`;
    });
    const [fast, slow] = [...rows].sort((a, b) => a.time - b.time);
    const ratio = slow.time / fast.time;
    const verdict = Number.isFinite(ratio) ? `${fast.name} is ${ratio.toFixed(1)} × as fast` : '';
    this.raceElement.querySelector('.verdict').textContent = verdict;
    const badge = this.raceElement.querySelector('.badge');
    badge.classList.toggle('equal', race.equal);
    badge.textContent = race.equal ? 'bit-identical' : `differs since step ${race.first_difference}`;
    badge.title = race.equal
      ? 'All positions were bit-identical on both kernels after every step so far'
      : 'Positions differ between the two kernels';
  }
}
