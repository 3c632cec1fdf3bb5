// Keyboard and gamepad to what a step takes. Keys are W = +z, A = +x; when the camera was turned they and the sticks
// follow it, so that W is always away from the viewer.

const codes = {
    KeyW: 'W', KeyA: 'A', KeyS: 'S', KeyD: 'D', ArrowUp: 'ArrowUp', ArrowDown: 'ArrowDown',
    ShiftLeft: 'Shift', ShiftRight: 'Shift', KeyJ: 'J', Space: 'J', KeyC: 'C', KeyP: 'P',
};
// The standard layout: south, east, north, left and right shoulder, right trigger.
const padButtons = [[0, 'J'], [1, 'C'], [3, 'P'], [4, 'Shift'], [5, 'Shift'], [7, 'Shift'], [12, 'ArrowUp'], [13, 'ArrowDown']];
const DEAD = 0.08; // what a worn stick shows at rest; the character has a dead zone of its own

export class Input {
    constructor(engine) {
        this.engine = engine;
        this.down = new Set();
        window.addEventListener('keydown', (event) => this.key(event, true));
        window.addEventListener('keyup', (event) => this.key(event, false));
        window.addEventListener('blur', () => this.down.clear());
    }

    key(event, pressed) {
        const name = codes[event.code];
        if (!name) {
            return;
        }
        // A control that has the focus keeps its keys (Space presses a button, arrows move a slider), and Ctrl+W is
        // not W. But every release counts: otherwise a key released under Ctrl would stay down forever.
        const taken = event.target.closest?.('input, select, textarea, button') || event.ctrlKey || event.metaKey || event.altKey;
        if (!pressed) {
            this.down.delete(name);
        } else if (!taken) {
            this.down.add(name);
        }
        if (!taken) {
            event.preventDefault();
        }
    }

    /** Bits of the keys that are down. */
    get keys() {
        let bits = 0;
        for (const name of this.down) {
            bits |= this.engine.keyBit(name);
        }
        return bits;
    }

    /** The first gamepad that is plugged in, as [right, forward] sticks and key bits; null without one. */
    get pad() {
        const pad = Array.from(navigator.getGamepads?.() ?? []).find((item) => item && item.connected);
        if (!pad) {
            return null;
        }
        const stick = (x, y) => (Math.hypot(x, y) > DEAD ? [x, -y] : [0, 0]);
        let buttons = 0;
        for (const [index, name] of padButtons) {
            buttons |= pad.buttons[index]?.pressed ? this.engine.keyBit(name) : 0;
        }
        return { left: stick(pad.axes[0] ?? 0, pad.axes[1] ?? 0), right: stick(pad.axes[2] ?? 0, pad.axes[3] ?? 0), buttons };
    }

    /** The input of a step now; yaw is the camera's angle from looking along +z. On a path the right stick turns the
     *  facing away from the path, whatever the camera sees. */
    read(yaw, onPath = false) {
        const keys = this.keys;
        const pad = this.pad;
        const turn = ([x, y]) => [x * Math.cos(yaw) - y * Math.sin(yaw), x * Math.sin(yaw) + y * Math.cos(yaw)];
        if (pad && (pad.buttons || pad.left.some(Boolean) || pad.right.some(Boolean))) {
            return { keys, left: turn(pad.left), right: onPath ? pad.right : turn(pad.right), buttons: pad.buttons };
        }
        if (yaw === 0 || keys === 0) {
            return { keys };
        }
        const held = (name) => (this.down.has(name) ? 1 : 0);
        const x = held('D') - held('A');
        const y = held('W') - held('S');
        const length = Math.hypot(x, y) || 1;
        return { keys: 0, left: turn([x / length, y / length]), buttons: keys };
    }
}
