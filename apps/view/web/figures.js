// The live figures, their graphs, and the race of two kernels.

import { Graph } from './graph.js';
import { milliseconds, percent, quantity, short, whole } from './numbers.js';

/** The time that a step may take at 60 steps per second, ms. */
const BUDGET = 1000 / 60;

export class Figures {
  constructor(root, race) {
    this.root = root;
    this.race = race;
    this.fields = Object.fromEntries([...root.querySelectorAll('[data-figure]')].map((it) => [it.dataset.figure, it]));
    const graph = (name, colours) => new Graph(root.querySelector(`[data-graph="${name}"]`), colours);
    this.graphs = {
      time: graph('time', ['--first', '--second']),
      stretch: graph('stretch', ['--third']),
      energy: graph('energy', ['--fourth']),
    };
  }

  clear() {
    for (const graph of Object.values(this.graphs)) graph.clear();
  }

  set(name, text) {
    const field = this.fields[name];
    if (field && field.textContent !== text) field.textContent = text;
  }

  showState(state) {
    this.state = state;
    this.fields.asleep.hidden = !state.sleep;
    this.set('counts', `${whole(state.counts.particles)} particles · ${whole(state.counts.sticks)} sticks`);
    this.set('machine', state.machine ?? '');
    this.showRace(state.race ? this.last?.race : null);
  }

  show(it) {
    this.last = it;
    this.set('milliseconds', milliseconds(it.milliseconds));
    const share = it.milliseconds / BUDGET;
    this.set('budget', share > 1 ? `${percent(1 / share)} of real time` : `${percent(share)} of a core`);
    this.fields.budget.classList.toggle('bad', share > 1);
    this.set('nanoseconds', short(it.nanoseconds));
    this.set('rate', short(it.sticks_per_second));
    this.set('divisions', short(it.divisions));
    this.set('roots', short(it.roots));
    this.set('rms', percent(it.rms));
    this.set('max', percent(it.max));
    this.set('compression', percent(it.compression_rms));
    this.set('compression-max', percent(it.compression_max));
    const [kinetic, unit] = quantity(it.kinetic, 'J');
    this.set('kinetic', kinetic);
    this.set('joule', unit);
    this.set('potential', quantity(it.potential, 'J').join(' '));
    this.set('torn', whole(it.torn));
    this.set('asleep', `${whole(it.asleep)} of ${whole(it.models)} models asleep`);
    this.set('steps', whole(it.steps));
    this.graphs.time.push([it.milliseconds, it.race?.milliseconds ?? NaN]);
    this.graphs.stretch.push([it.rms]);
    this.graphs.energy.push([it.kinetic]);
    this.showRace(it.race);
  }

  showRace(race) {
    this.race.hidden = !race || !this.state?.race;
    if (this.race.hidden) return;
    const { settings, race: opponent } = this.state;
    const name = ({ kernel, instructions }) => [...new Set([kernel, instructions])].filter(Boolean).join(' ');
    const rows = [
      { name: name(settings), time: this.last.milliseconds },
      { name: name(opponent), time: race.milliseconds },
    ];
    const longest = Math.max(...rows.map(({ time }) => time || 0)) || 1;
    this.race.querySelectorAll('.bar').forEach((bar, i) => {
      bar.querySelector('.name').textContent = rows[i].name;
      bar.querySelector('.length').style.transform = `scaleX(${Math.max(0.004, rows[i].time / longest || 0)})`;
      bar.querySelector('.time').textContent = `${milliseconds(rows[i].time)} ms`;
    });
    const [fast, slow] = [...rows].sort((a, b) => a.time - b.time);
    const ratio = slow.time / fast.time;
    const verdict = Number.isFinite(ratio) ? `${fast.name} is ${ratio.toFixed(1)} × as fast` : '';
    this.race.querySelector('.verdict').textContent = verdict;
    const badge = this.race.querySelector('.badge');
    badge.classList.toggle('equal', race.equal);
    badge.textContent = race.equal ? 'bit-identical' : `differs since step ${race.first_difference}`;
    badge.title = race.equal
      ? 'All positions were bit-identical on both kernels after every step so far'
      : 'Positions differ between the two kernels';
  }
}
