<?php

declare(strict_types=1);

namespace Workbench\App\Reports;

/**
 * Nothing in this file runs when it is loaded. What it extends is another matter.
 */
final class MonthlyReport extends Report
{
    protected function figures(): array
    {
        return range(1, 12);
    }
}
