<?php

declare(strict_types=1);

namespace Workbench\App\Reports;

// Runs when the file is loaded, and what extends this class needs it.
defined('WORKBENCH_REPORT_COLUMNS') || define('WORKBENCH_REPORT_COLUMNS', 3);

abstract class Report
{
    /** @return list<int> */
    abstract protected function figures(): array;

    /** @return list<list<int>> */
    final public function rows(): array
    {
        return array_chunk($this->figures(), WORKBENCH_REPORT_COLUMNS);
    }
}
