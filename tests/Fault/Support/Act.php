<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

/**
 * The action of a process on itself at a named point of the protocol.
 */
enum Act: string
{
    /** Until the test lets it go on. */
    case Wait = 'wait';

    /** SIGSTOP. */
    case Stop = 'stop';

    /** SIGKILL. */
    case Kill = 'kill';

    /** As a handler ends a process: shutdown functions run, and finally blocks do not. */
    case Exit = 'exit';
}
