// What was played since the start as RUN.json, for `amble run`: to measure it, to export its motion, to train on what was asked
// (`--asked`).
import { SENT } from './engine.js';

const MODES = ['global', 'local'];
const FACINGS = ['tangent', 'joystick', 'net'];

/** Options that are not as they usually are. */
const changed = ({ options }) => Object.fromEntries(options.filter((row) => row.default !== undefined && row.value !== row.default).map(({ key, value }) => [key, value]));

/** What a step of the log asks for as values of a goal; undefined: nothing new, null: what a script cannot say. */
function goalOf({ asks, sends }) {
    if (asks?.values) {
        return asks.list === undefined ? JSON.parse(asks.values) : null;
    }
    if (sends?.kind === SENT.POINT) {
        const facing = sends.wayX || sends.wayZ ? { facing: [sends.wayX, 0, sends.wayZ] } : {};
        return { target: [sends.x, 0, sends.z], ...facing };
    }
    return sends?.kind === SENT.LINE ? null : asks || sends ? {} : undefined;
}

/**
 * The script of one character, and what it leaves out.
 * @param log of steps; @param networks name of the networks that play, or undefined
 */
export function sessionOf({ engine, log, set, networks }) {
    const { about, options } = engine;
    const names = (bits) => about.keys.filter((_, i) => bits & (1 << i));
    const character = { keys: [], gamepad: [], path: [], goals: [], pushes: [] };
    const left = new Set();
    const idle = { left: [0, 0], right: [0, 0], buttons: 0 };
    let [keys, pad] = [0, JSON.stringify(idle)];
    log.forEach((step, i) => {
        const t = i / 60;
        const now = { left: step.left ?? [0, 0], right: step.right ?? [0, 0], buttons: step.buttons ?? 0 };
        if (step.keys !== keys) {
            keys = step.keys;
            character.keys.push({ t, down: names(keys) });
        }
        if (JSON.stringify(now) !== pad) {
            pad = JSON.stringify(now);
            character.gamepad.push({ t, ...now, buttons: names(now.buttons) });
        }
        for (const { samples, options: { mode = 0, facing = 0, scale = 1, loop = false, obstacles = [] } } of step.paths ?? []) {
            character.path.push({ t, points: samples, mode: MODES[mode], facing: FACINGS[facing], scale, loop, ...(obstacles.length ? { obstacles } : {}) });
        }
        for (const { joint, force, seconds } of step.pushes ?? []) {
            character.pushes.push({ t, joint: about.joints[joint].name, force, seconds });
        }
        const values = goalOf(step);
        if (values) {
            character.goals.push({ t, values });
        } else if (values === null) {
            left.add(!step.asks?.values ? 'lines' : 'styles and way-points that keys and drawings steer');
        }
    });
    const used = Object.fromEntries(Object.entries(character).filter(([, events]) => events.length));
    const method = options.method;
    const source = { ...(about.hasFrames ? { database: `${set}.amdb` } : {}), ...(networks ? { model: `${networks}.amnet` } : {}) };
    return { script: { ...source, controller: method, fps: 60, seconds: Math.max(log.length, 1) / 60, options: changed(options), characters: [used] }, left: [...left] };
}
