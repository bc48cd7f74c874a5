<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * What happens to a string that is not valid UTF-8.
 */
enum Utf8: string
{
    /** Broken bytes become U+FFFD, and the value is marked, so that it is counted. */
    case Replace = 'replace';

    /** The event is refused. */
    case Refuse = 'refuse';

    /** The bytes arrive as they are; the column must be able to hold them. */
    case Binary = 'binary';
}
