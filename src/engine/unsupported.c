/*
 * What is not modelled (yet): said by name and place when it is met, never a hang and never a wrong answer.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "engine/engine.h"
#include "engine/interpose.h"
#include "engine/poison.h"
