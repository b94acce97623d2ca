/* The lines with which a file begins, as far as they are includes, comments and
 * blank: what they include is the same for every text behind them. */
#include "front/reader.h"

#include <string.h>

/* Past the comment at "p", or NULL if it does not end. */
static const char *skip_comment(const char *p)
{
    const char *end = strstr(p, p[1] == '*' ? "*/" : "\n");
    if (p[1] == '/')
        return end ? end : p + strlen(p);
    return end ? end + 2 : NULL;
}

/* Past blanks and comments, over line ends too. */
static const char *skip_blanks(const char *p)
{
    while (p) {
        if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')
            p++;
        else if (*p == '/' && (p[1] == '/' || p[1] == '*'))
            p = skip_comment(p);
        else
            break;
    }
    return p;
}

static const char *skip_spaces(const char *p)
{
    return p + strspn(p, " \t");
}

/* Past the #include at "p" with its line end, or NULL if there is none such:
 * one name in quotes or angles, and nothing but a comment of one line behind.
 */
static const char *skip_include(const char *p)
{
    static const char word[] = "include";
    if (*p != '#')
        return NULL;
    p = skip_spaces(p + 1);
    if (strncmp(p, word, sizeof word - 1))
        return NULL;
    p = skip_spaces(p + sizeof word - 1);
    if (*p != '"' && *p != '<')
        return NULL;
    const char close = *p == '<' ? '>' : '"';
    p += 1 + strcspn(p + 1, "\"<>\\\n");
    if (*p != close)
        return NULL;
    p = skip_spaces(p + 1);
    if (*p == '/' && p[1] == '/')
        p += strcspn(p, "\\\n");
    p += *p == '\r';
    return *p == '\n' ? p + 1 : NULL;
}

size_t rf_includes_end(const char *bytes)
{
    const char *end = bytes, *p = bytes;
    while ((p = skip_blanks(p)) && (p = skip_include(p)))
        end = p;
    return (size_t)(end - bytes);
}
