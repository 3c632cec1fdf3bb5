// Drawing on the ground: a pen (mouse, stylus or finger) that gives time-stamped points, and how drawings look: a
// line, dots whose spacing and colour show the speed, ghosts where the future query wants the character.
import * as THREE from 'three';
import { Ribbon, flat } from './overlay.js';

const MOST_PLACES = 4096;
const MOST_DOTS = 1024;
const DOT_EVERY = 0.25; // s of the path as it is walked
const GHOSTS = 6;
const SLOW = 0.5; // m/s: the colours run from here
const FAST = 3;   // to here

export class Pen {
    /** @param done called with a drawing [[time s, x m, z m]] when the pen is lifted; @param moved while it draws */
    constructor(stage, { began, moved, done }) {
        this.stage = stage;
        this.on = false;
        this.pointer = null;
        this.places = [];
        this.tell = { began, moved, done };
        const { canvas } = stage;
        canvas.addEventListener('pointerdown', (event) => this.down(event));
        canvas.addEventListener('pointermove', (event) => this.move(event));
        canvas.addEventListener('pointerup', (event) => this.up(event));
        canvas.addEventListener('pointercancel', () => this.give());
    }

    down(event) {
        if (!this.on || event.button !== 0) {
            return;
        }
        if (this.pointer !== null) {
            this.give(); // a second finger: the camera is meant
            return;
        }
        this.pointer = event.pointerId;
        this.stage.canvas.setPointerCapture(event.pointerId);
        this.stage.held = true;
        this.places = [];
        this.tell.began();
        this.add(event);
    }

    move(event) {
        if (event.pointerId === this.pointer) {
            const all = event.getCoalescedEvents?.() ?? [];
            (all.length ? all : [event]).forEach((item) => this.add(item));
            this.tell.moved(this.places);
        }
    }

    add(event) {
        const at = this.stage.toGround(event.clientX, event.clientY);
        const t = event.timeStamp / 1000;
        const last = this.places.at(-1);
        if (at && this.places.length < MOST_PLACES && !(last && t < last[0])) {
            this.places.push([t, at.x, at.z]);
        }
    }

    up(event) {
        if (event.pointerId === this.pointer) {
            const begin = this.places[0]?.[0] ?? 0;
            const drawing = this.places.map(([t, x, z]) => [t - begin, x, z]);
            this.give();
            if (drawing.length > 0) {
                this.tell.done(drawing);
            }
        }
    }

    /** Lifts the pen without a path. */
    give() {
        this.pointer = null;
        this.stage.held = false;
        this.places = [];
        this.tell.moved([]);
    }
}

const low = new THREE.Color(0x2478c8);
const middle = new THREE.Color(0x1fa56b);
const high = new THREE.Color(0xd8342a);

/** From blue for slow over green to red for fast. */
function colourOf(speed, out) {
    const share = Math.min(Math.max((speed - SLOW) / (FAST - SLOW), 0), 1);
    return share < 0.5 ? out.lerpColors(low, middle, 2 * share) : out.lerpColors(middle, high, 2 * share - 1);
}

/** One character's path on the ground. */
export class PathView {
    constructor() {
        this.object = new THREE.Group();
        this.line = new Ribbon(0x24303f, 0.035, MOST_PLACES + 1, 0.4);
        const material = new THREE.MeshBasicMaterial({ depthWrite: false, fog: false, toneMapped: false });
        this.dots = new THREE.InstancedMesh(flat(new THREE.CircleGeometry(0.045, 18)), material, MOST_DOTS);
        this.dots.frustumCulled = false;
        this.dots.setColorAt(0, low);
        this.object.add(this.line.mesh, this.dots);
        this.clear();
    }

    clear() {
        this.line.set([], 0);
        this.dots.count = 0;
    }

    /** While it is drawn: what the pen gave; scale slows it down. */
    drawing(places, scale) {
        this.line.set(places.map(([, x, z]) => ({ x, z })), 0.009);
        let next = places[0]?.[0];
        const dots = [];
        for (let i = 1; i < places.length; i++) {
            const [a, b] = [places[i - 1], places[i]];
            const speed = Math.hypot(b[1] - a[1], b[2] - a[2]) / Math.max(b[0] - a[0], 1e-3) * scale;
            for (; next <= b[0]; next += DOT_EVERY * scale) {
                const part = (next - a[0]) / Math.max(b[0] - a[0], 1e-6);
                dots.push({ x: a[1] + part * (b[1] - a[1]), z: a[2] + part * (b[2] - a[2]), speed });
            }
        }
        this.setDots(dots);
    }

    /** As it is followed. @param drawn [[t, x, z]] moved by offset; @param path points of the engine, at fps points per second */
    followed(drawn, offset, path, fps) {
        this.line.set(drawn.map(([, x, z]) => ({ x: x + offset.x, z: z + offset.z })), 0.009);
        const apart = Math.max(Math.round(DOT_EVERY * fps), Math.ceil(path.length / MOST_DOTS), 1);
        const dots = [];
        for (let i = 0; i < path.length; i += apart) {
            const [a, b] = [path[Math.max(i - 1, 0)], path[Math.min(i + 1, path.length - 1)]];
            dots.push({ ...path[i], speed: (b.along - a.along) * fps / 2 });
        }
        this.setDots(dots);
    }

    setDots(dots) {
        const matrix = new THREE.Matrix4();
        const colour = new THREE.Color();
        this.dots.count = Math.min(dots.length, MOST_DOTS);
        dots.slice(0, MOST_DOTS).forEach(({ x, z, speed }, i) => {
            this.dots.setMatrixAt(i, matrix.makeTranslation(x, 0.011, z));
            this.dots.setColorAt(i, colourOf(speed, colour));
        });
        this.dots.instanceMatrix.needsUpdate = true;
        this.dots.instanceColor.needsUpdate = true;
    }
}

/** Pale bodies where the query wants the character in the future. */
export class Ghosts {
    constructor() {
        this.object = new THREE.Group();
        const material = new THREE.MeshBasicMaterial({ color: 0x2478c8, transparent: true, opacity: 0.16, depthWrite: false, toneMapped: false });
        this.bodies = Array.from({ length: GHOSTS }, () => {
            const body = new THREE.Group();
            const trunk = new THREE.Mesh(new THREE.CapsuleGeometry(0.13, 1.15, 6, 16), material);
            trunk.position.y = 0.72;
            trunk.scale.z = 0.65;
            const head = new THREE.Mesh(new THREE.SphereGeometry(0.11, 16, 12), material);
            head.position.set(0, 1.56, 0.03);
            const nose = new THREE.Mesh(new THREE.ConeGeometry(0.05, 0.16, 12).rotateX(Math.PI / 2), material);
            nose.position.set(0, 1.56, 0.18);
            body.add(trunk, head, nose);
            this.object.add(body);
            return body;
        });
        this.object.visible = false;
    }

    update(trajectory) {
        const ahead = trajectory.filter((point) => point.time > 0);
        this.bodies.forEach((body, i) => {
            const point = ahead[i];
            body.visible = Boolean(point);
            if (point) {
                body.position.set(point.x, 0, point.z);
                body.rotation.y = Math.atan2(point.dx, point.dz);
            }
        });
    }
}
