<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs;

/**
 * The summary of logs of one kind, of all programs that write such logs.
 *
 * @internal
 */
interface LogSummary
{
    /** Of one program's lines; all of them count into this summary. */
    public function reader(): LogReader;

    /** The findings in this kind of log. */
    public function entries(): int;

    /** Lines that are not of this kind of log. */
    public function foreign(): int;
}
