# Makes clips of the data sets from public BVH files; scripts/data.sh runs it.
#   awk -v out=DIR -v share=0 -v shares=1 -f data.awk PLAN
# A row of PLAN is a row of configs/data/*.tsv and the path of its source file. Row N is this run's when N modulo
# shares is share. Each clip is read and checked whole before out/SET/CLIP.bvh is written. Exits 1 if a clip failed.
BEGIN {
    FS = "\t"
    # The shortest text of a value with 3 or 4 decimals.
    CONVFMT = OFMT = "%.12g"
    degree = atan2(0, -1) / 180
    # Added to and taken off a double, this rounds it to a whole number, halves to even.
    whole = 6755399441055744
}

NR % shares == share {
    if (read_source($8) && check_source()) {
        bridge_all($7)
        write_clip(out "/" $1 "/" $2 ".bvh")
    } else {
        failed = 1
    }
}

END { exit failed }

function refuse(line, text) {
    printf "data: %s:%d: %s; %s/%s is not made\n", $8, line, text, $1, $2 >"/dev/stderr"
    return 0
}

# Fills head (lines to MOTION), row[frame] (motion as text) and the facts about them.
function read_source(path, line, n, word, here, ok) {
    split("", head)
    split("", row)
    split("", thumb)
    heads = frames = channels = thumbs = rate = 0
    ok = 1
    while (ok && (getline line <path) > 0) {
        n++
        raw[n] = line
        sub(/\r$/, "", line)
        if (n == 1 && line !~ /^HIERARCHY/) {
            ok = refuse(1, "not a BVH file")
        } else if (rate) {
            if (line ~ /^[ \t]*$/) {
                continue
            }
            if (line ~ /[^-+0-9.eE \t]/) {
                ok = refuse(n, "a value is not a number")
            }
            row[frames++] = line
        } else if (line ~ /^[ \t]*Frame Time:/) {
            sub(/.*:/, "", line)
            rate = line + 0 > 0 ? 1 / line : -1
        } else if (line !~ /^[ \t]*Frames:/) {
            head[++heads] = line
            split(line, word, " ")
            if (word[1] == "JOINT") {
                here = word[2]
            } else if (word[1] == "CHANNELS") {
                if ($4 != 30 && line !~ (channels ? " 3 " : " 6 Xposition Yposition Zposition ") "Zrotation Yrotation Xrotation *$") {
                    ok = refuse(n, "channels in another order than the conversion of 2010 has them")
                }
                if (here ~ /^[LR]Thumb$/) {
                    thumb[++thumbs] = channels
                }
                channels += word[2]
            }
        }
    }
    close(path)
    raws = n
    return ok && (n || refuse(0, "cannot be read"))
}

function check_source(f, word, n, stated) {
    # The conversion of 2010 says 120 Hz in every file.
    stated = $4 == 30 ? 30 : 120
    if (rate < stated - 1 || rate > stated + 1) {
        return refuse(heads + 2, "the frame time is not that of " stated " frames per second")
    }
    if (frames <= $6) {
        return refuse(raws, "ends with frame " frames - 1 ", the clip with frame " $6)
    }
    for (f = 0; f < frames; f++) {
        n = split(row[f], word, " ")
        if (n != channels) {
            return refuse(raws - frames + f + 1, "row has " n " values, the hierarchy names " channels " channels")
        }
    }
    return 1
}

# Repairs the stretches FIRST-LAST,... of each pass in turn.
function bridge_all(text, pass, passes, stretch, n, i, k, ends) {
    split("", bridged)
    passes = text == "-" ? 0 : split(text, pass, "/")
    for (i = 1; i <= passes; i++) {
        split("", before)
        n = split(pass[i], stretch, ",")
        for (k = 1; k <= n; k++) {
            split(stretch[k], ends, "-")
            bridge(ends[1] - 1, ends[2] + 1)
        }
    }
}

# Fills the frames between a and b with Hermite curves whose ends go on as the frames beside them do. Positions build on
# stretches already bridged; rotations are taken as they were before this pass.
function bridge(a, b, n, f, t, c, h, m0, m1, text) {
    for (f = a + 1; f < b; f++) {
        before[f] = row[f]
        was[f] = f in bridged
    }
    values(a - 1, r0)
    values(a, ra)
    values(b, rb)
    values(b + 1, r1)
    n = b - a
    for (f = a + 1; f < b; f++) {
        t = (f - a) / n
        h = t * t * (3 - 2 * t)
        m0 = n * t * (1 - t) * (1 - t)
        m1 = n * t * t * (t - 1)
        text = ""
        for (c = 1; c <= 3; c++) {
            text = text sprintf("%.17g ", (1 - h) * ra[c] + m0 * (ra[c] - r0[c]) + h * rb[c] + m1 * (r1[c] - rb[c]))
        }
        for (c = 4; c <= channels; c += 3) {
            text = text turn(c, h, m0, m1)
        }
        row[f] = text
        bridged[f] = 1
    }
}

# v = the values of frame f for a bridge.
function values(f, v, position, c) {
    split(f in before ? before[f] : row[f], v, " ")
    if (f in before ? !was[f] : !(f in bridged)) {
        single(v)
    }
    if (f in bridged) {
        split(row[f], position, " ")
        for (c = 1; c <= 3; c++) {
            v[c] = position[c]
        }
    }
}

# Rounds a row to single precision (Veltkamp's splitting), as the sets were made: it decides how halves are rounded.
function single(v, c, high) {
    for (c = 1; c <= channels; c++) {
        high = v[c] * 536870913
        v[c] = high - (high - v[c])
    }
}

# Angles of joint c: from ra, the Hermite curve of rotation vectors in the parent's space.
function turn(c, h, m0, m1, v, i, angle, s, w, x, y, z, sine) {
    quaternion(r0, c, A)
    quaternion(ra, c, B)
    quaternion(rb, c, C)
    quaternion(r1, c, D)
    v[1] = v[2] = v[3] = 0
    add_rotation(v, A, B, m0)
    add_rotation(v, B, C, h)
    add_rotation(v, C, D, m1)
    angle = sqrt(v[1] * v[1] + v[2] * v[2] + v[3] * v[3])
    s = angle > 1e-12 ? sin(angle / 2) / angle : 0.5
    E[0] = cos(angle / 2)
    for (i = 1; i <= 3; i++) {
        E[i] = s * v[i]
    }
    product(E, B)
    w = P[0]
    x = P[1]
    y = P[2]
    z = P[3]
    sine = 2 * (w * y - z * x)
    sine = sine > 1 ? 1 : sine < -1 ? -1 : sine
    return sprintf("%.17g %.17g %.17g ", atan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)) / degree,
        atan2(sine, sqrt(1 - sine * sine)) / degree, atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) / degree)
}

# Q (w x y z) = Rz Ry Rx of the angles at c.
function quaternion(r, c, Q, cz, sz, cy, sy, cx, sx) {
    cz = cos(r[c] * degree / 2)
    sz = sin(r[c] * degree / 2)
    cy = cos(r[c + 1] * degree / 2)
    sy = sin(r[c + 1] * degree / 2)
    cx = cos(r[c + 2] * degree / 2)
    sx = sin(r[c + 2] * degree / 2)
    Q[0] = cz * cy * cx + sz * sy * sx
    Q[1] = cz * cy * sx - sz * sy * cx
    Q[2] = cz * sy * cx + sz * cy * sx
    Q[3] = sz * cy * cx - cz * sy * sx
}

# P = L R
function product(L, R) {
    P[0] = L[0] * R[0] - L[1] * R[1] - L[2] * R[2] - L[3] * R[3]
    P[1] = L[0] * R[1] + L[1] * R[0] + L[2] * R[3] - L[3] * R[2]
    P[2] = L[0] * R[2] - L[1] * R[3] + L[2] * R[0] + L[3] * R[1]
    P[3] = L[0] * R[3] + L[1] * R[2] - L[2] * R[1] + L[3] * R[0]
}

# v += weight times the rotation vector that turns From into To.
function add_rotation(v, From, To, weight, i, s) {
    for (i = 1; i <= 3; i++) {
        N[i] = -From[i]
    }
    N[0] = From[0]
    product(To, N)
    s = sqrt(P[1] * P[1] + P[2] * P[2] + P[3] * P[3])
    weight *= P[0] < 0 ? -1 : 1
    weight *= s > 1e-12 ? 2 * atan2(s, P[0] < 0 ? -P[0] : P[0]) / s : 2
    for (i = 1; i <= 3; i++) {
        v[i] += weight * P[i]
    }
}

function write_clip(path, i, f, step, text, value, c, still) {
    if ($4 == 30) {
        for (i = 1; i <= raws; i++) {
            print raw[i] >path
        }
        close(path)
        return
    }
    step = $4 / 60
    for (i = 1; i <= heads; i++) {
        print head[i] >path
    }
    print "Frames: " int(($6 - $5) / step) + 1 >path
    print "Frame Time: 0.0166667" >path
    for (f = $5 + 0; f <= $6; f += step) {
        split(row[f], value, " ")
        if (!(f in bridged)) {
            single(value)
        }
        for (i = 1; i <= thumbs; i++) {
            for (c = thumb[i] + 1; c <= thumb[i] + 3; c++) {
                if (f == $5) {
                    still[c] = value[c]
                }
                value[c] = still[c]
            }
        }
        text = ""
        for (c = 1; c <= 3; c++) {
            text = text (value[c] * 10000 + whole - whole) / 10000 + 0 " "
        }
        for (; c < channels; c++) {
            text = text (value[c] * 1000 + whole - whole) / 1000 + 0 " "
        }
        print text (value[c] * 1000 + whole - whole) / 1000 + 0 >path
    }
    close(path)
}
