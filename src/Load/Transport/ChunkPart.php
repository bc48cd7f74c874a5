<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Of a body in chunks, what comes next.
 *
 * @internal
 */
enum ChunkPart
{
    case Size;
    case Data;
    case End;
    case Trailers;
}
