// The nearest known name to a misspelt one, by edit distance with swaps of neighbours (Damerau 1964, in the form that
// edits no character twice).
#include <amble/tools/json.h>

#include <string.h>

enum {
    longest_word = 63,
    edit = 4,       // a letter too many, too few, wrong, or swapped with its neighbour
    wrong_case = 1, // so little that a word in capitals is always near
};

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c; }

static int least(int a, int b) { return a < b ? a : b; }

// Cost of the edits that lead from a to b.
static int distance(const char *a, int a_length, const char *b, int b_length)
{
    int rows[3][longest_word + 1];
    int *before = rows[0]; // two rows up, for swaps
    int *above = rows[1];
    int *row = rows[2];
    for (int j = 0; j <= b_length; j++) {
        before[j] = 0;
        above[j] = edit * j;
    }
    for (int i = 1; i <= a_length; i++) {
        row[0] = edit * i;
        for (int j = 1; j <= b_length; j++) {
            int change = a[i - 1] == b[j - 1] ? 0 : lower(a[i - 1]) == lower(b[j - 1]) ? wrong_case : edit;
            int cost = least(above[j - 1] + change, edit + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                cost = least(cost, before[j - 2] + edit);
            }
            row[j] = cost;
        }
        int *free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[b_length];
}

const char *am_nearest_name(const char *word, const char *const *names, int count)
{
    size_t length = strlen(word);
    const char *best = NULL;
    int best_cost = 0;
    for (int i = 0; i < count && length <= longest_word; i++) {
        size_t other = strlen(names[i]);
        if (other > longest_word) {
            continue;
        }
        int cost = distance(word, (int)length, names[i], (int)other);
        // Near means that about a third of the longer word may be wrong, but never all of it.
        int longer = (int)(length > other ? length : other);
        bool near = 3 * cost <= edit * (longer + 1) && cost < edit * longer;
        if (near && (!best || cost < best_cost)) {
            best = names[i];
            best_cost = cost;
        }
    }
    return best;
}
