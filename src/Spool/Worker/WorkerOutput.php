<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Spool\Delivery\FlushReport;

/**
 * Prints the progress of a worker.
 *
 * @internal
 */
interface WorkerOutput
{
    public function notice(string $message): void;

    public function error(string $message): void;

    public function report(FlushReport $report): void;
}
