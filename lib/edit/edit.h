/* Guarded edits: how a proven rewrite gets into the author's file.
 *
 * The source stays the specification. A region that was rewritten reads
 *
 *     #pragma rf cascade
 *     #ifdef RF_REFERENCE
 *       ... the author's bytes, untouched ...
 *     #else  // rf: fused, 3 passes -> 1, INPUT-OUTPUT; do not edit
 *       ... generated code ...
 *     #endif // rf
 *
 * INPUT is a hash of what the rewrite depends on, OUTPUT one of the generated
 * text; both skip blanks and comments, so that a formatter may pass over the
 * file. Three operations rest on this form: a region whose INPUT and OUTPUT
 * still agree is left alone; one that disagrees is stale or edited by hand;
 * and deleting the guards' own lines gives back the author's file, byte for
 * byte.
 *
 * Everything is expressed as a sorted list of disjoint edits, which is
 * applied, printed as a patch, or exported; bytes outside are never touched.
 */
#ifndef RF_EDIT_EDIT_H
#define RF_EDIT_EDIT_H

#include "support/arena.h"
#include "support/array.h"
#include "support/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- Edits ---------------------------------------------------------- */

/* Bytes [begin, end) of a file become the "len" bytes "text". */
typedef struct {
    size_t begin, end;
    const char *text;
    size_t len;
} rf_edit;

/* Sorted by begin and disjoint once a function has returned it. The texts
 * belong to the arena that was given; the list is freed with RF_CLEAR. */
typedef struct {
    RF_ARRAY(rf_edit) list;
} rf_edits;

/* Sort "edits" by begin, then by end; those at one place stay in order. */
void rf_edits_sort(rf_edits *edits);
/* Append to "out" the file "bytes" with "edits" applied. Linear. */
void rf_edits_apply(const rf_edits *edits, const char *bytes, size_t len,
                    rf_buf *out);
/* Append to "out" the change as a unified diff that `git apply` takes.
 * "path" is the name shown behind a/ and b/. Nothing when nothing changes. */
void rf_edits_diff(const rf_edits *edits, const char *bytes, size_t len,
                   const char *path, rf_buf *out);

/* ---- Text ----------------------------------------------------------- */

typedef enum {
    RF_TOK_END,
    RF_TOK_BLANK, /* blanks, carriage returns, joined lines */
    RF_TOK_NEWLINE,
    RF_TOK_COMMENT, /* without the line end of a // comment */
    RF_TOK_LITERAL, /* string or character, with its prefix; raw too */
    RF_TOK_WORD,    /* identifier, keyword, number */
    RF_TOK_PUNCT    /* one byte */
} rf_token_kind;

typedef struct {
    rf_token_kind kind;
    size_t begin, end;
} rf_token;

/* Read the token of C++ text that begins at "at". */
rf_token rf_token_next(const char *bytes, size_t len, size_t at);

/* The hash of a text that a formatter may rearrange: comments are left out and
 * blanks count only where they separate tokens. */
uint64_t rf_text_hash(const char *bytes, size_t len);
/* The same without braces, whose use around single statements is a matter of
 * style. */
uint64_t rf_text_hash_loose(const char *bytes, size_t len);

typedef enum {
    RF_LINE_TEXT,
    RF_LINE_IF, /* #if, #ifdef, #ifndef */
    RF_LINE_ELIF,
    RF_LINE_ELSE,
    RF_LINE_ENDIF,
    RF_LINE_DIRECTIVE /* any other */
} rf_line_kind;

/* A line [begin, end) with its line end. A byte order mark belongs to none. A
 * line is "clean" when it begins outside comments, literals and joined lines:
 * a directive may be inserted before it. */
typedef struct {
    size_t begin, end;
    bool clean;
    rf_line_kind kind;
} rf_line;

typedef struct {
    RF_ARRAY(rf_line) list;
} rf_lines;

/* Split "bytes" into lines. The caller clears the list. */
rf_lines rf_lines_read(const char *bytes, size_t len);
/* The index of the line that holds byte "at" (the last one past the end). */
size_t rf_lines_find(const rf_lines *lines, size_t at);

/* ---- Guards --------------------------------------------------------- */

typedef struct {
    size_t begin;                    /* of the #ifdef line */
    size_t reference, reference_end; /* the author's lines */
    size_t generated, generated_end; /* the generated lines */
    size_t end;                      /* past the #endif line */
    const char *words;               /* "fused, 3 passes -> 1" */
    uint64_t input, output;          /* as recorded, when "hashed" */
    bool hashed;                     /* the comment could be read */
    bool edited;                     /* generated text is not as written */
    bool damaged;                    /* a directive is missing */
} rf_guard;

typedef struct {
    RF_ARRAY(rf_guard) list;
} rf_guards;

/* Find the guards of a file, in order. Words belong to "arena". A guard that
 * lost its #else or #endif is listed as damaged and is the last. */
rf_guards rf_guards_find(rf_arena *arena, const char *bytes, size_t len);

/* Where the author's bytes in guard "g" end. */
size_t rf_guard_author_end(const rf_guard *g, const char *bytes, size_t len);
/* Append the edits that leave the author's bytes alone of guard "g". */
void rf_guard_remove(const rf_guard *g, const char *bytes, size_t len,
                     rf_edits *out);
/* The edits that give back the author's file; -1 when a guard is damaged. */
int rf_revert_plan(rf_arena *arena, const char *bytes, size_t len,
                   rf_edits *out);

/* ---- Regions -------------------------------------------------------- */

/* One place of a region: author's bytes and what they become. Lines end in
 * '\n'; the first line may be indented or not, a final line end is optional. */
typedef struct {
    size_t begin, end;
    const char *text;
    const char *words; /* for the guard's comment; NULL: the region's */
} rf_edit_part;

typedef enum {
    RF_EDIT_NEW,       /* has no guard yet */
    RF_EDIT_CURRENT,   /* its guards are up to date: left alone */
    RF_EDIT_STALE,     /* its guards are out of date */
    RF_EDIT_BY_HAND,   /* generated text was edited: left alone */
    RF_EDIT_IMPOSSIBLE /* "problem" says why no guard can be set */
} rf_edit_state;

/* What a rewrite does to a file: the marked statement and, with it, kernel
 * heads and launches, tied together by one hash. Offsets are those of the
 * file on disk; in a file that has guards they lie in the author's part. */
typedef struct {
    size_t mark_begin, mark_end; /* the pragma without line end; or 0, 0 */
    rf_edit_part *parts;
    size_t n_parts;
    const char *words;      /* "fused, 3 passes -> 1, proof 7/7" */
    const char *hash_input; /* clauses, options: what else it depends on */
    bool keep;              /* keep the author's code under RF_REFERENCE */
    rf_edit_state state;    /* set by rf_edit_plan */
    const char *problem;    /* set by rf_edit_plan, in the arena */
    size_t problem_at;      /* where in the file */
} rf_edit_region;

typedef struct {
    bool force;        /* overwrite generated text that was edited by hand */
    bool keep_orphans; /* leave guards that no region accounts for */
} rf_edit_rules;

/* Plan the edits that give "regions" their present form and set their states.
 * A guard that belongs to no region is taken away (its author's code comes
 * back); such guards are appended to "orphans", unless it is NULL. */
void rf_edit_plan(rf_arena *arena, const char *bytes, size_t len,
                  rf_edit_region *regions, size_t n, rf_edit_rules rules,
                  rf_edits *out, rf_guards *orphans);

/* ---- Files ---------------------------------------------------------- */

typedef struct {
    char *bytes; /* NUL-terminated, freed with rf_file_free */
    size_t len;
} rf_file;

/* Read a regular file, or stdin for "-". On failure return -1 with a message
 * in "arena" at "*why". */
int rf_file_read(rf_arena *arena, const char *path, rf_file *file,
                 const char **why);
void rf_file_free(rf_file *file);

/* Replace the content of "path" in one step: the new content is written to an
 * unnamed file of the same folder, forced to disk, given the old mode and
 * renamed over the old one. Links are followed. Refused, and the file is as
 * it was, when it is read-only or no longer holds "old". */
int rf_file_replace(rf_arena *arena, const char *path, const rf_file *old,
                    const char *bytes, size_t len, const char **why);
/* Write a file that need not exist (an output); devices are written to. */
int rf_file_write(rf_arena *arena, const char *path, const char *bytes,
                  size_t len, const char **why);

#endif
