/// A minute of keys and sticks, as `amble run --record` writes them: what the golden hash of a character plays.
#ifndef AMBLE_TEST_INPUT_LOG_H
#define AMBLE_TEST_INPUT_LOG_H

static const char input_log[] =
    "{\"database\": \"synth\", \"controller\": \"match\", \"fps\": 60, \"seconds\": 60, \"seed\": 7,"
    "\"characters\": ["
    "{\"start\": {\"position\": [1, -2], \"facing\": [1, 2]}, \"keys\": ["
    "{\"t\": 1, \"down\": [\"W\"]}, {\"t\": 3.5166667, \"down\": [\"W\", \"A\"]}, {\"t\": 5, \"down\": [\"A\"]},"
    "{\"t\": 7.0333333, \"down\": [\"S\", \"Shift\"]}, {\"t\": 10.5, \"down\": []}, {\"t\": 13, \"down\": [\"D\"]},"
    "{\"t\": 15.2, \"down\": [\"D\", \"J\"]}, {\"t\": 15.4, \"down\": [\"D\"]},"
    "{\"t\": 19, \"down\": [\"W\", \"C\"]},"
    "{\"t\": 24, \"down\": []}, {\"t\": 26, \"down\": [\"P\"]}, {\"t\": 26.2, \"down\": []},"
    "{\"t\": 34, \"down\": [\"ArrowUp\", \"W\"]}, {\"t\": 36, \"down\": [\"W\"]}, {\"t\": 39, \"down\": [\"A\"]},"
    "{\"t\": 39.6, \"down\": [\"D\"]}, {\"t\": 40.1, \"down\": [\"A\"]}, {\"t\": 44, \"down\": []},"
    "{\"t\": 46, \"down\": [\"J\"]}, {\"t\": 46.5, \"down\": []}, {\"t\": 52, \"down\": [\"S\", \"D\", \"Shift\"]},"
    "{\"t\": 57.3, \"down\": []}]},"
    "{\"gamepad\": ["
    "{\"t\": 0.5, \"left\": [0.2, 0.7], \"right\": [0, 0], \"buttons\": []},"
    "{\"t\": 6, \"left\": [-0.9, 0.1], \"right\": [0, 1], \"buttons\": []},"
    "{\"t\": 12, \"left\": [0, 0], \"right\": [1, 0], \"buttons\": []},"
    "{\"t\": 18, \"left\": [0.7, -0.7], \"right\": [0, 0], \"buttons\": [\"Shift\"]},"
    "{\"t\": 25, \"left\": [0, 0], \"right\": [0, 0], \"buttons\": []},"
    "{\"t\": 30, \"left\": [0.31, 0.47], \"right\": [-0.4, -0.6], \"buttons\": [\"C\"]},"
    "{\"t\": 45, \"left\": [0, 1], \"right\": [0, 0], \"buttons\": [\"J\"]}]}]}";

#endif
