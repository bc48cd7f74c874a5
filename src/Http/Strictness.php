<?php

declare(strict_types=1);

namespace Headroom\Http;

/**
 * How far a message may depart from RFC 9112.
 *
 * @internal
 */
enum Strictness
{
    /** Two readers could understand a malformed message differently, which is how requests are smuggled past a proxy. */
    case Strict;

    /** Reads responses as libcurl does: a load test measures servers that browsers can use, with their mistakes. */
    case Lenient;
}
