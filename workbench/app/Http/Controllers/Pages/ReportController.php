<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Workbench\App\Reports\MonthlyReport;

/**
 * Shows a report whose parent needs a constant that its file defines.
 */
final class ReportController
{
    public function __invoke(): JsonResponse
    {
        return new JsonResponse(['rows' => (new MonthlyReport)->rows()]);
    }
}
