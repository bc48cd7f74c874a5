<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * What a process does at one moment, as far as its kernel tells.
 *
 * @internal
 */
enum WaitKind: string
{
    /** On a CPU, or until there is one for it. */
    case Working = 'working';

    /** Until a client connects. */
    case Idle = 'idle';

    /** On a connection that a client opened to it: nginx holds it, or does not take its answer. */
    case Client = 'client';

    /** Until a connection that it opens is there. */
    case Connecting = 'connecting';

    /** On a connection that it opened. */
    case Reply = 'reply';

    /** Until its peer takes what it sends. */
    case Sending = 'sending';

    case FileLock = 'file lock';

    case Disk = 'disk';

    /** On what another process does in the kernel at the same time, mostly with files of the same directory. */
    case KernelLock = 'kernel lock';

    case Sleeping = 'sleeping';

    /** On a name server. */
    case Resolving = 'resolving';

    case Other = 'other';

    case Unknown = 'unknown';
}
