<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Worker;

use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Worker\WorkerOutput;

final class RecordedOutput implements WorkerOutput
{
    /** @var list<string> */
    public array $notices = [];

    /** @var list<string> */
    public array $errors = [];

    /** @var list<int> events that were delivered, by report */
    public array $delivered = [];

    public function notice(string $message): void
    {
        $this->notices[] = $message;
    }

    public function error(string $message): void
    {
        $this->errors[] = $message;
    }

    public function report(FlushReport $report): void
    {
        $this->delivered[] = $report->delivered;
    }
}
