<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * The activity of a process at one moment, as the kernel shows it.
 *
 * @internal
 */
enum WaitKind: string
{
    /** On a CPU, or waiting for one. */
    case Working = 'working';

    /** Waits until a client connects. */
    case Idle = 'idle';

    /** Waits on a connection from a client: nginx keeps it idle, or does not read the response. */
    case Client = 'client';

    /** Waits until a connection that it opens is established. */
    case Connecting = 'connecting';

    /** Waits for data on a connection that it opened. */
    case Reply = 'reply';

    /** Waits until its peer reads. */
    case Sending = 'sending';

    case FileLock = 'file lock';

    case Disk = 'disk';

    /** Waits for another process in the kernel, mostly for files of the same directory. */
    case KernelLock = 'kernel lock';

    case Sleeping = 'sleeping';

    /** Waits for a name server. */
    case Resolving = 'resolving';

    case Other = 'other';

    case Unknown = 'unknown';
}
