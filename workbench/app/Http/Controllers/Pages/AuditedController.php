<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Workbench\App\Audit\AuditStamp;
use Workbench\App\Audit\AuditTrail;

/**
 * Here something is audited, so the class that keeps the notes is a hot one.
 */
final class AuditedController
{
    public function __invoke(AuditTrail $trail, AuditStamp $stamp): JsonResponse
    {
        app()->instance(AuditTrail::class, $trail);
        $trail->note('totals were read');

        return new JsonResponse(['total' => 4711, ...$stamp->of()]);
    }
}
