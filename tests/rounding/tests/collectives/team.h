/* Collectives written in different ways: each file is a softmax denominator
 * by one team a row, and only the way in which the threads meet differs.
 *
 *     // fused: N passes -> M, ...      the words of the guard begin so
 *     // expect: line:column rf-name    refused there
 *     // says: text                     and the message holds this text */
#ifndef TEAM_H
#define TEAM_H

#ifdef __CUDACC__
#define DRIVE_LENGTHS 1000, 33, 32, 31, 1, 0
#include "../fusible/driver.h"
#endif

#endif
