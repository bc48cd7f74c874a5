<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * What a connection's parser waits for; it decides which of the server's timeouts runs.
 *
 * @internal
 */
enum RequestPhase
{
    /** Nothing of a next request has come: the connection may rest as long as it may be kept. */
    case Idle;

    /** A request has begun, and its header section has not ended. */
    case Head;

    /** The rest of a body. */
    case Body;

    /** Nothing more: a request was refused, or was the last one. What still comes is thrown away. */
    case Over;
}
