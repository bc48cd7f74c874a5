<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\Cache;
use Workbench\App\Jobs\CountWords;

/**
 * A job that runs at once, and the same job left to a worker.
 */
final class QueueController
{
    private const TEXT = 'A job that runs at once, and the same job left to a worker.';

    public function __invoke(): JsonResponse
    {
        CountWords::dispatchSync(self::TEXT);
        CountWords::dispatch(self::TEXT)->onConnection('database');

        return new JsonResponse(['words' => Cache::store('array')->get(CountWords::RESULT)]);
    }
}
