<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Workbench\App\Audit\AuditStamp;

/**
 * Nothing is audited here, and the answer shows it by being without a stamp.
 */
final class TotalsController
{
    public function __invoke(AuditStamp $stamp): JsonResponse
    {
        return new JsonResponse(['total' => 4711, ...$stamp->of()]);
    }
}
