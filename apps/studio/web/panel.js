// The panel at the side: what plays and why, and what can be changed.
import { FIELD, METHODS, TASKS } from './engine.js';
import { GAMES } from './games.js';

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
    push: 'drag turns the camera, on the body it pushes · gamepads work', draw: 'drag draws a path · right button or two fingers turn the camera' };
const caps = { ArrowUp: '↑', ArrowDown: '↓', Shift: '⇧ Shift' };
const words = (name) => name.replaceAll('_', ' ');

/** A new element with attributes and children. */
function make(tag, attributes = {}, ...children) {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
}

export class Panel {
    /** @param actions {set(name), mode(), game(), options(values), show(what), reset()} what the user asks for */
    constructor(root, help, actions) {
        this.root = root;
        this.help = help;
        this.actions = actions;
        this.shown = {};
        this.bars = [];
        this.peak = 1;
        this.inputs = {};
        this.build();
    }

    build() {
        const heading = (text) => make('h2', { textContent: text });
        this.sets = make('select', { className: 'wide', id: 'set', title: 'Data set', ariaLabel: 'Data set' });
        this.sets.addEventListener('change', () => {
            this.actions.set(this.sets.value);
            this.sets.blur();
        });
        this.activity = make('b', { className: 'chip' });
        this.progress = make('i');
        this.costs = make('div');
        this.root.append(
            heading('Motion'), this.sets, this.choice('method', 'method', METHODS, 0, () => this.actions.method(Number(this.inputs.method.value))), this.row('size', 'frames'),
            heading('Control'), ...this.makeControl(),
            heading('Playing'), make('div', { className: 'row' }, make('span', { textContent: 'doing' }), this.activity),
            this.row('clip', 'clip'), this.row('frame', 'frame'), make('div', { className: 'progress' }, this.progress),
            this.row('speed', 'speed'), this.row('transitions', 'transitions'),
            heading('Why this frame'), this.costs, this.nearest = this.row('nearest', 'off the data'), this.near = make('div', { className: 'near', id: 'near' }), this.row('cost', 'cost'), this.row('search', 'search'), this.row('step', 'whole step'),
            heading('How'), ...this.makeOptions(),
            heading('Show'), ...this.makeViews(),
            make('div', { className: 'buttons' }, this.button('Restart', 'reset', () => this.actions.reset()),
                this.button('Camera', 'camera', () => this.actions.camera())));
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
        const select = make('select', { id }, ...names.map((name, i) => make('option', { value: i, textContent: name })));
        select.value = value;
        select.addEventListener('change', () => {
            changed();
            select.blur();
        });
        this.inputs[id] = select;
        return make('label', {}, make('span', { textContent: label }), select);
    }

    slider(id, label, low, high, step, value, changed) {
        const input = make('input', { type: 'range', id, min: low, max: high, step, value });
        const output = make('output', { textContent: value });
        input.show = () => {
            output.textContent = input.value;
        };
        input.addEventListener('input', input.show);
        input.addEventListener('change', () => {
            changed();
            input.blur();
        });
        this.inputs[id] = input;
        return make('label', {}, make('span', { textContent: label }), input, output);
    }

    check(id, label, value, changed) {
        const input = make('input', { type: 'checkbox', id, checked: value });
        input.addEventListener('change', () => {
            changed();
            input.blur();
        });
        this.inputs[id] = input;
        return make('label', {}, make('span', { textContent: label }), input);
    }

    makeControl() {
        const none = () => {};
        this.pathRows = [
            this.choice('control', 'path lies', ['where drawn', 'at the character'], 1, none),
            this.choice('facing', 'facing', ['along the path', 'right stick', 'as people would'], 0, none),
            this.slider('scale', 'drawn speed ×', 0.05, 1, 0.05, 0.2, none),
            this.check('loop', 'round and round', false, none),
            this.check('avoid', 'path avoids obstacles', false, none),
            this.row('path', 'path'), this.row('error', 'off the path'),
        ];
        return [
            this.choice('mode', 'mode', ['steer', 'draw a path'], 0, () => this.actions.mode()),
            this.choice('game', 'game', GAMES.map((game) => game.title), 0, () => this.actions.game()),
            this.choice('crowd', 'characters', CROWDS, 0, () => this.actions.crowd(this.crowd)),
            ...this.pathRows, ...this.makeField(),
        ];
    }

    /** The choices for characters of a field. */
    makeField() {
        const changed = () => this.actions.field(this.field);
        this.fieldNote = make('p', { className: 'note', id: 'field-note' });
        this.fieldRows = [
            this.choice('task', 'task', TASKS, 2, changed), this.choice('policy', 'chooses', ['lookahead', 'greedy', 'passive'], 0, changed), this.fieldNote,
        ];
        return this.fieldRows;
    }

    get field() {
        return { task: Number(this.inputs.task.value), policy: Number(this.inputs.policy.value) };
    }

    get crowd() {
        return CROWDS[Number(this.inputs.crowd.value)];
    }

    /** Shows which method plays and, for a field, its choices. */
    setMethod(method, about = null) {
        this.inputs.method.value = method;
        this.isField = method === FIELD;
        this.fieldRows.forEach((row) => {
            row.hidden = !this.isField;
        });
        if (this.isField && about) {
            this.showField(about);
        }
        this.showHelp();
    }

    /** What the chosen task and policy do with these data. */
    showField({ field }) {
        const { task, policy } = this.field;
        const trained = field?.values[task] > 0;
        const does = ['It faces where you steer, at any speed, and walks on when you release the keys.',
            'It follows the line that you drag, or otherwise the one along which you steer.',
            'It follows the direction and, as far as the data allow, the speed; release the keys and it stops.',
            'It walks to the point that you click and stops within half a metre of it.'][task];
        const how = [trained ? '' : 'No value function was trained for this task and data set: the character looks one tick ahead, like greedy.',
            'It looks one tick ahead, which rarely gets it around a bend.', 'It has no target and wanders where the data lead.'][policy];
        this.fieldNote.textContent = policy === 2 ? how : `${does} ${how}`.trim();
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

    makeOptions() {
        const changed = () => this.actions.options(this.options);
        return [
            this.choice('root', 'root moves by', ['animation', 'simulation', 'mixed'], 2, changed),
            this.choice('inertialise', 'transitions', ['off', 'spring', 'quintic'], 1, changed),
            this.check('ik', 'feet stay planted', true, changed),
            this.slider('searchEvery', 'search every', 0.03, 1, 0.01, 0.17, changed),
            this.slider('stayBias', 'stay bias', 0, 5, 0.1, 0, changed),
            this.slider('walk', 'walk (m/s)', 0.4, 2, 0.05, 1.2, () => this.actions.walk(Number(this.inputs.walk.value))),
        ];
    }

    makeViews() {
        const changed = () => this.actions.show(this.views);
        return [
            this.choice('body', 'body', ['figure', 'skeleton', 'both', 'mannequin'], 0, changed),
            this.check('ground', 'target, prediction, past', true, changed),
        ];
    }

    /** The options as the engine takes them. 0.17 s means exactly ten frames. */
    get options() {
        const { root, inertialise, ik, searchEvery, stayBias } = this.inputs;
        const every = Number(searchEvery.value);
        return { root: Number(root.value), inertialise: Number(inertialise.value), ik: ik.checked,
            searchEvery: every === 0.17 ? 1 / 6 : every, stayBias: Number(stayBias.value) };
    }

    /** Offers or hides one item of a choice; if the chosen item is hidden, the first is chosen. */
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

    /** A database was opened. */
    opened(name, about, engine) {
        this.choose(name);
        this.shown.size.textContent = about.matches ? `${about.frames.toLocaleString('en')} · ${(about.bytes / 1e6).toFixed(1)} MB`
            : `none · ${(about.networkBytes / 1e6).toFixed(1)} MB of networks`;
        [0, 1, 3, FIELD].forEach((method) => this.allow('method', method, about.matches));
        // People walk at about 1.3 m/s; captured sets have many slow steps, which make a sluggish default.
        this.inputs.walk.value = Math.max(about.walkMps, 1.2);
        this.inputs.walk.show();
        this.actions.walk(Number(this.inputs.walk.value));
        this.peak = 1;
        this.bars = about.channels.map((channel) => {
            const fill = make('i');
            const number = make('b');
            const bar = make('div', { className: 'bar', title: words(channel) },
                make('span', { textContent: words(channel).replace('trajectory', 'path').replace('left', 'L').replace('right', 'R') }), make('div', {}, fill), number);
            return { bar, fill, number };
        });
        this.costs.replaceChildren(...this.bars.map((item) => item.bar));
        this.can = (activity) => engine.can(activity);
        this.pushes = about.canBePushed;
        this.showHelp();
    }

    showHelp() {
        if (!this.can) {
            return;
        }
        const several = (GAMES[Number(this.inputs.game.value)].places ?? []).length > 1;
        const rows = this.draws ? [...pathHelp, ...(several ? [chooseHelp] : [])] : this.isField ? fieldHelp : keyHelp;
        const sends = this.isField ? [null, hints.line, null, hints.point][this.field.task] : null;
        this.caps = {};
        this.help.replaceChildren(...rows.map(([keys, label, activity]) => {
            const row = make('div', { className: activity && !this.can(activity) ? 'absent' : '' });
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
        this.costs.hidden = near.length > 0;
        this.nearest.hidden = this.near.hidden = near.length === 0;
        this.shown.nearest.textContent = view.nearest.toFixed(2);
        if (near.length) {
            this.near.title = 'Weights of the neighbours; the first, in orange, is the one whose action was chosen';
            this.near.replaceChildren(...near.map(({ weight }, i) => {
                const bar = make('i', { className: i === 0 && this.field.policy < 2 ? 'chosen' : '' });
                bar.style.height = `${Math.max(100 * weight, 2)}%`;
                return bar;
            }));
        }
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
        this.shown.cost.textContent = view.cost.toFixed(2);
        this.shown.search.textContent = `${view.searchUs.toFixed(0)} µs`;
        this.shown.step.textContent = `${view.stepUs.toFixed(0)} µs`;
        this.showNear(view);
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
