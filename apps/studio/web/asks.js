// What can be asked of networks that carry a control schema: tools for the pointer (go there, sit down, jump, pick up,
// draw way-points) and choices beside them (a style, a hand), found by the parts of the schema.
import * as THREE from 'three';
import { choice, labelled, make, watch } from './controls.js';
import { SENT } from './engine.js';
import { Ribbon, flat, paint } from './overlay.js';

const COLOUR = 0x7a4fbf;
const SHORTEST = 0.3;    // m: a shorter drag is a click
const THERE_M = 0.4;     // a spot this near has been reached,
const THERE_STEPS = 150; // and this much later is over where the networks can do something else
const WAY_POINTS = { most: 4, every: 0.375, shown: 16 }; // asked for: of the 1.5 s that a character plans ahead
const ANY = '';

/** By the names of parts: what a tool does, and how high its place is. Others are called by their path. */
const KNOWN = {
    target: { label: 'go to a target', mark: 'ring' }, spot: { label: 'jump to a spot', mark: 'ring' },
    chair: { label: 'sit on a chair', mark: 'chair', height: 0.45 }, object: { label: 'pick up an object', mark: 'object', height: 0.5 },
    get_up: { label: 'get up' }, path: { label: 'follow way-points' }, style: { label: 'walk in a style' }, uncontrolled: { label: 'go its own way' },
};
const HINTS = {
    point: () => 'click where, or press there and drag the way it should face',
    place: (tool) => (tool.facing ? 'click where, or press there and drag the way it should face' : 'click where'),
    direction: () => 'click where it should face', list: () => 'drag a line, or click one way-point after another', steer: () => 'keys and sticks steer', nothing: () => '',
};

// ---------------------------------------------------------------------------------------------
// Reading a schema

/** The parts of a schema as a tree, by their depths. */
function treeOf(parts) {
    const chain = [];
    for (const part of parts) {
        const node = { ...part, parts: [] };
        chain.length = part.depth;
        chain.at(-1)?.parts.push(node);
        chain.push(node);
    }
    return chain[0];
}

const nameOf = (path) => path.split('.').at(-1);
const isBranching = (word) => ['or', 'exclusive_union', 'either'].includes(word);
const KINDS = { location: 'places', direction: 'directions', one_of: 'choices', enum: 'choices', bool: 'choices', number: 'choices', velocity: 'velocities' };

/** The part of an item that is its place: the item itself, or what it calls `position`; null without one. */
const placeOf = (item) => [item, ...item.parts].find(({ operator, path, local }) => operator === 'location' && !local && (path === item.path || nameOf(path) === 'position'));

/** Puts what is asked for together into `group`; each branch of an `or` is a group of its own. */
function gather(node, group, groups, optional) {
    const { operator, path, parts, local } = node;
    if (local || nameOf(path) === 'pose') {
        return; // of the character's own body
    }
    if (isBranching(operator)) {
        parts.forEach((part) => {
            const own = { path: part.path, places: [], directions: [], choices: [], velocities: [], list: null, empty: part.operator === 'null' };
            groups.push(own);
            gather(part, own, groups, false);
        });
    } else if (node.most) {
        const fixed = operator === 'fixed_array';
        if (placeOf(parts[0]) && !group.list) {
            group.list = { path, fixed, most: node.most };
        }
    } else if (KINDS[operator]) {
        group[KINDS[operator]].push({ path, operator, optional, names: node.names, name: nameOf(path) });
    } else {
        parts.forEach((part) => gather(part, group, groups, operator === 'optional'));
    }
}

/** When the items of a list are asked for, s from now: those of a fixed one as in configs/controls/trajectory.json. */
function timesOf({ fixed, most }) {
    const count = fixed ? most : Math.min(most, WAY_POINTS.most);
    return Array.from({ length: count }, (_, i) => (!fixed ? (i + 1) * WAY_POINTS.every : count === 4 ? [0.2, 0.4, 0.7, 1][i] : (i + 1) / count));
}

function toolOf({ path, places, directions, choices, velocities, list, empty }) {
    const facing = directions.find(({ name }) => name === 'facing') ?? null;
    if (places.length) {
        return { kind: 'place', main: places[0].name, place: places[0], facing, choices };
    }
    if (list) {
        const style = choices.find(({ operator }) => operator !== 'bool' && operator !== 'number');
        return { kind: list.fixed ? 'steer' : 'list', main: list.fixed ? style?.name : nameOf(list.path) || 'path', list, choices };
    }
    if (directions.length && !velocities.length) {
        return { kind: 'direction', main: directions[0].name, place: directions[0], choices };
    }
    return empty ? { kind: 'nothing', main: nameOf(path), choices } : null;
}

/** For schemas without a target of their own: the model's runtime controls walk to a point. */
const POINT = { kind: 'point', main: 'target', place: {}, facing: { optional: true }, choices: [] };

/** The tools for a schema (about.control), in its order: what keys steer by themselves needs none. */
export function toolsOf(control) {
    if (!control) {
        return [];
    }
    const groups = [{ path: '', places: [], directions: [], choices: [], velocities: [], list: null }];
    gather(treeOf(control.parts), groups[0], groups, false);
    const steered = groups.some(({ list, velocities }) => list || velocities.length);
    const walks = steered && !groups.some(({ places }) => places.some(({ name }) => name === 'target'));
    return [...(walks ? [{ branch: '', tool: POINT }] : []), ...groups.map((group) => ({ branch: group.path, tool: toolOf(group) }))]
        .filter(({ tool }) => tool && (tool.kind !== 'steer' || tool.choices.length))
        .map(({ branch, tool }) => ({ ...tool, branch, id: branch || tool.main, ...(KNOWN[tool.main] ?? {}), label: KNOWN[tool.main]?.label ?? (branch || tool.main).replaceAll('_', ' ') }));
}

// ---------------------------------------------------------------------------------------------
// Marks on the ground

const box = (size, at, material) => {
    const mesh = new THREE.Mesh(new THREE.BoxGeometry(...size), material);
    mesh.position.set(...at);
    mesh.castShadow = true;
    return mesh;
};

/** What stands where something was asked for: a ring, a chair, a thing; with an arrow where it should face. */
class Marks {
    constructor(scene) {
        const wood = new THREE.MeshStandardMaterial({ color: 0xb58a5a, roughness: 0.8 });
        this.object = new THREE.Group();
        this.kinds = {
            ring: new THREE.Mesh(flat(new THREE.RingGeometry(0.24, 0.3, 40)), paint(COLOUR, 0.8)),
            chair: new THREE.Group().add(box([0.44, 0.05, 0.42], [0, 0.45, 0], wood), box([0.44, 0.5, 0.04], [0, 0.7, -0.2], wood),
                ...[[-0.19, -0.18], [0.19, -0.18], [-0.19, 0.18], [0.19, 0.18]].map(([x, z]) => box([0.04, 0.44, 0.04], [x, 0.22, z], wood))),
            object: box([0.16, 0.16, 0.16], [0, 0, 0], wood),
        };
        this.wayPoints = Array.from({ length: WAY_POINTS.shown }, () => new THREE.Mesh(flat(new THREE.RingGeometry(0.09, 0.13, 32)), paint(COLOUR, 0.8)));
        this.arrow = new Ribbon(COLOUR, 0.06, 2, 0.7);
        this.head = new THREE.Mesh(flat(new THREE.CircleGeometry(0.12, 3)), paint(COLOUR, 0.8));
        this.object.add(...Object.values(this.kinds), this.arrow.mesh, this.head);
        scene.add(this.object, ...this.wayPoints);
        this.show(null);
    }

    /** @param places [{ x, z }] of way-points */
    showWay(places) {
        this.wayPoints.forEach((ring, i) => {
            ring.visible = i < places.length;
            ring.position.set(places[i]?.x ?? 0, 0.012, places[i]?.z ?? 0);
        });
    }

    /** @param mark { kind, x, y, z, facing: [x, z] or null }, or null */
    show(mark) {
        this.object.visible = Boolean(mark);
        Object.entries(this.kinds).forEach(([kind, mesh]) => {
            mesh.visible = kind === mark?.kind;
        });
        this.arrow.mesh.visible = this.head.visible = Boolean(mark?.facing);
        if (!mark) {
            return;
        }
        const shown = this.kinds[mark.kind];
        shown?.position.set(mark.x, mark.kind === 'object' ? mark.y : 0.008, mark.z);
        if (mark.facing) {
            const [dx, dz] = mark.facing;
            const tip = { x: mark.x + 0.75 * dx, z: mark.z + 0.75 * dz };
            if (shown && mark.kind === 'chair') {
                shown.rotation.y = Math.atan2(dx, dz);
            }
            this.arrow.set([{ x: mark.x + 0.3 * dx, z: mark.z + 0.3 * dz }, tip], 0.009);
            this.head.position.set(tip.x, 0.01, tip.z);
            this.head.rotation.y = Math.atan2(-dz, dx);
        }
    }
}

// ---------------------------------------------------------------------------------------------
// Asking

/** The tools of what plays, the pointer that uses them, and the rows of the panel that choose them. */
export class Asks {
    /** @param element of the panel, for the rows */
    constructor(studio, element) {
        this.studio = studio;
        this.stage = studio.stage;
        this.element = element;
        this.marks = new Marks(this.stage.scene);
        this.tools = [];
        this.tool = null;
        this.chosen = {}; // values of choices by path; ANY or missing: not given
        this.pointer = null;
        this.next = null; // what the next step asks
        this.mark = null; // where, as it is shown
        this.near = 0;    // steps since the place was reached
        const { canvas } = this.stage;
        canvas.addEventListener('pointerdown', (event) => this.down(event));
        canvas.addEventListener('pointermove', (event) => this.move(event));
        canvas.addEventListener('pointerup', (event) => this.up(event));
        canvas.addEventListener('pointercancel', () => this.lift());
    }

    /** Another schema, mode or game. What is asked goes on while the schema stays. */
    set() {
        const { control } = this.studio.engine.about;
        const asked = this.studio.panel.searchesNothing;
        const hash = `${asked} ${control?.hash}`;
        if (hash !== this.hash) {
            this.hash = hash;
            this.alone = asked && !control;
            this.tools = toolsOf(control);
            this.lift();
            [this.tool, this.chosen] = [null, {}];
            this.forget();
            this.build();
        }
        // Drawings are followed as way-points where the schema has them.
        const list = this.tools.find(({ kind }) => kind === 'list');
        if (list && this.studio.play.draws !== (this.tool?.kind === 'list') && (!this.tool || this.tool === list)) {
            this.take(this.studio.play.draws ? list : null);
        }
        if (this.points) {
            this.stage.draws(true);
        }
    }

    /** Whether the pointer means a place. */
    get points() {
        return Boolean(this.tool?.place) && !this.studio.play.draws;
    }

    forget() {
        [this.next, this.mark, this.near] = [null, null, 0];
    }

    // The panel's rows

    build() {
        this.element.hidden = this.tools.length === 0 && !this.alone;
        if (this.alone) {
            this.element.replaceChildren(make('p', { className: 'note', textContent: 'Nothing can be asked of these networks: the character goes its own way.' }));
            return;
        }
        this.select = choice('ask', [['', 'what keys and sticks say'], ...this.tools.map(({ id, label }) => [id, label])], () => this.use(this.select.value));
        this.hint = make('p', { className: 'note', id: 'ask-hint' });
        this.rows = make('div');
        this.element.replaceChildren(labelled('asked to', this.select), this.rows, this.hint);
        this.showRows();
    }

    showRows() {
        const { tool } = this;
        this.hint.textContent = tool ? HINTS[tool.kind](tool) : '';
        this.hint.hidden = !this.hint.textContent;
        this.rows.replaceChildren(...(tool?.choices ?? []).map((part) => this.row(part)), ...(tool?.height ? [this.heightRow(tool)] : []));
    }

    row({ path, name, names, operator, optional }) {
        const set = (value) => {
            this.chosen[path] = value;
            this.again();
        };
        if (operator === 'bool') {
            const input = watch(make('input', { type: 'checkbox', id: `ask-${name}` }), () => set(input.checked));
            return labelled(name, input);
        }
        if (operator === 'number') {
            const input = watch(make('input', { type: 'number', id: `ask-${name}`, step: 'any', placeholder: '–' }), () => set(input.value === '' ? ANY : Number(input.value)));
            return labelled(name, input);
        }
        const items = [...(optional ? [[ANY, 'any']] : []), ...names.map((word) => [word, word.replaceAll('_', ' ')])];
        const select = choice(`ask-${name}`, items, () => set(select.value));
        this.chosen[path] ??= select.value;
        select.value = this.chosen[path];
        return labelled(name.replaceAll('_', ' '), select);
    }

    heightRow(tool) {
        const input = watch(make('input', { type: 'number', id: 'ask-height', step: 0.05, min: 0, max: 2, value: tool.height }), () => {
            tool.height = Number(input.value);
        });
        return labelled('height (m)', input);
    }

    /** Another tool; what was asked for ends. */
    use(id) {
        const { studio } = this;
        this.take(this.tools.find((tool) => tool.id === id) ?? null);
        const draws = this.tool?.kind === 'list';
        if (draws !== studio.play.draws) {
            studio.setMode(draws, 0);
        }
        studio.pointing();
        studio.panel.showHelp();
    }

    take(tool) {
        this.lift(); // a place that was pressed was another tool's
        this.tool = tool;
        this.select.value = tool?.id ?? '';
        this.forget();
        this.next = { values: '', sends: { kind: SENT.NOWHERE } };
        this.showRows();
        this.again();
    }

    /** Asks for what needs no pointer, or asks again with other choices. */
    again() {
        const { tool, mark } = this;
        if (tool && (!tool.place || mark)) {
            this.ask(mark);
        }
    }

    /** @param mark of a tool with a place */
    ask(mark) {
        const { tool } = this;
        const values = {};
        [this.mark, this.near] = [mark, 0];
        if (tool.kind === 'point') {
            const [wayX, wayZ] = mark.facing ?? [0, 0];
            this.next = { sends: { kind: SENT.POINT, x: mark.x, z: mark.z, wayX, wayZ } };
            return;
        }
        if (tool.kind === 'nothing') {
            const at = tool.branch.lastIndexOf('.');
            values[tool.branch.slice(0, Math.max(at, 0))] = tool.branch.slice(at + 1);
        }
        for (const { path, operator, optional } of tool.choices) {
            const value = this.chosen[path];
            if (value !== undefined && value !== ANY && !(optional && operator === 'bool' && !value)) {
                values[path] = value;
            }
        }
        if (tool.kind === 'place') {
            values[tool.place.path] = [mark.x, mark.y, mark.z];
            if (tool.facing && mark.facing) {
                values[tool.facing.path] = [mark.facing[0], 0, mark.facing[1]];
            }
        } else if (tool.kind === 'direction') {
            values[tool.place.path] = [mark.way[0], 0, mark.way[1]];
        }
        const { sends } = this.next ?? {}; // of another tool, which ends
        this.next = { values: JSON.stringify(values), ...(sends ? { sends } : {}), ...(tool.list ? { list: tool.list.path, times: timesOf(tool.list) } : {}) };
    }

    // The pointer

    down(event) {
        const at = this.points && event.button === 0 && this.pointer === null ? this.stage.toGround(event.clientX, event.clientY) : null;
        if (at) {
            document.activeElement?.blur();
            this.stage.canvas.setPointerCapture(event.pointerId);
            this.stage.held = true;
            [this.pointer, this.from, this.to] = [event.pointerId, at, at];
        }
    }

    move(event) {
        if (event.pointerId === this.pointer) {
            this.to = this.stage.toGround(event.clientX, event.clientY) ?? this.to;
        }
    }

    up(event) {
        if (event.pointerId === this.pointer) {
            this.ask(this.aimed());
            this.lift();
        }
    }

    lift() {
        this.stage.held &&= this.pointer === null; // what is held may be another's
        this.pointer = null;
    }

    /** What the pointer shows: a place with a facing, dragged or, where the schema wants one, towards the character. */
    aimed() {
        const { tool, from, to, studio: { view } } = this;
        const unit = (x, z) => [x / (Math.hypot(x, z) || 1), z / (Math.hypot(x, z) || 1)];
        const [dx, dz] = [to.x - from.x, to.z - from.z];
        const back = [view.rootX - from.x, view.rootZ - from.z];
        const dragged = tool.facing && Math.hypot(dx, dz) > SHORTEST ? unit(dx, dz) : null;
        const facing = dragged ?? (tool.facing && !tool.facing.optional ? unit(...back) : null);
        return { kind: tool.mark ?? (tool.kind === 'direction' ? '' : 'ring'), ...from, y: tool.height ?? 0, facing, way: unit(-back[0], -back[1]) };
    }

    // Steps and pictures

    /** What the next step takes; part of the log. */
    devices() {
        const { sends, ...asks } = this.next ?? {};
        this.next = null;
        return { ...(sends ? { sends } : {}), ...(asks.values !== undefined ? { asks } : {}) };
    }

    /** Before a step. */
    begin({ asks }) {
        if (asks) {
            try {
                this.studio.engine.ask(asks);
                this.studio.notice(null);
            } catch (error) {
                this.mark = null;
                this.studio.notice(error.message, true);
            }
        }
    }

    /** After a step: what was asked for has ended by steering; a spot that was reached is over where there is more to do. */
    step(view) {
        const { mark, tool } = this;
        if (mark && !view.asked && view.target === SENT.NOWHERE && !this.next) {
            this.forget();
        } else if (mark && tool?.branch && tool.place && ['spot', 'object'].includes(tool.main)) {
            const away = Math.hypot(mark.x - view.rootX, mark.z - view.rootZ);
            this.near = this.near > 0 || away < THERE_M ? this.near + 1 : 0;
            if (this.near > THERE_STEPS) {
                this.forget();
                this.next = { values: '' };
            }
        }
    }

    /** Once per picture. */
    update() {
        const { play, view } = this.studio;
        this.marks.show(this.pointer !== null ? this.aimed() : this.mark);
        this.marks.showWay(this.tool?.kind === 'list' && view.path === 1 ? play.wayPoints.filter(({ along }) => along > view.pathAt) : []);
    }
}
