<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Headroom\Laravel\Doctor\DoctorLauncher;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Illuminate\Http\Response;

/**
 * Starts the doctor in the background. data/machine has its report.
 *
 * @internal
 */
final readonly class DoctorAction
{
    public function __construct(private DoctorLauncher $launcher) {}

    public function run(ActionLog $log): Response
    {
        $problem = $this->launcher->start();
        $log->record('doctor', null, $problem === null ? 1 : 0);

        return $problem === null
            ? JsonResponse::of([
                'done' => 1, 'remaining' => 0, 'message' => 'The doctor has started.', 'next' => null,
            ])
            : JsonResponse::problem(409, 'The doctor was not started', $problem);
    }
}
