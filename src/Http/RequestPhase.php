<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * The part of a request that a connection's parser waits for; it decides which of the server's timeouts runs.
 *
 * @internal
 */
enum RequestPhase
{
    /** No byte of the next request has come: the keep-alive timeout runs. */
    case Idle;

    /** A request has begun, and its header section has not ended. */
    case Head;

    /** The rest of a body. */
    case Body;

    /** A request was refused, or was the last one. The server discards further bytes. */
    case Over;
}
