// A modelled body for human rigs: the mannequin of @pmndrs/viverse, driven by roles. Rotations are carried over from
// the pose in which the figure was measured; hips, legs and feet also take the rig's positions, so that planted feet
// are where the foot lock put them.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone } from 'three/addons/utils/SkeletonUtils.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';

// bone: [role, role that it points at, takes its place too]
const map = { hips: ['hips', null, true], spine: ['spine'], chest: ['chest'], neck: ['neck'], head: ['head'] };
for (const side of ['left', 'right']) {
    Object.assign(map, {
        [`${side}UpperLeg`]: [`${side}_up_leg`, `${side}_leg`, true], [`${side}LowerLeg`]: [`${side}_leg`, `${side}_foot`, true],
        [`${side}Foot`]: [`${side}_foot`, null, true],
        [`${side}UpperArm`]: [`${side}_arm`, `${side}_forearm`], [`${side}LowerArm`]: [`${side}_forearm`, `${side}_hand`],
        [`${side}Hand`]: [`${side}_hand`],
    });
}
const needed = ['hips', 'head', 'left_up_leg', 'left_leg', 'left_foot', 'right_up_leg', 'right_leg', 'right_foot',
    'left_arm', 'left_forearm', 'right_arm', 'right_forearm'];

const SURFACE = 0xefe4d3;
const JOINTS = 0x2d3b4e;
const TINT = 0.7; // of a character's colour

let loading = null;

/** The model, loaded once. */
export function loadModel() {
    loading ??= import('./node_modules/mannequin/dist/assets/mannequin.js').then(({ url }) => {
        const bytes = Uint8Array.from(atob(url.slice(url.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
        return new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(bytes.buffer, '');
    });
    return loading;
}

export const isHuman = (about) => needed.every((role) => about.roles[role] !== undefined);

const rotationOf = (matrix) => new THREE.Quaternion().setFromRotationMatrix(new THREE.Matrix4().extractRotation(matrix));
const placeOf = (matrix) => new THREE.Vector3().setFromMatrixPosition(matrix);

export class Mannequin {
    /** @param model what loadModel gave; @param figure the rig's own figure, which knows roles and the measured pose */
    constructor(model, figure) {
        this.object = clone(model.scene); // bones of its own over the same geometry
        this.materials = [];
        this.bones = {};
        this.object.traverse((item) => {
            if (item.isBone) {
                this.bones[item.name] = item;
            }
            if (item.isMesh) {
                item.castShadow = true;
                item.frustumCulled = false;
                item.material = item.material.clone();
                item.material.roughness = 0.6;
                this.materials.push(item.material);
            }
        });
        this.paint(null);
        this.settle();
        this.fit(figure);
        this.measure(figure);
    }

    /** In a character's own colour, or plain. */
    paint(colour) {
        for (const material of this.materials) {
            material.color.set(/Joints/.test(material.name) ? JOINTS : SURFACE);
            if (colour !== null && !/Joints/.test(material.name)) {
                material.color.lerp(new THREE.Color(colour), TINT);
            }
        }
    }

    /** Takes the pose in which the skin was bound, and measures it. */
    settle() {
        this.object.traverse((item) => {
            if (item.isSkinnedMesh) {
                item.skeleton.pose();
            }
        });
        this.object.scale.setScalar(1);
        this.object.updateMatrixWorld(true);
    }

    /** Size by trunk and legs alike: rigs differ in both, and legs take the rig's positions anyway. */
    fit(figure) {
        const rise = (low, high) => high.y - low.y;
        const rig = ['head', 'hips', 'left_foot'].map((role) => placeOf(figure.pose[figure.roles[role]]));
        const own = ['head', 'hips', 'leftFoot'].map((name) => placeOf(this.bones[name].matrixWorld));
        const trunk = rise(rig[1], rig[0]) / rise(own[1], own[0]);
        const legs = rise(rig[2], rig[1]) / rise(own[2], own[1]);
        this.object.scale.setScalar(Math.sqrt(trunk * legs));
        this.object.updateMatrixWorld(true);
    }

    /**
     * For each bone: what to add to the joint's rotation, and whether its position is taken over. Parents come first.
     * A hand points where its forearm does: the measured pose may have hanging arms, the model's own has them stretched
     * out.
     */
    measure(figure) {
        this.driven = [];
        const turns = new Map();
        this.object.traverse((bone) => {
            const entry = bone.isBone && map[bone.name];
            const joint = entry ? figure.roles[entry[0]] : undefined;
            if (joint === undefined) {
                return;
            }
            const turn = new THREE.Quaternion();
            const towards = entry[1] === null || entry[1] === undefined ? undefined : figure.roles[entry[1]];
            const child = bone.children.find((item) => item.isBone && map[item.name]?.[0] === entry[1]);
            if (towards !== undefined && child) {
                const mine = placeOf(child.matrixWorld).sub(placeOf(bone.matrixWorld)).normalize();
                const rigs = placeOf(figure.pose[towards]).sub(placeOf(figure.pose[joint])).normalize();
                turn.setFromUnitVectors(mine, rigs);
            } else if (/Hand$/.test(bone.name) && turns.has(bone.parent)) {
                turn.copy(turns.get(bone.parent));
            }
            turns.set(bone, turn);
            // joint turn * inverse(measured) * turn * own bind
            const offset = rotationOf(figure.pose[joint]).invert().multiply(turn).multiply(rotationOf(bone.matrixWorld));
            this.driven.push({ bone, joint, offset, placed: Boolean(entry[2]) });
        });
    }

    update(world) {
        const turn = new THREE.Quaternion();
        const parent = new THREE.Quaternion();
        const place = new THREE.Vector3();
        for (const { bone, joint, offset, placed } of this.driven) {
            const i = 7 * joint;
            bone.parent.updateWorldMatrix(true, false);
            turn.set(world[i], world[i + 1], world[i + 2], world[i + 3]).multiply(offset);
            bone.parent.getWorldQuaternion(parent);
            bone.quaternion.copy(parent.invert().multiply(turn));
            if (placed) {
                bone.position.copy(bone.parent.worldToLocal(place.set(world[i + 4], world[i + 5], world[i + 6])));
            }
        }
    }

    /** The geometry is kept: it belongs to the model. */
    dispose() {
        this.object.traverse((item) => item.skeleton?.dispose());
        this.materials.forEach((material) => material.dispose());
        this.object.removeFromParent();
    }
}
