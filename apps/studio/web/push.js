// Pushes: a click on any part of a body and a drag away from it make a force along the drag; releasing the button
// applies it. An arrow shows its position, direction and strength. Right on the screen is right, up is away from the
// viewer.
import * as THREE from 'three';
import { paint } from './overlay.js';

const REACH = 0.11;      // m: largest distance of a click from its bone
const NEWTON_PX = 2;     // N for each pixel of the drag
const MOST = 400;        // N
const LEAST = 10;        // N: less is a click
const SECONDS = 0.1;     // that a force acts
const METRES = 1 / 400;  // of arrow for each newton
const SHOWN = 0.35;      // s that an arrow stays after the release
const COLOUR = 0xd8342a;

/** A shaft and a head along +y, one metre long before it is scaled. */
class Arrow {
    constructor() {
        const material = paint(COLOUR, 0.9);
        material.depthTest = false;
        this.object = new THREE.Group();
        this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.018, 0.018, 1, 12).translate(0, 0.5, 0), material);
        this.head = new THREE.Mesh(new THREE.ConeGeometry(0.05, 0.12, 16).translate(0, 0.06, 0), material);
        this.object.add(this.shaft, this.head);
        this.object.renderOrder = 10;
        this.object.visible = false;
    }

    set(from, force) {
        const length = force.length() * METRES;
        this.object.position.copy(from);
        this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.clone().normalize());
        this.shaft.scale.y = Math.max(length, 1e-3);
        this.head.position.y = length;
    }
}

/** The part of the line from a to b nearest to a ray: its place, distance from the ray and depth along it. */
function nearest(ray, a, b) {
    const onRay = new THREE.Vector3();
    const onBone = new THREE.Vector3();
    const distance = Math.sqrt(ray.distanceSqToSegment(a, b, onRay, onBone));
    return { distance, depth: onRay.distanceTo(ray.origin), place: onBone };
}

export class Pusher {
    constructor(studio) {
        this.studio = studio;
        this.stage = studio.stage;
        this.arrow = new Arrow();
        this.stage.scene.add(this.arrow.object);
        this.held = null; // what is dragged: character, joint, place in the joint's frame, pointer, begin, force
        this.shown = 0;   // s that the arrow of the last push stays
        this.next = [];   // pushes that the next step begins
        const { canvas } = this.stage;
        // Before the camera's own listeners: a click on the body does not turn the view.
        canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
        canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
        canvas.addEventListener('pointerup', (event) => this.up(event), { capture: true });
        canvas.addEventListener('pointercancel', () => this.drop());
    }

    get able() {
        const { engine, play, asks } = this.studio;
        return Boolean(engine.about?.canBePushed) && !play.draws && !asks.points;
    }

    /** The body part under a pointer: { character, joint, place, depth }, or null. */
    find(clientX, clientY) {
        const ray = this.stage.ray(clientX, clientY);
        const { joints } = this.studio.engine.about;
        let best = null;
        this.studio.poses.forEach(({ after }, character) => {
            const at = (j) => new THREE.Vector3(after[7 * j + 4], after[7 * j + 5], after[7 * j + 6]);
            joints.forEach(({ parent }, j) => {
                const hit = parent >= 0 ? nearest(ray, at(parent), at(j)) : null;
                // Among the bones within reach, the likeliest one: near the ray, and in front.
                const cost = hit && hit.distance < REACH ? hit.distance + 0.2 * hit.depth : Infinity;
                if (cost < (best?.cost ?? Infinity)) {
                    best = { cost, character, joint: parent, place: hit.place };
                }
            });
        });
        return best;
    }

    down(event) {
        const hit = this.able && event.button === 0 && !this.held ? this.find(event.clientX, event.clientY) : null;
        if (!hit) {
            return;
        }
        event.stopImmediatePropagation();
        this.stage.canvas.setPointerCapture(event.pointerId);
        document.activeElement?.blur();
        const { position, quaternion } = this.frame(hit.character, hit.joint);
        const local = hit.place.clone().sub(position).applyQuaternion(quaternion.invert());
        this.held = { ...hit, local, pointer: event.pointerId, begin: [event.clientX, event.clientY], force: new THREE.Vector3() };
    }

    move(event) {
        if (event.pointerId === this.held?.pointer) {
            event.stopImmediatePropagation();
            const [x, y] = [event.clientX - this.held.begin[0], this.held.begin[1] - event.clientY];
            this.held.force = this.stage.along(x, y).multiplyScalar(NEWTON_PX).clampLength(0, MOST);
            this.shown = 0;
        }
    }

    up(event) {
        if (event.pointerId === this.held?.pointer) {
            event.stopImmediatePropagation();
            const { character, joint, force } = this.held;
            if (force.length() >= LEAST) {
                this.next.push({ character, joint, force: force.toArray(), seconds: SECONDS });
                this.last = this.held;
                this.shown = SHOWN;
            }
            this.drop();
        }
    }

    drop() {
        this.held = null;
    }

    /** Where a joint is. */
    frame(character, joint) {
        const { after } = this.studio.poses[character] ?? this.studio.poses[0];
        const i = 7 * joint;
        return { quaternion: new THREE.Quaternion(after[i], after[i + 1], after[i + 2], after[i + 3]), position: new THREE.Vector3(after[i + 4], after[i + 5], after[i + 6]) };
    }

    /** What the next step takes. */
    devices() {
        const pushes = this.next;
        this.next = [];
        return pushes.length ? { pushes } : {};
    }

    /** Once a picture: the arrow stays on the part that it pushes. */
    update(seconds) {
        this.shown = Math.max(this.shown - seconds, 0);
        const shows = this.held ?? (this.shown > 0 ? this.last : null);
        this.arrow.object.visible = Boolean(shows) && shows.force.length() >= LEAST;
        if (this.arrow.object.visible) {
            const { position, quaternion } = this.frame(shows.character, shows.joint);
            this.arrow.set(shows.local.clone().applyQuaternion(quaternion).add(position), shows.force);
        }
    }
}
