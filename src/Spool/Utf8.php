<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * The ways to handle a string that is not valid UTF-8.
 */
enum Utf8: string
{
    /** Invalid bytes become U+FFFD, and the value is marked and counted. */
    case Replace = 'replace';

    /** The event is refused. */
    case Refuse = 'refuse';

    /** The sink receives the bytes unchanged; the column must be able to hold them. */
    case Binary = 'binary';
}
