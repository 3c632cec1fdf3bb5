// The panel at the side: what plays and why, and what can be changed.
import { channelName, check, choice, labelled, make, watch } from './controls.js';
import { SIDE_BY_SIDE } from './engine.js';
import { GAMES } from './games.js';
import { Settings } from './settings.js';

const keyHelp = [
    [['W', 'A', 'S', 'D'], 'steer'], [['Shift'], 'sprint'], [['ArrowUp', 'ArrowDown'], 'speed'],
    [['J'], 'jump', 'jump'], [['C'], 'creep', 'creep'], [['P'], 'dance', 'dance'],
];
const pathHelp = [[['Shift'], 'run along the path'], [['W', 'A', 'S', 'D'], 'leave it']];
const chooseHelp = [['1', '2', '3'], 'choose a character'];
const fieldHelp = [[['W', 'A', 'S', 'D'], 'steer'], [['Shift'], 'faster'], [['ArrowUp', 'ArrowDown'], 'speed']];
const CROWDS = [1, 10, 25, 50];
const hints = { line: 'drag draws a line to walk along · right button or two fingers turn the camera',
    point: 'click where to go · right button or two fingers turn the camera', steer: 'drag turns the camera · gamepads work',
    ask: 'the left button says where · right button or two fingers turn the camera', push: 'drag turns the camera, on the body it pushes · gamepads work', draw: 'drag draws a path · right button or two fingers turn the camera' };
const caps = { ArrowUp: '↑', ArrowDown: '↓', Shift: '⇧ Shift' };

/** What a field does by its task, and how by its policy. */
const FIELD = 'field';
const TASKS = {
    direction: 'It faces where you steer, at any speed, and walks on when you release the keys.',
    line: 'It follows the line that you drag, or otherwise the one along which you steer.',
    speed: 'It follows the direction and, as far as the data allow, the speed; release the keys and it stops.',
    point: 'It walks to the point that you click and stops within half a metre of it.',
};

export class Panel {
    /** @param studio what it shows, and what does as the user asks */
    constructor(root, help, studio) {
        this.root = root;
        this.help = help;
        this.studio = studio;
        this.settings = new Settings((key, value) => studio.setOption(key, value));
        this.shown = {};
        this.bars = [];
        this.peak = 1;
        this.inputs = {};
        this.build();
    }

    build() {
        const heading = (text) => make('h2', { textContent: text });
        this.sets = watch(make('select', { className: 'wide', id: 'set', title: 'Data set', ariaLabel: 'Data set' }), () => this.studio.load(this.sets.value));
        this.fieldNote = make('p', { className: 'note', id: 'field-note' });
        this.activity = make('b', { className: 'chip' });
        this.progress = make('i');
        this.costs = make('div');
        this.root.append(
            heading('Motion'), this.sets, this.choice('method', 'method', [], 0, () => this.studio.setMethod(this.inputs.method.value)),
            this.networks = this.choice('network', 'networks', [], 0, () => this.useNetworks(this.inputs.network.value)),
            this.training = make('p', { className: 'note', id: 'training' }), this.row('size', 'frames'),
            heading('Control'), ...this.makeControl(), this.asks = make('div', { id: 'asks' }),
            heading('Playing'), make('div', { className: 'row' }, make('span', { textContent: 'doing' }), this.activity),
            this.row('clip', 'clip'), this.row('frame', 'frame'), make('div', { className: 'progress' }, this.progress),
            this.row('speed', 'speed'), this.row('transitions', 'transitions'),
            heading('Why this frame'), this.costs, this.encoded = this.row('encoded', 'encoded control'), this.encoding = make('div', { className: 'encoding', id: 'encoding' }), this.nearest = this.row('nearest', 'off the data'), this.turning = this.row('turning', 'turned by motion'), this.near = make('div', { className: 'near', id: 'near' }), this.cost = this.row('cost', 'cost'), this.worth = this.row('worth', ''), this.search = this.row('search', 'search'), this.row('step', 'whole step'),
            heading('How'), this.settings.main, this.fieldNote, this.settings.more,
            heading('Show'), ...this.makeViews(),
            make('div', { className: 'buttons' }, this.button('Restart', 'reset', () => this.studio.reset()),
                this.button('Camera', 'camera', () => this.studio.stage.resetCamera()), this.saves = this.button('Save', 'save', () => this.studio.save())));
        this.saves.title = 'What you have played since the start, as a script for amble run';
    }

    row(name, label) {
        this.shown[name] = make('b', { id: `show-${name}` });
        return make('div', { className: 'row' }, make('span', { textContent: label }), this.shown[name]);
    }

    button(label, id, action) {
        const button = make('button', { textContent: label, id, type: 'button' });
        button.addEventListener('click', () => {
            action();
            button.blur();
        });
        return button;
    }

    choice(id, label, names, value, changed) {
        this.inputs[id] = choice(id, names.map((name, i) => [i, name]), changed);
        this.inputs[id].value = value;
        return labelled(label, this.inputs[id]);
    }

    slider(id, label, low, high, step, value) {
        const input = watch(make('input', { type: 'range', id, min: low, max: high, step, value }), () => {});
        const output = make('output', { textContent: value });
        input.addEventListener('input', () => {
            output.textContent = input.value;
        });
        this.inputs[id] = input;
        return labelled(label, input, output);
    }

    check(id, label, value, changed) {
        this.inputs[id] = check(id, changed);
        this.inputs[id].checked = value;
        return labelled(label, this.inputs[id]);
    }

    makeControl() {
        const none = () => {};
        this.pathRows = [
            this.choice('control', 'path lies', ['where drawn', 'at the character'], 1, none),
            this.choice('facing', 'facing', ['along the path', 'right stick', 'as people would'], 0, none),
            this.slider('scale', 'drawn speed ×', 0.05, 1, 0.05, 0.2),
            this.check('loop', 'round and round', false, none),
            this.check('avoid', 'path avoids obstacles', false, none),
            this.row('path', 'path'), this.row('error', 'off the path'),
        ];
        return [
            this.choice('mode', 'mode', ['steer', 'draw a path'], 0, () => this.studio.setMode(this.draws, 0)),
            this.choice('game', 'game', GAMES.map((game) => game.title), 0, () => this.studio.setMode(true, Number(this.inputs.game.value))),
            this.choice('crowd', 'characters', CROWDS, 0, () => this.studio.setCrowd(this.crowd)),
            ...this.pathRows,
        ];
    }

    /** What characters of a field are asked to do, and how they choose. */
    get field() {
        const { task, policy } = this.settings.values;
        return { task, policy };
    }

    get crowd() {
        return CROWDS[Number(this.inputs.crowd.value)];
    }

    get isField() {
        return this.studio.method === FIELD;
    }

    useNetworks(name) {
        const { method } = this.studio;
        this.studio.exchange(method, this.studio.networksOf(method).find((set) => set.name === name));
    }

    /** The networks among which a method can choose; none where there is only one. */
    showNetworks() {
        const { studio } = this;
        const all = studio.networksOf(studio.method);
        const used = studio.trainings.used[studio.method]?.name;
        this.networks.hidden = !used || !all.some(({ name }) => name !== used);
        this.inputs.network.replaceChildren(...all.map(({ name, title }) => make('option', { value: name, textContent: title })));
        this.inputs.network.value = used ?? '';
    }

    /** Shows what plays, and its settings. */
    showOptions() {
        this.inputs.method.value = this.studio.method;
        this.showNetworks();
        this.settings.show(this.studio.engine.options);
        this.fieldNote.hidden = !this.isField;
        if (this.isField) {
            this.showField(this.studio.engine.about.field);
        }
        this.showHelp();
    }

    /** What the task and the policy do with these data. */
    showField({ values }) {
        const { task, policy } = this.field;
        const trained = values[Object.keys(TASKS).indexOf(task)] > 0;
        const greedy = trained ? 'It looks one tick ahead, which rarely gets it around a bend.'
            : 'No value function was trained for this task and data set: the character looks one tick ahead.';
        this.fieldNote.textContent = policy === 'passive' ? 'It has no target and wanders where the data lead.'
            : `${TASKS[task]} ${policy === 'greedy' ? greedy : ''}`.trim();
    }

    /** Whether a schema's values ask what plays, instead of a search. */
    get searchesNothing() {
        return Boolean(this.studio.engine.about?.methods.find(({ name }) => name === this.studio.method)?.asked);
    }

    get draws() {
        return this.inputs.mode.value === '1';
    }

    /** Shows the controls of a mode and a game, and applies the game's own choices. */
    setMode(draws, game) {
        this.inputs.crowd.value = 0;
        this.inputs.crowd.parentElement.hidden = draws;
        this.inputs.mode.value = draws ? 1 : 0;
        this.inputs.game.value = game;
        this.inputs.control.value = GAMES[game].control;
        this.pathRows.forEach((row) => {
            row.hidden = !draws;
        });
        this.inputs.avoid.parentElement.hidden = !draws || !GAMES[game].targets;
        this.showHelp();
    }

    /** How the next drawing is followed. */
    get path() {
        const { control, facing, scale, loop, avoid } = this.inputs;
        return { mode: Number(control.value), facing: Number(facing.value), scale: Number(scale.value), loop: loop.checked,
            avoids: avoid.checked };
    }

    /** How a path is going; measures once it is over. */
    showPath(view, measures) {
        const { path, error } = this.shown;
        const laps = view.pathLaps > 0 ? `, lap ${view.pathLaps + 1}` : '';
        path.textContent = ['none', `${view.pathAt.toFixed(1)} of ${view.pathLength.toFixed(1)} m${laps}`, 'done'][view.path];
        error.textContent = measures ? `${(100 * measures.error).toFixed(1)} cm, end ${(100 * measures.end).toFixed(0)} cm` : '–';
    }

    makeViews() {
        const changed = () => this.studio.show(this.views);
        return [
            this.choice('body', 'body', ['figure', 'skeleton', 'both', 'mannequin'], 0, changed),
            this.check('ground', 'target, prediction, past', true, changed),
        ];
    }

    /** Offers one item of a choice or not; one that is gone and was chosen gives way to the first. */
    allow(id, item, on) {
        const select = this.inputs[id];
        select.options[item].hidden = select.options[item].disabled = !on;
        if (!on && Number(select.value) === item) {
            select.value = 0;
        }
    }

    get views() {
        return { body: Number(this.inputs.body.value), ground: this.inputs.ground.checked };
    }

    /** Lists the data sets. */
    setList(sets) {
        this.sets.replaceChildren(...sets.map((set) => make('option', { value: set.name, textContent: set.title })));
    }

    /** Shows which data set plays. */
    choose(name) {
        this.sets.value = name;
    }

    /** The library's methods that the data have all for, and the page's own. Networks may come with another set. */
    setMethods({ methods, hasFrames }) {
        const own = { name: SIDE_BY_SIDE, label: 'side by side', needsDatabase: true };
        const shipped = (name) => this.studio.sets.some((set) => set.models?.[name] || (set.networks && set.method === name));
        this.inputs.method.replaceChildren(...[...methods, own]
            .filter((item) => (hasFrames || !item.needsDatabase) && (!item.needsModel || item.modelBytes > 0 || shipped(item.name)))
            .map(({ name, label }) => make('option', { value: name, textContent: label })));
    }

    /** A database was opened. */
    opened(name) {
        this.choose(name);
        this.refreshed();
    }

    /** What plays has other networks. */
    refreshed() {
        const { engine } = this.studio;
        const { about } = engine;
        this.setMethods(about);
        this.inputs.method.value = about.method;
        const models = about.methods.reduce((sum, { modelBytes }) => sum + modelBytes, 0);
        this.shown.size.textContent = about.hasFrames ? `${about.frames.toLocaleString('en')} · ${(about.bytes / 1e6).toFixed(1)} MB`
            : `none · ${(models / 1e6).toFixed(1)} MB of networks`;
        this.peak = 1;
        this.bars = about.channels.map((channel) => {
            const fill = make('i');
            const number = make('b');
            const bar = make('div', { className: 'bar', title: channel.replaceAll('_', ' ') },
                make('span', { textContent: channelName(channel) }), make('div', {}, fill), number);
            return { bar, fill, number };
        });
        this.costs.replaceChildren(...this.bars.map((item) => item.bar));
        this.can = (activity) => engine.can(activity) || (activity === 'jump' && this.studio.asks.tools.some(({ main }) => main === 'spot'));
        this.pushes = about.canBePushed;
        this.showHelp();
    }

    showHelp() {
        if (!this.can) {
            return;
        }
        const several = (GAMES[Number(this.inputs.game.value)].places ?? []).length > 1;
        const rows = this.draws ? [...pathHelp, ...(several ? [chooseHelp] : [])] : this.isField ? fieldHelp : keyHelp;
        const sends = this.isField ? hints[this.field.task] : this.studio.asks?.points ? hints.ask : null;
        this.caps = {};
        this.help.replaceChildren(...rows.map(([keys, label, activity]) => {
            const absent = Boolean(activity) && !this.can(activity);
            const row = make('div', { className: absent ? 'absent' : '', title: absent ? `this data set has no ${activity}` : '' });
            for (const key of keys) {
                this.caps[key] = make('kbd', { textContent: caps[key] ?? key });
                row.append(this.caps[key]);
            }
            row.append(label);
            return row;
        }), make('div', { textContent: this.draws ? hints.draw : sends ?? (this.pushes ? hints.push : hints.steer) }));
    }

    /** The neighbours of a field's state by their weights; the first is the one whose action was chosen. */
    showNear(view) {
        const { near } = view;
        this.costs.hidden = near.length > 0 || this.searchesNothing;
        this.nearest.hidden = this.turning.hidden = this.near.hidden = near.length === 0;
        this.shown.nearest.textContent = view.nearest.toFixed(2);
        this.shown.turning.textContent = `${(100 * view.byMotion).toFixed(0)} %`;
        this.turning.title = 'How much of the turning in the last seconds is the motion\'s own; the rest is steering of the root';
        if (near.length) {
            this.near.title = 'Weights of the neighbours; the first, in orange, is the one whose action was chosen';
            this.near.replaceChildren(...near.map(({ weight }, i) => {
                const bar = make('i', { className: i === 0 && this.field.policy !== 'passive' ? 'chosen' : '' });
                bar.style.height = `${Math.max(100 * weight, 2)}%`;
                return bar;
            }));
        }
    }

    /** The encoded control as bars around zero. */
    showEncoding({ encoding }) {
        this.encoded.hidden = this.encoding.hidden = encoding.length === 0;
        this.cost.hidden = this.search.hidden = this.searchesNothing;
        if (encoding.length === 0) {
            return;
        }
        if (this.encoding.childElementCount !== encoding.length) {
            this.encoding.replaceChildren(...encoding.map(() => make('i')));
        }
        const most = Math.max(1, ...encoding.map(Math.abs));
        this.shown.encoded.textContent = `${encoding.length} to ±${most.toFixed(1)}`;
        encoding.forEach((number, i) => {
            const bar = this.encoding.children[i];
            const part = 50 * Math.abs(number) / most;
            bar.style.top = `${number > 0 ? 50 - part : 50}%`;
            bar.style.height = `${Math.max(part, 1)}%`;
            bar.className = number < 0 ? 'negative' : '';
        });
    }

    /** What decided, where that is more than the cost: sums over the levels of a lookahead, or a field's worth. */
    showWorth(view) {
        const ahead = this.inputs.method.value === 'long-horizon';
        const field = view.near.length > 0;
        this.worth.hidden = !ahead && !field;
        this.worth.firstChild.textContent = field ? 'reward + value' : 'over all levels';
        this.worth.title = field ? `Distance from the data by part: root ${view.partRoot.toFixed(3)}, turn ${view.partTurn.toFixed(3)}, pose ${view.partPose.toFixed(3)}, next pose ${view.partNextPose.toFixed(3)}`
            : 'The costs of the chosen frame and of the best frames after it, added up';
        this.shown.worth.textContent = field ? `${view.reward.toFixed(2)} + ${view.value.toFixed(2)}`
            : view.softened ? 'a smoother landing' : Number.isFinite(view.total) ? view.total.toFixed(2) : '–';
    }

    /** Once every few pictures. */
    update(view, clip, speed, rate, down) {
        this.activity.textContent = view.activity;
        this.activity.dataset.activity = view.activity;
        const frame = Math.floor(view.frame - view.rangeFirst);
        this.shown.clip.textContent = view.frame < 0 ? 'networks' : clip;
        this.shown.frame.textContent = view.frame < 0 ? '–' : `${frame} of ${view.rangeFrames}`;
        this.progress.style.width = `${(100 * frame) / Math.max(view.rangeFrames, 1)}%`;
        this.shown.speed.textContent = `${speed.toFixed(2)} m/s, target ${Math.hypot(view.desiredX, view.desiredZ).toFixed(2)}`;
        this.shown.transitions.textContent = `${rate.toFixed(0)} in 1 s`;
        // Networks have no frame whose cost could be compared: this is how far their answer is from what was asked.
        this.shown.cost.previousSibling.textContent = view.frame < 0 ? 'answer from asked' : 'cost';
        this.shown.cost.textContent = view.cost.toFixed(2);
        this.shown.search.textContent = `${view.searchUs.toFixed(0)} µs`;
        this.shown.step.textContent = `${view.stepUs.toFixed(0)} µs`;
        this.showNear(view);
        this.showEncoding(view);
        this.showWorth(view);
        const training = this.studio.trainings.words;
        this.training.hidden = training === null;
        this.training.textContent = training ?? '';
        this.peak = Math.max(0.98 * this.peak, ...view.costs, 0.5);
        view.costs.forEach((cost, i) => {
            this.bars[i].fill.style.width = `${(100 * cost) / this.peak}%`;
            this.bars[i].number.textContent = cost.toFixed(2);
        });
        for (const [key, cap] of Object.entries(this.caps)) {
            cap.classList.toggle('down', down.has(key));
        }
    }
}
