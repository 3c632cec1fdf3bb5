// The studio's page: loads a database, steps the character at 60 Hz, draws it. window.amble is the handle for tests.
import { Engine, SIDE_BY_SIDE, STEP } from './engine.js';
import { Asks } from './asks.js';
import { Aim, FieldView } from './fields.js';
import { Figure } from './figure.js';
import { COLOURS as SHIRTS } from './games.js';
import { Input } from './input.js';
import { Mannequin, isHuman, loadModel } from './mannequin.js';
import { Overlay } from './overlay.js';
import { Panel } from './panel.js';
import { Play } from './play.js';
import { Pusher } from './push.js';
import { sessionOf } from './session.js';
import { Skeleton } from './skeleton.js';
import { Stage } from './stage.js';
import { Trainings } from './trainings.js';

const wanted = new URLSearchParams(location.search);
const MOST_STEPS = 6; // a late picture catches up at most a tenth of a second
const LONGEST_LOG = 36000; // ten minutes of steps; a page that stays open for days keeps no more

class Studio {
    constructor(engine) {
        this.engine = engine;
        this.stage = new Stage(document.getElementById('stage'), wanted.get('quality') === 'low');
        this.input = new Input(engine);
        this.overlay = new Overlay();
        this.stage.scene.add(this.overlay.object);
        this.trainings = new Trainings(this);
        this.panel = new Panel(document.getElementById('panel'), document.getElementById('help'), this);
        this.play = new Play(this);
        this.pusher = new Pusher(this);
        this.aim = new Aim(this);
        this.asks = new Asks(this, this.panel.asks);
        this.fieldView = new FieldView();
        this.stage.scene.add(this.fieldView.object);
        this.panel.setMode(false, 0);
        this.bodies = []; // of the first character: figure, skeleton, mannequin where there is one
        this.others = []; // the same of each of the rest
        this.poses = [];  // of all: { before, after } the last step
        this.paused = true;
        this.blind = false; // tests that only count do not wait for pictures
        this.waiting = 0; // simulated time that is due
        this.log = [];    // the input of every step since the reset, up to a limit
        this.loads = 0;   // data sets asked for
        this.pictures = 0;
    }

    notice(text, isError = false) {
        const notice = document.getElementById('notice');
        notice.textContent = text ?? '';
        notice.hidden = !text;
        notice.classList.toggle('error', isError);
    }

    async list() {
        const response = await fetch('api/sets');
        const { sets, mannequin } = await response.json();
        this.ownSets = sets;
        this.hasMannequin = mannequin;
        await this.trainings.list();
        this.listed();
    }

    /** The data sets with the trainings in progress. */
    get sets() {
        return [...this.ownSets, ...this.trainings.rows];
    }

    /** The list of data sets and networks has changed. */
    listed() {
        const { sets } = this;
        this.panel.setList(sets);
        if (this.current) {
            this.panel.choose(this.current);
            this.panel.setMethods(this.engine.about);
            this.panel.showOptions();
        }
    }

    /** Networks that a method could play. */
    networksOf(method) {
        return this.sets.filter((set) => set.networks && set.method === method);
    }

    /** Loads a data set by its name; the old one plays until the new one is ready. Of several requests the last counts. */
    async load(name) {
        const set = this.sets.find((item) => item.name === name) ?? this.sets[0];
        const load = ++this.loads;
        this.notice(set.ready ? `Loading ${set.title}…` : `Building ${set.title}, a few seconds the first time…`);
        try {
            const response = await fetch(set.url.slice(1));
            if (!response.ok) {
                throw new Error(await response.text());
            }
            const bytes = new Uint8Array(await response.arrayBuffer());
            const model = await this.model();
            const direction = await this.direction(set);
            if (load !== this.loads) {
                return;
            }
            this.engine.open(bytes, set.name, direction);
            set.ready = true;
            this.trainings.used = {};
            if (set.networks) {
                this.trainings.took(set.method, set);
            }
            this.opened(set, model);
            this.notice(null);
            if (set.method && this.method !== set.method) {
                await this.setMethod(set.method);
            }
        } catch (error) {
            if (load !== this.loads) {
                return;
            }
            if (!this.current) {
                throw error;
            }
            this.panel.choose(this.current); // that one continues
            this.notice(String(error.message ?? error), true);
        }
    }

    /** The network that predicts facings on paths for a set, or null: paths are then followed without it. */
    async direction(set) {
        const response = set.direction ? await fetch(set.direction.slice(1)) : null;
        return response?.ok ? new Uint8Array(await response.arrayBuffer()) : null;
    }

    /** The mannequin's model, or null: the page then has only its own figure. */
    async model() {
        try {
            return this.hasMannequin ? await loadModel() : null;
        } catch (error) {
            console.warn(`The mannequin could not be loaded: ${error.message ?? error}`);
            return null;
        }
    }

    opened(set, model) {
        this.current = set.name;
        this.panel.opened(set.name);
        this.reset();
        this.wardrobe.flat().forEach((body) => body.dispose());
        this.others = [];
        this.standing = this.poses[0].before.slice();
        this.mannequin = model && isHuman(this.engine.about) ? model : null;
        this.bodies = this.makeBodies();
        this.panel.allow('body', 3, this.bodies.length > 2);
        this.panel.allow('facing', 2, this.engine.about.direction);
        this.dress();
        this.draw(1 / 60);
        this.paused = false;
    }

    /** What one character can look like. */
    makeBodies() {
        const figure = new Figure(this.engine.about, this.standing);
        const bodies = [figure, new Skeleton(this.engine.about), ...(this.mannequin ? [new Mannequin(this.mannequin, figure)] : [])];
        this.stage.scene.add(...bodies.map((body) => body.object));
        return bodies;
    }

    /** The bodies of all characters. */
    get wardrobe() {
        return [this.bodies, ...this.others];
    }

    /** Makes the bodies of all characters on the stage; several characters get a colour each. */
    dress() {
        while (this.others.length > this.poses.length - 1) {
            this.others.pop().forEach((body) => body.dispose());
        }
        while (this.others.length < this.poses.length - 1) {
            this.others.push(this.makeBodies());
            this.others.at(-1)[0].materials.shirt.color.set(SHIRTS[this.others.length % SHIRTS.length]);
        }
        this.wardrobe.forEach(([, , mannequin], i) => mannequin?.paint(this.others.length ? SHIRTS[i % SHIRTS.length] : null));
        this.show(this.panel.views);
    }

    show({ body, ground }) {
        for (const [figure, skeleton, mannequin] of this.wardrobe) {
            figure.object.visible = body === 0 || body === 2;
            skeleton.object.visible = body === 1 || body === 2;
            if (mannequin) {
                mannequin.object.visible = body === 3;
            }
            for (const material of Object.values(figure.materials)) {
                material.transparent = body === 2;
                material.opacity = body === 2 ? 0.35 : 1;
            }
        }
        this.overlay.object.visible = ground;
    }

    /** What plays: the name of one of the library's methods, or SIDE_BY_SIDE. */
    get method() {
        return this.engine.about?.method;
    }

    /** Another method; the pose continues. */
    async setMethod(name) {
        try {
            if (name === SIDE_BY_SIDE && this.play.game.rules.places) {
                throw new Error('A game has its own characters: choose free move to see two methods side by side.');
            }
            const complaint = await this.findModel(name === SIDE_BY_SIDE ? 'learned' : name);
            if (name === SIDE_BY_SIDE && this.play.crowd > 1) {
                this.setCrowd(1);
            }
            this.engine.method(name);
            this.began(false, true);
            this.panel.refreshed(); // other networks may have other features
            this.notice(complaint, true);
        } catch (error) {
            this.panel.showOptions();
            this.notice(error.message, true);
        }
    }

    /** A model for a method, of those that ship for what plays or know its skeleton. Gives why none fits where the
     * method plays without, else throws it. */
    async findModel(method) {
        const row = this.engine.about.methods.find((item) => item.name === method);
        if (row.modelBytes > 0) {
            return null;
        }
        const own = this.sets.find((item) => item.name === this.current)?.models[method];
        const others = this.networksOf(method);
        let why = row.needsModel ? 'No trained networks were found: make them with amble train.' : null;
        for (const set of [...(own ? [{ url: own }] : []), ...others]) {
            const response = await fetch(set.url.slice(1));
            try {
                if (response.ok) {
                    this.engine.model(method, new Uint8Array(await response.arrayBuffer()));
                    this.trainings.took(method, set);
                    return null;
                }
            } catch (error) {
                why = `The model that ships for this method does not fit these data: ${error.message}.`;
            }
        }
        if (row.needsModel) {
            throw new Error(why);
        }
        return why;
    }

    /** Other networks for a method, of networksOf or a training's last; the character goes on from its pose. */
    async exchange(method, set) {
        const load = this.loads;
        try {
            const response = await fetch(set.url.slice(1));
            if (!response.ok) {
                throw new Error(`${set.name}: ${await response.text()}`);
            }
            const bytes = new Uint8Array(await response.arrayBuffer());
            if (load === this.loads && this.method === method) {
                this.engine.model(method, bytes);
                this.trainings.took(method, set);
                this.began(false, true);
                this.panel.refreshed();
                this.notice(null);
            }
        } catch (error) {
            if (set.hash === null || set.name === this.trainings.used[method]?.name) {
                this.trainings.took(method, set); // do not try it again
            }
            this.panel.showOptions();
            this.notice(error.message, true);
        }
    }

    /** What the pointer means. */
    pointing() {
        this.aim.set();
        this.asks.set();
    }

    /** Sets one option of the library's table. */
    setOption(key, value) {
        try {
            this.engine.set({ [key]: value });
            this.notice(null);
        } catch (error) {
            this.notice(error.message, true);
        }
        this.panel.showOptions();
        this.pointing();
    }

    setCrowd(count) {
        try {
            this.endPair();
            this.play.gather(count);
        } catch (error) {
            this.notice(error.message, true);
        }
    }

    get sideBySide() {
        return this.method === SIDE_BY_SIDE;
    }

    /** Games, drawings and crowds have casts of their own. */
    endPair() {
        if (this.sideBySide) {
            this.engine.method(this.engine.about.methods[0].name);
        }
    }

    /** Steers or draws, with one of the games. */
    setMode(draws, game) {
        try {
            this.endPair();
            this.play.set(draws, game);
            this.pointing();
        } catch (error) {
            this.notice(error.message, true);
        }
    }

    /** The session of one character since the start, as RUN.json. */
    get session() {
        return sessionOf({ engine: this.engine, log: this.log, set: this.current, networks: this.trainings.used[this.method]?.name });
    }

    /** Gives the session as a file. */
    save() {
        if (this.play.count > 1) {
            this.notice('A script is saved of one character alone: choose one character and free move.', true);
            return;
        }
        const { script, left } = this.session;
        const url = URL.createObjectURL(new Blob([JSON.stringify(script, null, 1)], { type: 'application/json' }));
        Object.assign(document.createElement('a'), { href: url, download: 'session.json' }).click();
        URL.revokeObjectURL(url);
        this.notice(left.length ? `The script leaves out ${left.join(' and ')}.` : null, true);
    }

    /** Back to the start. */
    reset() {
        this.engine.call('reset');
        this.began(true);
    }

    /** The engine has new characters: at the start, or where the old ones were; with `goesOn`, paths and games continue. */
    began(atStart, goesOn = false) {
        if (goesOn) {
            this.play.goOn();
        } else {
            this.play.clear();
        }
        this.poses = Array.from({ length: this.play.count }, (_, i) => (
            { before: Float32Array.from(this.engine.world(i)), after: Float32Array.from(this.engine.world(i)) }));
        this.view = this.engine.view;
        this.pusher.drop();
        this.pointing();
        this.waiting = 0;
        this.speeds = [];
        if (this.bodies.length) {
            this.dress();
        }
        if (atStart) {
            this.aim.forget();
            this.asks.forget();
            this.log = [];
            this.overlay.clear();
        }
    }

    /** The chosen character's pose after the last step. */
    get after() {
        return this.poses[this.play.chosen].after;
    }

    /** Where the hips of all are on the ground. */
    get hips() {
        return this.poses.map(({ after }) => ({ x: after[4], z: after[6] }));
    }

    /** One step with the devices as they are, or with `devices` given. */
    step(devices = this.devices()) {
        this.play.begin(devices);
        this.aim.begin(devices);
        this.asks.begin(devices);
        this.engine.step(devices);
        if (this.log.length < LONGEST_LOG) {
            this.log.push(devices);
        }
        this.poses.forEach((pose, i) => {
            [pose.before, pose.after] = [pose.after, pose.before];
            pose.after.set(this.engine.world(i));
        });
        this.view = this.engine.view;
        this.speeds.push({ x: this.view.rootX, z: this.view.rootZ, transitions: this.view.transitions });
        if (this.speeds.length > 60) {
            this.speeds.shift();
        }
        this.overlay.remember(this.view);
        this.play.step(this.view);
        this.asks.step(this.view);
    }

    /** What the next step takes: keys, sticks, the chosen character, paths that were just drawn. */
    devices() {
        return { ...this.input.read(this.stage.yaw, this.view?.path === 1), ...this.play.devices(), ...this.pusher.devices(), ...this.aim.devices(), ...this.asks.devices() };
    }

    /** Movement over the last half second, m/s. */
    get speed() {
        const recent = this.speeds.slice(-30);
        const [first, last] = [recent[0], recent.at(-1)];
        return recent.length < 2 ? 0 : Math.hypot(last.x - first.x, last.z - first.z) / ((recent.length - 1) * STEP);
    }

    /** Between the last two steps: share 0 is the one before, 1 the last. Rotations take the shorter way. */
    between({ before: a, after: b }, share) {
        const out = new Float32Array(a.length);
        for (let i = 0; i < a.length; i += 7) {
            const dot = a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] + a[i + 3] * b[i + 3];
            const sign = dot < 0 ? -1 : 1;
            for (let k = 0; k < 7; k++) {
                out[i + k] = (k < 4 ? sign : 1) * a[i + k] * (1 - share) + b[i + k] * share;
            }
            const length = Math.hypot(out[i], out[i + 1], out[i + 2], out[i + 3]) || 1;
            for (let k = 0; k < 4; k++) {
                out[i + k] /= length;
            }
        }
        return out;
    }

    draw(seconds) {
        const poses = this.poses.map((item) => this.between(item, this.paused ? 1 : this.waiting / STEP));
        this.wardrobe.forEach((bodies, i) => bodies.filter((body) => body.object.visible).forEach((body) => body.update(poses[i])));
        const pose = poses[this.play.chosen];
        const place = (role) => {
            const joint = this.engine.about.roles[role];
            return joint === undefined ? null : { x: pose[7 * joint + 4], z: pose[7 * joint + 6] };
        };
        const toes = [place('left_toe'), place('right_toe')];
        this.overlay.update(this.view, toes.every(Boolean) ? toes : null);
        this.play.update(this.view);
        this.pusher.update(seconds);
        this.aim.update(this.view);
        this.asks.update();
        this.fieldView.update(this.view, this.overlay.object.visible);
        const seen = this.sideBySide ? poses : [pose]; // of two, neither behind the panel
        const mean = (k) => seen.reduce((sum, one) => sum + one[k] / seen.length, 0);
        this.stage.follow(mean(4), 0.6 * mean(5) + 0.35, mean(6), seconds);
        this.stage.render();
        if (this.pictures++ % 6 === 0) {
            this.panel.update(this.view, this.engine.clipName(this.view.frame), this.speed, this.rate, this.input.down);
            this.play.show(this.view);
        }
    }

    /** Transitions in the last second. */
    get rate() {
        return this.speeds.length < 2 ? 0 : this.speeds.at(-1).transitions - this.speeds[0].transitions;
    }

    run() {
        let last = performance.now();
        const frame = (now) => {
            // The first picture's own time may lie before the clock was read.
            const seconds = Math.min(Math.max((now - last) / 1000, 0), 0.25);
            last = Math.max(now, last);
            if (!this.paused) {
                this.waiting += seconds;
                for (let i = 0; this.waiting >= STEP; i++) {
                    this.waiting -= STEP;
                    if (i < MOST_STEPS) {
                        this.step();
                    }
                }
            }
            if (!this.blind) {
                this.draw(seconds);
            }
            requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    }
}

async function main() {
    const engine = await Engine.create();
    const studio = new Studio(engine);
    await studio.list();
    while (studio.sets.length === 0) { // `amble studio X.amnet` before the first preview of X
        studio.notice('Waiting for the first networks of the training…');
        await new Promise((done) => setTimeout(done, 2000));
        await studio.list();
    }
    await studio.load(wanted.get('set'));
    studio.run();
    studio.trainings.watch();
    window.amble = {
        studio, engine,
        /** What tests read. */
        state: () => ({ ...studio.view, set: studio.current, method: studio.method, speed: studio.speed, hash: engine.hash(), log: studio.log.length,
            game: studio.play.game.result, reached: studio.play.game.reached, chosen: studio.play.chosen, measures: studio.play.measures }),
        /** Stops the clock: from then on only advance() lets time pass. */
        pause: (on = true) => {
            studio.paused = on;
        },
        /** Steps with whatever is held down. */
        advance: (steps) => {
            for (let i = 0; i < steps; i++) {
                studio.step();
            }
            return window.amble.state();
        },
        /** Plays a log of steps from the start and gives the hash of the state. */
        replay: (log) => {
            studio.reset();
            log.forEach((devices) => studio.step(devices));
            return engine.hash();
        },
    };
}

main().catch((error) => {
    const notice = document.getElementById('notice');
    notice.textContent = `The studio could not start: ${error.message ?? error}`;
    notice.hidden = false;
    notice.classList.add('error');
    console.error(error);
});
