// Motion fields on the page: lines and points that characters are sent to, and the choices of a tick.
import * as THREE from 'three';
import { SENT } from './engine.js';
import { Ribbon, flat, paint } from './overlay.js';

const LINE = 0x7a4fbf;
const HALF_LINE = 30;  // m that a line is shown to either side
const SHORTEST = 0.4;  // m: a shorter drag is not a line
const FAN_TICKS = 12;  // 0.4 s at 30 ticks per second
const FAN = 8;
const CHOSEN = 0xe4692c;
const OTHERS = 0x4a6fa5;

/** A pointer that draws a line, or shows where to go. */
export class Aim {
    constructor(studio) {
        this.studio = studio;
        this.stage = studio.stage;
        this.kind = SENT.NOWHERE; // what the pointer gives now
        this.pointer = null;
        this.next = null;         // where the next step sends
        this.sent = null;
        this.line = new Ribbon(LINE, 0.06, 2, 0.55);
        this.head = new THREE.Mesh(flat(new THREE.CircleGeometry(0.16, 3)), paint(LINE, 0.8));
        this.spot = new THREE.Mesh(flat(new THREE.RingGeometry(0.24, 0.3, 40)), paint(LINE, 0.8));
        this.stage.scene.add(this.line.mesh, this.head, this.spot);
        this.forget();
        const { canvas } = this.stage;
        canvas.addEventListener('pointerdown', (event) => this.down(event));
        canvas.addEventListener('pointermove', (event) => this.move(event));
        canvas.addEventListener('pointerup', (event) => this.up(event));
        canvas.addEventListener('pointercancel', () => this.lift());
    }

    /** Of a field the task says what the pointer means. */
    set() {
        const { play, panel } = this.studio;
        const kinds = { line: SENT.LINE, point: SENT.POINT };
        const before = this.kind;
        this.kind = panel.isField && !play.draws && panel.field.policy !== 'passive' ? kinds[panel.field.task] ?? SENT.NOWHERE : SENT.NOWHERE;
        if (!play.draws) {
            this.stage.draws(this.kind !== SENT.NOWHERE);
        }
        if (this.kind !== before && this.sent) {
            this.next = { kind: SENT.NOWHERE };
        }
    }

    down(event) {
        const at = this.kind !== SENT.NOWHERE && event.button === 0 && this.pointer === null
            ? this.stage.toGround(event.clientX, event.clientY) : null;
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
        if (event.pointerId !== this.pointer) {
            return;
        }
        const [x, z] = [this.to.x - this.from.x, this.to.z - this.from.z];
        const length = Math.hypot(x, z);
        if (this.kind === SENT.POINT) {
            this.next = { kind: SENT.POINT, ...this.to };
        } else if (length > SHORTEST) {
            this.next = { kind: SENT.LINE, ...this.from, wayX: x / length, wayZ: z / length };
        }
        this.lift();
    }

    lift() {
        this.pointer = null;
        this.stage.held = false;
    }

    /** Forgets where characters were sent. */
    forget() {
        [this.next, this.sent] = [null, null];
    }

    /** What the next step takes; part of the log. */
    devices() {
        const sends = this.next;
        this.next = null;
        return sends ? { sends } : {};
    }

    /** Before a step. */
    begin({ sends }) {
        if (sends) {
            this.studio.engine.send(sends);
            this.sent = sends.kind === SENT.NOWHERE ? null : sends;
        }
    }

    /** Once per picture. */
    update(view) {
        if (this.sent && view.target === SENT.NOWHERE && !this.next) {
            this.sent = null; // a character was steered
        }
        const drawing = this.pointer !== null && this.kind === SENT.LINE;
        const [x, z] = drawing ? [this.to.x - this.from.x, this.to.z - this.from.z] : [0, 0];
        const length = Math.hypot(x, z);
        const line = drawing && length > 0.05 ? { ...this.from, wayX: x / length, wayZ: z / length } : this.sent?.kind === SENT.LINE ? this.sent : null;
        this.line.mesh.visible = this.head.visible = Boolean(line);
        if (line) {
            const along = (m) => ({ x: line.x + m * line.wayX, z: line.z + m * line.wayZ });
            this.line.set([along(-HALF_LINE), along(HALF_LINE)], 0.007);
            // The arrow goes along with the character.
            const at = drawing ? this.to : along((view.rootX - line.x) * line.wayX + (view.rootZ - line.z) * line.wayZ + 1.2);
            this.head.position.set(at.x, 0.009, at.z);
            this.head.rotation.y = Math.atan2(-line.wayZ, line.wayX);
        }
        this.spot.visible = this.sent?.kind === SENT.POINT;
        if (this.spot.visible) {
            this.spot.position.set(this.sent.x, 0.008, this.sent.z);
        }
    }
}

/** Where each neighbour of a field's state went on, as a fan on the ground: the wider, the larger its weight; the chosen one in orange. */
export class FieldView {
    constructor() {
        this.object = new THREE.Group();
        this.ways = Array.from({ length: FAN }, (_, i) => {
            const ribbon = new Ribbon(i === 0 ? CHOSEN : OTHERS, 0.02, FAN_TICKS + 1, i === 0 ? 0.9 : 0.5);
            this.object.add(ribbon.mesh);
            return ribbon;
        });
    }

    update(view, wanted) {
        this.object.visible = wanted && view.near.length > 0;
        if (!this.object.visible) {
            return;
        }
        this.ways.forEach((ribbon, i) => {
            const item = view.near[i];
            ribbon.mesh.visible = Boolean(item);
            if (item) {
                ribbon.width = 0.012 + 0.12 * item.weight;
                ribbon.set(this.way(view, item), 0.013 + 0.0005 * (FAN - i));
            }
        });
    }

    /** Repeats the tick's step. */
    way(view, { x: dx, z: dz, turn }) {
        let [x, z, heading] = [view.rootX, view.rootZ, view.heading];
        const points = [{ x, z }];
        for (let i = 0; i < FAN_TICKS; i++) {
            x += dx * Math.cos(heading) + dz * Math.sin(heading);
            z += -dx * Math.sin(heading) + dz * Math.cos(heading);
            heading += turn;
            points.push({ x, z });
        }
        return points;
    }
}
