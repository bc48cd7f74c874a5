<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * What a line of an error log is about.
 *
 * @internal
 */
interface ErrorKind
{
    /** Stable: for JSON, and for people to search for. */
    public function code(): string;

    /** One sentence. */
    public function meaning(): string;

    /** What to look at next; empty where there is nothing to do. */
    public function next(): string;
}
