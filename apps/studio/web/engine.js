// The character's C code in WebAssembly, with the calls of bridge.h as methods.
import createModule from './wasm/amble_web.mjs';

/** Two characters by the same keys: the page's own, beside the library's methods (about.methods). */
export const SIDE_BY_SIDE = 'side-by-side';
/** Where characters of a field are sent, by the numbers of fields.h. */
export const SENT = { NOWHERE: 0, LINE: 1, POINT: 2 };
const NEAR_NUMBERS = 4;

/** Time of one step in seconds: the simulation's rate does not depend on the screen's. */
export const STEP = 1 / 60;

export class Engine {
    static async create() {
        return new Engine(await createModule());
    }

    constructor(module) {
        this.module = module;
        this.about = null;
    }

    /** A call of bridge.h without its web_; throws with the library's own words when it is refused. */
    call(name, ...values) {
        const types = values.map((value) => (typeof value === 'string' ? 'string' : 'number'));
        if (this.module.ccall(`web_${name}`, 'number', types, values) !== 0) {
            throw new Error(this.error());
        }
    }

    /** Bytes in wasm memory, which the module owns from then on, also when it refuses them. */
    give(bytes) {
        const at = this.module._web_alloc(bytes.length);
        if (!at) {
            throw new Error(`out of memory for ${bytes.length} bytes`);
        }
        this.module.HEAPU8.set(bytes, at);
        return at;
    }

    /** Reads what is open. */
    describe() {
        this.about = JSON.parse(this.module.UTF8ToString(this.module._web_describe()));
    }

    /** Opens a database from its bytes, with a network that tells facings on paths (or null). */
    open(bytes, name, direction = null) {
        this.call('direction', direction ? this.give(direction) : 0, direction?.length ?? 0);
        this.call('open', this.give(bytes), bytes.length, name);
        this.describe();
    }

    /** A model for a method of what is open, in the place of an earlier one; throws when it does not fit. */
    model(method, bytes) {
        this.call('model', method, this.give(bytes), bytes.length);
        this.describe();
    }

    /** Changes the method of all characters, which keep their poses: one of about.methods, or SIDE_BY_SIDE. */
    method(name) {
        this.call('method', name);
        this.describe();
    }

    /** The options of what the chosen character plays: { method, options }, rows of the library's table. */
    get options() {
        return JSON.parse(this.module.UTF8ToString(this.module._web_options()));
    }

    /** Takes options by their keys, with values as in a script. */
    set(values) {
        this.call('set_options', JSON.stringify(values));
    }

    /** Sends the chosen character, or a crowd, along a line, to a point, or nowhere: one of SENT. */
    send({ kind, x = 0, z = 0, wayX = 0, wayZ = 0 }) {
        this.module._web_send(kind, x, z, wayX, wayZ);
    }

    /** Asks the chosen character, or a crowd, for values by paths of about.control (a JSON text; '' ends it); its own trajectory fills the
     *  places at the path `list`, at `times` s from now. */
    ask({ values, list = '', times = [] }) {
        this.lend(times, (at) => this.call('ask', values, list, at, times.length));
    }

    error() {
        return this.module.UTF8ToString(this.module._web_error());
    }

    /** One step with the state of the devices, and pushes [{ character, joint, force [N], seconds }] that begin with it. */
    step({ keys = 0, left = [0, 0], right = [0, 0], buttons = 0, pushes = [] }) {
        pushes.forEach(({ character, joint, force, seconds }) => this.module._web_push(character, joint, ...force, seconds));
        this.module._web_step(keys, left[0], left[1], right[0], right[1], buttons, STEP);
    }

    /** [joint][7] rotation x y z w and translation of a character; a view of wasm memory, valid until the next call. */
    world(number = 0) {
        return new Float32Array(this.module.HEAPU8.buffer, this.module._web_world(number), 7 * this.about.joints.length);
    }

    /** Calls `use` with the address of numbers in wasm memory. */
    lend(numbers, use) {
        const at = this.module._web_alloc(4 * Math.max(numbers.length, 1));
        if (!at) {
            throw new Error(`out of memory for ${numbers.length} numbers`);
        }
        new Float32Array(this.module.HEAPU8.buffer, at, numbers.length).set(numbers);
        try {
            use(at);
        } finally {
            this.module._web_free(at);
        }
    }

    /** Sets the characters on the stage. @param places [[x, z, heading]], or null for `count` characters where they are */
    cast(count, ahead, places = null) {
        const cast = (at) => this.call('cast', count, ahead ? 1 : 0, at);
        if (places) {
            this.lend(places.flat(), cast);
        } else {
            cast(0);
        }
    }

    /** Chooses the character that devices, view and paths refer to. */
    choose(number) {
        this.module._web_choose(number);
    }

    /** The chosen character follows a drawing [[time, x, z]] from the next step on; throws when it cannot. */
    follow(samples, { mode = 0, facing = 0, scale = 1, loop = false, obstacles = [] }) {
        this.module._web_path_options(mode, facing, scale, loop ? 1 : 0);
        this.lend(obstacles.flat(), (at) => this.module._web_obstacles(at, obstacles.length));
        this.lend(samples.flat(), (at) => this.call('follow', at, samples.length));
    }

    leave() {
        this.module._web_leave();
    }

    /** The path as it is followed: [{ x, z, along }], a frame of the database apart. */
    get path() {
        const count = this.module._web_path_count();
        const all = new Float32Array(this.module.HEAPU8.buffer, this.module._web_path(), 4 * count);
        return Array.from({ length: count }, (_, i) => ({ x: all[4 * i], z: all[4 * i + 1], along: all[4 * i + 2] }));
    }

    /** How well the path was followed so far, as `amble run --metrics` reports it. */
    get measures() {
        const at = this.module._web_measure(STEP);
        const [error, cover, coverMost, timeRatio, end, completed] = new Float64Array(this.module.HEAPU8.buffer, at, 6);
        return { error, cover, coverMost, timeRatio, end, completed: completed === 1 };
    }

    /** The numbers of the last step by name, with trajectory and costs as arrays. */
    get view() {
        const places = this.about.view;
        const all = new Float32Array(this.module.HEAPU8.buffer, this.module._web_view(), places.count);
        const view = {};
        for (const [name, at] of Object.entries(places)) {
            view[name] = all[at];
        }
        view.trajectory = [];
        for (let i = 0; i < view.points; i++) {
            const [time, x, z, dx, dz] = all.subarray(places.trajectory + 5 * i, places.trajectory + 5 * i + 5);
            view.trajectory.push({ time, x, z, dx, dz });
        }
        view.near = Array.from({ length: view.nearCount }, (_, i) => {
            const [weight, x, z, turn] = all.subarray(places.near + NEAR_NUMBERS * i, places.near + NEAR_NUMBERS * (i + 1));
            return { weight, x, z, turn };
        });
        view.encoding = Array.from(all.subarray(places.encoding, places.encoding + view.encodingCount));
        view.costs = Array.from(all.subarray(places.channelCosts, places.channelCosts + this.about.channels.length));
        view.activity = this.about.activities[view.activity]?.name ?? 'none';
        return view;
    }

    clipName(frame) {
        return this.module.UTF8ToString(this.module._web_clip_name(Math.floor(frame)));
    }

    hash() {
        return this.module.UTF8ToString(this.module._web_hash());
    }

    /** The bit of a key by its name, 0 when it has no meaning. */
    keyBit(name) {
        const index = this.about ? this.about.keys.findIndex((key) => key.toLowerCase() === name.toLowerCase()) : -1;
        return index < 0 ? 0 : 1 << index;
    }

    can(activity) {
        return Boolean(this.about?.activities.find((item) => item.name === activity)?.has);
    }
}
